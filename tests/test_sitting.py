"""Sittings in virtual time at the simulated tray, also with devices that fail: what is shown and what is kept."""

import errno
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory
from PIL import Image

from companion import app, cli, table
from companion.contact_sheet import RICH, after, tables
from companion.demo import calibrated
from companion.game import Rolled
from companion.hand import RETHROW_S, TrayHand
from companion.inputs import Inputs, Over, RecordedInputs
from companion.log import Log
from companion.log_file import FILE_NAME, copy_in_memory, entries
from companion.pressing import ButtonPlayer
from companion.rules import Faces
from companion.screens import picture, screen_of
from companion.scripted import ScriptPlayer
from companion.table import Settings, Table
from companion.table_state import Banked
from companion.watch import MotionWatcher
from hardware.buttons import ScriptButtons
from hardware.displays import MemoryDisplay
from hardware.gpio import GpioButtons, Wiring
from hardware.oled import Keeper
from hardware.panel import LumaPanel, OledSettings
from hardware.ports import Button, Camera, DeviceError, Frame, Key, Press, Pressed
from hardware.reviving import RevivingCamera
from hardware.scenery import View
from hardware.simulated import SimulatedTray
from tests.panel import OledBus
from vision.profile import TrayProfile
from vision.read import Reader
from vision.settle import Settler

BEGUN = table.new_table(Settings(("Ana", "Bo")))
SMALL = View(410, 308, 420.0)
STYLE = "mixed on black"


class Trials:
    """Inputs of a sitting in which things happen to the devices, each at its time; `tables` are those it was shown."""

    def __init__(
        self, inputs: Inputs, clock: Callable[[], float], ends_s: float, *happens: tuple[float, Callable[[], object]]
    ) -> None:
        self._inputs, self._clock, self._ends_s, self._happens = inputs, clock, ends_s, list(happens)
        self.tables: list[Table] = []

    @property
    def now_s(self) -> float:
        return self._inputs.now_s

    def next(self, at: Table) -> tuple[table.Input, ...]:
        self.tables.append(at)
        while self._happens and self._happens[0][0] <= self._clock():
            self._happens.pop(0)[1]()
        if self._clock() >= self._ends_s:
            raise Over
        return self._inputs.next(at)

    def alerts(self) -> list[str]:
        """What stood in the place of the head, each once, in the order it came."""
        return list(dict.fromkeys(screen_of(at).alert for at in self.tables))


class Time:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def watcher_of(camera: Camera, profile: TrayProfile | None = None) -> MotionWatcher:
    return MotionWatcher(camera, Settler(Reader(profile)), lambda frame, reading: None)


def nobody(at: Table, now_s: float) -> tuple[Pressed, ...]:
    return ()


def no_hand(press: Pressed, at: Table) -> bool:
    return False


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path) as log:
        log.append(table.started(BEGUN.settings))
        yield log


class Cable:
    """A camera at a cable that can be pulled."""

    live = True

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._pulled = False

    def pull(self) -> None:
        self._pulled = True

    def plug_in(self) -> None:
        self._pulled = False

    def opened(self) -> "Cable":
        if self._pulled:
            raise DeviceError("no camera is found; push the cable home")
        return self

    def frame(self) -> Frame:
        if self._pulled:
            raise DeviceError("the camera gave no picture")
        return self._camera.frame()

    def close(self) -> None:
        """The camera behind the cable stays as it is."""


@pytest.fixture(scope="module")
def profile() -> TrayProfile:
    return calibrated(SimulatedTray(3, style=STYLE), cli.make_profile)


def test_the_history_counts_the_dice_of_each_colour(
    profile: TrayProfile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tray = SimulatedTray(3, style=STYLE)
    hand = TrayHand(tray)
    script = ScriptPlayer(ScriptButtons.parse("roll\nbank\n" * 3, "script"), hand.waits, patient=False)
    with Log.open(tmp_path) as book:
        book.append(table.started(BEGUN.settings))
        inputs = RecordedInputs(watcher_of(tray, profile), script, hand)
        app.play(BEGUN, inputs, book, MemoryDisplay(), lambda row: None)
    assert cli.main(["history", "dice", "--state-dir", str(tmp_path)]) == 0
    counts = [line.split() for line in capsys.readouterr().out.splitlines() if line.endswith(" dice")]
    colours = {"blue:": 3, "green:": 3, "red:": 3, "white:": 6, "yellow:": 3}  # ivory is white too
    assert {words[0]: int(words[-2]) for words in counts} == {"all": 18, **colours}


def test_at_the_simulated_tray_roll_throws_only_where_its_label_means_nothing_else() -> None:
    hand, thrown = TrayHand(SimulatedTray(1, view=SMALL)), {}
    for name, at in tables("en").items():
        if hand(Press(Button.ROLL), at):
            thrown[name] = screen_of(at).right
    assert set(thrown.values()) == {"", "OK"}
    assert {"start", "too few dice", "banked"} <= set(thrown)
    assert "unsure" not in thrown


@pytest.mark.parametrize(("faces", "by_roll"), [((1, 2, 2, 4, 5, 6), False), ((1, 2, 2), True)])
def test_unsure_dice_are_thrown_again_by_a_script_once_and_without_a_word(faces: Faces, by_roll: bool) -> None:
    hand = TrayHand(SimulatedTray(1, view=SMALL))
    script = ScriptPlayer(ScriptButtons.parse("roll\nbank\n", "script"), hand.waits, patient=False)
    at = after(BEGUN, table.DiceUnsure(faces, ("glare",)))
    assert hand(Press(Button.ROLL, at_s=9.0), at) is by_roll
    if not by_roll:
        [press] = script(at, 9.0)
        assert press == Key("throw", at_s=9.0)
        assert hand(press, at)
    assert script(at, 9.1) == []
    assert len(script(at, 9.2 + RETHROW_S)) == 1


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # luma's
def test_a_display_pulled_and_put_back_shows_the_table_again_and_says_so(book: Log) -> None:
    bus, watcher = OledBus(), watcher_of(SimulatedTray(1, view=SMALL))
    keeper = Keeper(lambda: LumaPanel(OledSettings(), bus))

    class Oled:
        size_px = (128, 64)

        @property
        def trouble(self) -> str:
            return keeper.trouble

        def show(self, picture: Image.Image, brightness: int = 255) -> None:
            keeper.tend(picture, watcher.now_s, brightness)

        def close(self) -> None:
            keeper.off()

    def pull() -> None:
        bus.fault = OSError(errno.EREMOTEIO, "gone")

    def put_back() -> None:
        bus.fault = None
        bus.power_cycle()

    inputs = RecordedInputs(watcher, nobody, no_hand)
    trials = Trials(inputs, lambda: watcher.now_s, 5.0, (1.0, pull), (3.0, put_back))
    end = app.play(BEGUN, trials, book, Oled(), lambda row: None)
    assert (end.note and end.note.key, end.game) == ("display_back", BEGUN.game)
    assert bus.picture().tobytes() == picture(end).tobytes()


def test_a_stuck_button_is_told_and_the_other_still_banks(book: Log) -> None:
    rolled = after(BEGUN, RICH)
    book.append(Rolled((1, 1, 2, 3, 4, 5)))
    watcher = watcher_of(SimulatedTray(1, view=SMALL))
    before, Device.pin_factory = Device.pin_factory, MockFactory()
    try:
        buttons = GpioButtons(Wiring(bank_pin=17, roll_pin=27), lambda: watcher.now_s)
        bank, roll = Device.pin_factory.pin(17), Device.pin_factory.pin(27)
        presses = (1.0, roll.drive_low), (11.0, bank.drive_low), (11.1, bank.drive_high), (12.0, roll.drive_high)
        inputs = RecordedInputs(watcher, ButtonPlayer(buttons), no_hand)
        trials = Trials(inputs, lambda: watcher.now_s, 13.0, *presses)
        end = app.play(rolled, trials, book, MemoryDisplay(), lambda row: None)
        buttons.close()
    finally:
        Device.pin_factory.close()
        Device.pin_factory = before
    assert trials.alerts() == ["", "Right button stuck"]
    assert (screen_of(end).alert, type(end.scene)) == ("", Banked)
    held_to_the_next_selection = 4
    assert end.game.totals == (held_to_the_next_selection, 0)
    moment = book.moment()
    assert moment is not None
    assert moment.game == end.game


def test_a_camera_lost_and_back_reads_the_next_roll(profile: TrayProfile, book: Log) -> None:
    time = Time()
    tray = SimulatedTray(3, style=STYLE, clock=time, sleep=time.sleep)
    cable = Cable(tray)
    watcher = watcher_of(RevivingCamera(cable.opened, time, time.sleep), profile)
    trials = Trials(
        RecordedInputs(watcher, nobody, no_hand), time, 10.0, (1.0, cable.pull), (2.0, cable.plug_in), (6.0, tray.throw)
    )
    end = app.play(BEGUN, trials, book, MemoryDisplay(), lambda row: None)
    assert trials.alerts() == ["", "No camera"]
    assert "camera_back" in {at.note.key for at in trials.tables if at.note}
    assert screen_of(end).alert == ""
    assert isinstance(end.moment.event, Rolled)
    assert list(end.moment.event.faces) == sorted(die.face for die in tray.truth())
    moment = book.moment()
    assert moment is not None
    assert moment.game == end.game


def test_a_new_watcher_of_a_camera_that_gives_pictures_ends_what_was_said_of_the_old_one() -> None:
    lost, _ = table.step(BEGUN, table.CameraLost("the camera is lent to another program"))
    watcher = watcher_of(SimulatedTray())
    assert watcher.look(lost) == (table.CameraBack(),)
    assert watcher.look(lost) == ()


def test_a_log_deleted_in_mid_game_is_written_again_and_the_screen_says_so(book: Log, tmp_path: Path) -> None:
    watcher = watcher_of(SimulatedTray(1, view=SMALL))
    inputs = RecordedInputs(watcher, nobody, no_hand)
    trials = Trials(inputs, lambda: watcher.now_s, 2.0, (1.0, (tmp_path / FILE_NAME).unlink))
    app.play(BEGUN, trials, book, MemoryDisplay(), lambda row: None)
    assert [at.note.key if at.note else "" for at in (trials.tables[0], trials.tables[-1])] == ["", "log_anew"]
    with closing(copy_in_memory(tmp_path / FILE_NAME)) as db:
        assert [entry.record for entry in entries(db)] == [table.started(BEGUN.settings)]
