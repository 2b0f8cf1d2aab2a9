"""One process of the soak: the program's own loop at the simulated tray, with devices that fail at random.

    python soak_play.py FOLDER TRAY SEED

FOLDER holds tray.toml, the profile of the simulated tray with the seed TRAY and VIEW, and gets the log of the games;
SEED is that of the faults and the dice.

Prints a line for each thing: a JSON row as `--events` gives them; `truth 1 1 5` before a roll is told, the dice as they
really lie; `unsaved N` when records wait in memory because the disk is full, and when they no longer do; `used 130 MB
12 files` after each game.
"""

import json
import random
import resource
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from companion import app, log, table  # noqa: E402
from companion.hand import DemoPlayer, TrayHand  # noqa: E402
from companion.inputs import Player, RecordedInputs  # noqa: E402
from companion.table import Settings, Table  # noqa: E402
from companion.watch import MotionWatcher  # noqa: E402
from hardware.oled import OledDisplay  # noqa: E402
from hardware.ports import DeviceError, Frame, Pressed  # noqa: E402
from hardware.reviving import RevivingCamera  # noqa: E402
from hardware.scenery import View  # noqa: E402
from hardware.simulated import SimulatedTray  # noqa: E402
from vision.profile_file import load_profile  # noqa: E402
from vision.read import Reader  # noqa: E402
from vision.settle import Settler  # noqa: E402

PLAYERS = ("Ana", "Bo", "Cyr")
TARGET_HALVES = 120
# Small pictures, five a second: as many rolls as can be had in minutes.
VIEW = View(width_px=480, height_px=360, focal_px=492.0)
PERIOD_S = 0.2
HANG, REFUSES, WAIT_S = 0.004, 0.5, 2.0
BUS_ERROR = 0.05
FULL, FULL_STEPS = 0.003, (5, 200)
FULL_BYTES = 4096
JUMP = 0.02
MOST_THROWS_BEFORE = 500


def say(line: str) -> None:
    print(line, flush=True)


class VirtualTime:
    """A clock that only goes on when somebody waits."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def __call__(self) -> float:
        return self._now_s

    def sleep(self, wait_s: float) -> None:
        self._now_s += wait_s


class HangingCamera:
    """The tray's camera as a device that hangs now and then, and after that may not open at once."""

    live = True

    def __init__(self, tray: SimulatedTray, time: VirtualTime, chance: random.Random) -> None:
        self._tray, self._time, self._chance = tray, time, chance
        self._hung = False

    def opened(self) -> "HangingCamera":
        """The device once more, or DeviceError."""
        if self._hung and self._chance.random() < REFUSES:
            raise DeviceError("the camera could not be opened: device or resource busy")
        self._hung = False
        return self

    def frame(self) -> Frame:
        if self._chance.random() < HANG:
            self._hung = True
            self._time.sleep(WAIT_S)
            raise DeviceError(f"the camera gave no picture for {WAIT_S:.0f} s; it is being opened again")
        self._time.sleep(PERIOD_S)
        return self._tray.frame()

    def close(self) -> None:
        pass


class FailingPanel:
    """A panel whose bus now and then takes nothing."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def draw(self, picture: Image.Image) -> None:
        self.check()

    def dim(self, brightness: int) -> None:
        self.check()

    def check(self) -> None:
        if self._chance.random() < BUS_ERROR:
            raise DeviceError("the display does not answer at 0x3c (I2C error 121)")

    def off(self) -> None:
        pass


def jumping_clock(chance: random.Random) -> type[datetime]:
    """A wall clock that jumps by hours, both ways, as a Pi's does that gets the time late."""

    class Jumping(datetime):
        shift = timedelta()

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Jumping":
            if chance.random() < JUMP:
                cls.shift = timedelta(hours=chance.uniform(-48, 48))
            true = datetime.now(tz) + cls.shift
            return cls(true.year, true.month, true.day, true.hour, true.minute, true.second, tzinfo=true.tzinfo)

    return Jumping


class FillingDisk:
    """No file may grow beyond a few KB for a while: what a full disk does to the log, and to it alone."""

    def __init__(self, chance: random.Random, book: log.Log) -> None:
        self._chance, self._book, self._left, self._said = chance, book, 0, 0

    def turn(self) -> None:
        if self._left == 0 and self._chance.random() < FULL:
            self._left = self._chance.randint(*FULL_STEPS)
            resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, resource.RLIM_INFINITY))
        elif self._left == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self._left = max(0, self._left - 1)
        self.report()

    def report(self) -> None:
        if self._book.unsaved != self._said:
            self._said = self._book.unsaved
            say(f"unsaved {self._said}")


def new_or_resumed(book: log.Log) -> Table:
    settings = Settings(players=PLAYERS, target_halves=TARGET_HALVES)
    moment = book.moment()
    if moment and moment.game.to_play is not None:
        return table.resumed(settings, moment)
    book.append(table.started(settings))
    return table.new_table(settings)


def player(hand: TrayHand, chance: random.Random, disk: FillingDisk) -> Player:
    plays = DemoPlayer(hand)

    def press(at: Table, now_s: float) -> Sequence[Pressed]:
        disk.turn()
        return plays(at, now_s)

    return press


def main(folder: Path, tray_seed: int, seed: int) -> None:
    """Plays one game after another until somebody kills it."""
    chance = random.Random(seed)
    log.datetime = jumping_clock(chance)  # type: ignore[attr-defined]
    time = VirtualTime()
    tray = SimulatedTray(tray_seed, clock=time, sleep=time.sleep, view=VIEW)
    for _ in range(chance.randrange(MOST_THROWS_BEFORE)):  # so that no two lives see the same dice
        tray.throw(1)
    tray.clear()
    camera = RevivingCamera(HangingCamera(tray, time, chance).opened, time, time.sleep)
    reader = Reader(load_profile(folder / "tray.toml"))
    display = OledDisplay(lambda: FailingPanel(chance), (128, 64))
    with log.Log.open(folder) as book:
        disk = FillingDisk(chance, book)

        def tell(row: dict[str, object]) -> None:
            disk.report()
            if row["event"] == "roll":
                say("truth " + " ".join(sorted(str(die.face) for die in tray.truth())))
            say(json.dumps(row))

        while True:
            hand = TrayHand(tray)
            watcher = MotionWatcher(camera, Settler(reader, 0.4), lambda frame, reading: None)
            inputs = RecordedInputs(watcher, player(hand, chance, disk), hand)
            app.play(new_or_resumed(book), inputs, book, display, tell)
            tray.clear()
            if book.unsaved:
                continue  # while the disk is full the log's own files are closed
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
            say(f"used {resident // 2**20} MB {len(list(Path('/proc/self/fd').iterdir()))} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
