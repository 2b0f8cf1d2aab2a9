"""Plays thousands of rolls at the simulated tray with faults at random, and compares everything with an oracle.

    .venv/bin/python scripts/soak.py [ROLLS] [SEED]

Camera outages, bus errors, jumps of the clock, a disk that is full for a while: all in soak_play.py, which this program
also kills now and then. Leaves with 1 when a die was misread, a record lost, a game scored otherwise, memory or files
grew, or nothing happened for minutes. Every fault follows from the seed; only the moments of the kills vary a little.
"""

import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from soak_play import VIEW  # noqa: E402

from companion import cli, demo  # noqa: E402
from companion.game import Kept, Rolled  # noqa: E402
from companion.notation import parse_record  # noqa: E402
from companion.rules import Faces  # noqa: E402
from companion.timeline import Moment, Record, Started, follow  # noqa: E402
from hardware.simulated import SimulatedTray  # noqa: E402

LIVES_ROLLS = (20, 400)
STUCK_S = 300.0
GROWTH_MOST_MB = 20


def oracle_halves(kept: Faces) -> int:
    """The half-points of kept dice, straight from the table of the rules."""
    counts = Counter(kept)
    if len(counts) == 6:
        return 30
    if len(counts) == 3 and set(counts.values()) == {2}:
        return 20
    halves = 0
    for face, n in counts.items():
        if n >= 3:
            halves += (20 if face == 1 else 2 * face) * (n - 2)
        elif face in (1, 5):
            halves += n * (2 if face == 1 else 1)
        else:
            raise ValueError(f"{n} × {face} is no group")
    return halves


def oracle_banks(records: list[Record]) -> Iterator[tuple[int, int]]:
    """The player and the total of each bank, worked out without the program's rules; undo is not played here."""
    totals, player, dice, number, clears, held = [0], 0, 6, 0, 0, 0
    for record in records:
        ended = False
        match record:
            case Started(players):
                totals, player, ended = [0] * len(players), -1, True
            case Rolled(faces):
                number += 1
                counts = Counter(faces)
                some = counts[1] or counts[5] or max(counts.values()) >= 3
                ended = not (some or (len(faces) == 6 and set(counts.values()) == {2}))
            case Kept(kept, then):
                held += oracle_halves(kept) * number
                dice -= len(kept)
                if dice == 0:
                    clears += 1
                    dice, held = 6, held + 20 * clears
                if then == "bank":
                    totals[player] += held
                    yield player, totals[player]
                    ended = True
        if ended:
            player, dice, number, clears, held = (player + 1) % len(totals), 6, 0, 0, 0


def program_banks(records: list[Record]) -> Iterator[tuple[int, int]]:
    """The same as the program itself has it."""
    moment: Moment | None = None
    for record in records:
        before, moment = moment, follow(moment, record)
        if isinstance(record, Kept) and record.then == "bank" and before and before.game.to_play is not None:
            yield before.game.to_play, moment.game.totals[before.game.to_play]


class Soak:
    """What was seen so far; `wrong` says what should not be."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed, self.chance = folder, seed, random.Random(seed)
        self.told: list[tuple[str, Faces]] = []
        self.wrong: list[str] = []
        self.counts: Counter[str] = Counter()
        self.most_mb = self.most_growth_mb = 0

    def live(self, most_rolls: int) -> None:
        """Lets the program play, and kills it after so many rolls, but not while the full disk holds records back."""
        program = [sys.executable, str(ROOT / "scripts/soak_play.py")]
        with tempfile.TemporaryFile("w+") as last_words:
            playing = subprocess.Popen(
                [*program, str(self.folder), str(self.seed), str(self.chance.randrange(2**31))],
                stdout=subprocess.PIPE, stderr=last_words, text=True,
            )  # fmt: skip
            assert playing.stdout is not None
            used = self._listen(playing.stdout, most_rolls, playing.kill)
            if playing.poll() is not None:
                last_words.seek(0)
                self.wrong.append(f"it ended by itself or was stuck: {last_words.read()[-300:]}")
            playing.kill()
            self._drain(playing.stdout)
            playing.wait()
        self.counts["kills"] += 1
        self._look_at(used)
        self._compare()

    def _listen(self, lines: IO[str], most_rolls: int, give_up: Callable[[], None]) -> list[tuple[int, int]]:
        """Hears lines until it is time to kill; the megabytes and files in use after each game."""
        rolls, unsaved, used = 0, False, []
        truth: Faces | None = None
        stuck = threading.Timer(STUCK_S, give_up)
        for line in lines:
            stuck.cancel()
            stuck = threading.Timer(STUCK_S, give_up)
            stuck.start()
            word, *rest = line.split()
            if word == "truth":
                truth = tuple(map(int, rest))
            elif word == "unsaved":
                unsaved = rest != ["0"]
                self.counts["records that waited for a full disk"] += unsaved
            elif word == "used":
                used.append((int(rest[0]), int(rest[2])))
            else:
                rolls += self._hear(json.loads(line), truth)
            if rolls >= most_rolls and not unsaved:
                break
        stuck.cancel()
        return used

    def _drain(self, lines: IO[str]) -> None:
        """What was told before the kill took effect, up to where the disk was full again."""
        for line in lines:
            if line.startswith("unsaved"):
                return
            if line.startswith("{") and line.endswith("}\n"):
                self._hear(json.loads(line), None)

    def _hear(self, row: dict[str, Any], truth: Faces | None) -> bool:
        """Notes a row; true for a roll."""
        self.counts[str(row["event"])] += 1
        if row["event"] not in ("roll", "keep"):
            return False
        values = tuple(row["values"])
        self.told.append((str(row["event"]), values))
        if row["event"] == "roll" and truth is not None and values != truth:
            self.wrong.append(f"{truth} was read as {values}")
        return bool(row["event"] == "roll")

    def _look_at(self, used: list[tuple[int, int]]) -> None:
        """Memory and files after the first game against those after the last."""
        self.most_mb = max([self.most_mb, *(mb for mb, _ in used)])
        if len(used) < 2:
            return
        self.most_growth_mb = max(self.most_growth_mb, used[-1][0] - used[0][0])
        if used[-1][0] - used[0][0] > GROWTH_MOST_MB:
            self.wrong.append(f"memory grew from {used[0][0]} to {used[-1][0]} MB in {len(used)} games")
        if len({files for _, files in used}) > 1:
            self.wrong.append(f"the number of open files changed: {[files for _, files in used]}")

    def _compare(self) -> None:
        """The log on disk against what was told: nothing told is missing; a last thing may not have been told yet."""
        base = sqlite3.connect(f"file:{self.folder / 'games.db'}?mode=ro", uri=True)
        records = [parse_record(row[0]) for row in base.execute("SELECT record FROM records ORDER BY number")]
        base.close()
        kept = [
            ("roll" if isinstance(record, Rolled) else "keep", tuple(sorted(record.faces)))
            for record in records
            if isinstance(record, Rolled | Kept)
        ]
        if kept[: len(self.told)] != self.told or len(kept) > len(self.told) + 1:
            self.wrong.append(f"told {len(self.told)} things, {len(kept)} are in the log, and they differ")
        self.told = kept
        ours, theirs = list(oracle_banks(records)), list(program_banks(records))
        self.counts["banks compared"] = len(ours)
        if ours != theirs:
            self.wrong.append(f"banks differ from the oracle's: {ours[-3:]} and {theirs[-3:]}")


def main(rolls: int = 2000, seed: int = 1) -> int:
    """0 when nothing went wrong, else 1."""
    with tempfile.TemporaryDirectory(prefix="mishimash-soak-") as name:
        folder = Path(name)
        demo.calibrated(
            SimulatedTray(seed, view=VIEW),
            lambda pictures, file: cli.make_profile(pictures, file) or cli.make_profile(pictures, folder / "tray.toml"),
        )
        soak = Soak(folder, seed)
        while soak.counts["roll"] < rolls and len(soak.wrong) < 10:
            soak.live(soak.chance.randint(*LIVES_ROLLS))
            print(f"soak: {soak.counts['roll']} of {rolls} rolls, {len(soak.wrong)} wrong", flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_min = (used.ru_utime + used.ru_stime) / 60
    counts = ", ".join(f"{n} × {what}" for what, n in soak.counts.items())
    print(f"seed {seed}, {cpu_min:.1f} min of CPU: {counts}")
    print(f"at most {soak.most_mb} MB, and {soak.most_growth_mb} MB more after a life's last game than after its first")
    print("\n".join(soak.wrong) or "nothing lost, nothing misread, every bank as the oracle has it")
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
