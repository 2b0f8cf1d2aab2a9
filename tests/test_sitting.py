"""Sittings in virtual time at the simulated tray, also with devices that fail: what is shown and what is kept."""

from pathlib import Path

import pytest

from companion import app, cli, table
from companion.contact_sheet import tables
from companion.demo import calibrated
from companion.hand import RETHROW_S, TrayHand
from companion.inputs import RecordedInputs
from companion.log import Log
from companion.rules import Faces
from companion.screens import screen_of
from companion.scripted import ScriptPlayer
from companion.table import Settings
from companion.watch import MotionWatcher
from hardware.buttons import ScriptButtons
from hardware.displays import MemoryDisplay
from hardware.ports import Button, Key, Press
from hardware.scenery import View
from hardware.simulated import SimulatedTray
from vision.profile import TrayProfile
from vision.read import Reader
from vision.settle import Settler

SMALL = View(410, 308, 420.0)
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
    at, _ = table.step(table.new_table(Settings(("Ana", "Bo"))), table.DiceUnsure(faces, ("glare",)))
    assert hand(Press(Button.ROLL, at_s=9.0), at) is by_roll
    if not by_roll:
        [press] = script(at, 9.0)
        assert press == Key("throw", at_s=9.0)
        assert hand(press, at)
    assert script(at, 9.1) == []
    assert len(script(at, 9.2 + RETHROW_S)) == 1
