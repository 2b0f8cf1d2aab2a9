"""Sittings in virtual time at the simulated tray, also with devices that fail: what is shown and what is kept."""

from pathlib import Path

import pytest

from companion import app, cli, table
from companion.demo import calibrated
from companion.hand import TrayHand
from companion.inputs import RecordedInputs
from companion.log import Log
from companion.scripted import ScriptPlayer
from companion.table import Settings
from companion.watch import MotionWatcher
from hardware.buttons import ScriptButtons
from hardware.displays import MemoryDisplay
from hardware.simulated import SimulatedTray
from vision.profile import TrayProfile
from vision.read import Reader
from vision.settle import Settler

STYLE = "mixed on black"


@pytest.fixture(scope="module")
def profile() -> TrayProfile:
    return calibrated(SimulatedTray(3, style=STYLE), cli.make_profile)


def test_the_history_counts_the_dice_of_each_colour(
    profile: TrayProfile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tray = SimulatedTray(3, style=STYLE)
    hand = TrayHand(tray)
    script = ScriptPlayer(ScriptButtons.parse("roll\nbank\n" * 3, "script"), hand.waits, patient=False)
    watcher = MotionWatcher(tray, Settler(Reader(profile)), lambda frame, reading: None)
    settings = Settings(("Ana", "Bo"))
    with Log.open(tmp_path) as book:
        book.append(table.started(settings))
        begun = table.new_table(settings)
        app.play(begun, RecordedInputs(watcher, script, hand), book, MemoryDisplay(), lambda row: None)
    assert cli.main(["history", "dice", "--state-dir", str(tmp_path)]) == 0
    counts = [line.split() for line in capsys.readouterr().out.splitlines() if line.endswith(" dice")]
    colours = {"blue:": 3, "green:": 3, "red:": 3, "white:": 6, "yellow:": 3}  # ivory is white too
    assert {words[0]: int(words[-2]) for words in counts} == {"all": 18, **colours}
