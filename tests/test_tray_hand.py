"""The hand at the simulated tray: which dice its keys move."""

import pytest

from companion import table
from companion.hand import TrayHand
from companion.rules import Faces
from companion.screens import screen_of
from companion.table import Settings
from hardware.ports import Key
from hardware.scenery import View
from hardware.simulated import SimulatedTray

SEEDS = range(6)


def thrown(seed: int) -> tuple[SimulatedTray, Faces]:
    """A tray with six dice, and their faces in the order in which it counts them."""
    tray = SimulatedTray(seed, view=View(205, 154, 210.0))
    tray.throw()
    while not tray.at_rest():
        tray.frame()
    return tray, tuple(sorted(die.face for die in tray.truth()))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_digit_lifts_the_die_that_the_screen_shows_at_that_place(seed: int) -> None:
    tray, faces = thrown(seed)
    hand = TrayHand(tray)
    at, _ = table.step(table.new_table(Settings(("Ana", "Bo"))), table.DiceRest(faces))
    shown = [die.face for die in screen_of(at).dice]
    for place, face in enumerate(shown, 1):
        before = set(tray.lifted())
        assert hand(Key("die", (place,)), at)
        [lifted] = set(tray.lifted()) - before
        assert faces[lifted] == face
    assert tray.lifted() == tuple(range(6))
    hand(Key("die", (1,)), at)
    assert len(tray.lifted()) == 5


def test_a_digit_names_a_die_of_the_tray_where_the_screen_shows_none() -> None:
    tray, _ = thrown(0)
    assert TrayHand(tray)(Key("die", (2,)), table.new_table(Settings(("Ana",))))
    assert tray.lifted() == (1,)
