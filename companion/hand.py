"""The hand at the simulated tray: it throws when somebody presses ROLL, lifts dice, and can play a game by itself."""

from collections.abc import Sequence
from dataclasses import replace

from companion.screens import screen_of
from companion.table import Table
from companion.table_state import WAITING, Decision, Scene, Unsure, WrongCount, projected_halves
from companion.timeline import Moment
from hardware.ports import Button, Key, Press, Pressed, Stuck
from hardware.simulated import SimulatedTray

RETHROW_S = 6.0
BANK_FROM_HALVES = 12
LIFTS_EVERY = 2


class TrayHand:
    """Moves the virtual dice as the keys ask; ROLL throws when the table waits for a roll, as a player would then.

    Where the dice may be taken as shown, ROLL means that: only the key throws them again. The key of a digit lifts or
    puts back the die that the screen shows at that place.
    """

    def __init__(self, tray: SimulatedTray) -> None:
        self._tray = tray
        self._thrown: tuple[Moment, Scene, float] | None = None

    def __call__(self, press: Pressed, at: Table) -> bool:
        """Does what the press asks; true when it was for the dice, and so none for the table."""
        if isinstance(press, Press):
            if not isinstance(at.scene, WAITING) or press.held or press.button is not Button.ROLL or at.acceptable:
                return False
            press = Key("throw", at_s=press.at_s)
        if isinstance(press, Stuck):
            return False
        if press.name == "throw":
            self._thrown = at.moment, at.scene, press.at_s
        if press.name == "die":
            press = replace(press, numbers=tuple(_place_in_roll(place, at) for place in press.numbers))
        return self._tray.obey(press, at.expects or at.game.turn.dice)

    def waits(self, at: Table, now_s: float) -> bool:
        """Whether the dice of the roll that the table waits for are still to be thrown, or were thrown in vain."""
        if at.expects is None:
            return False
        if self._thrown is None:
            return True
        moment, scene, thrown_s = self._thrown
        in_vain = isinstance(at.scene, WrongCount | Unsure) and at.scene is not scene
        return moment is not at.moment or in_vain or now_s - thrown_s > RETHROW_S

    @property
    def lifted(self) -> tuple[int, ...]:
        """The dice that are out of the tray, counted from 0 in the order of the roll."""
        return self._tray.lifted()


class DemoPlayer:
    """Plays by itself: throws, lifts what scores out of the tray every other time, banks once a turn is worth it."""

    def __init__(self, hand: TrayHand) -> None:
        self._hand = hand
        self._decisions = 0

    def __call__(self, at: Table, now_s: float) -> Sequence[Pressed]:
        """What it presses now, at most one thing."""
        roll = [Press(Button.ROLL, at_s=now_s)]
        if at.game.to_play is None:
            return [Key("quit")]
        if isinstance(at.scene, Decision):
            return self._decided(at, at.scene, now_s)
        if self._hand.waits(at, now_s):
            return [Key("throw", at_s=now_s)]
        return roll if at.asks and not isinstance(at.scene, Unsure) else []

    def _decided(self, at: Table, decision: Decision, now_s: float) -> Sequence[Pressed]:
        if self._decisions % LIFTS_EVERY == 0 and not (decision.lifted or decision.emptied):
            return [] if self._hand.lifted else [Key("lift", _places(at.game.turn.roll, decision.chosen))]
        self._decisions += 1
        enough = projected_halves(at.game, decision.chosen) >= BANK_FROM_HALVES
        return [Press(Button.BANK if enough else Button.ROLL, at_s=now_s)]


def _place_in_roll(place: int, at: Table) -> int:
    """Where in the roll the die lies that the screen shows at a place, both counted from 1.

    The screen shows the dice group by group, the tray counts them in the order of their faces.
    """
    shown = [die.face for die in screen_of(at).dice]
    if place > len(shown):
        return place
    return sorted(range(len(shown)), key=lambda i: shown[i]).index(place - 1) + 1


def _places(roll: Sequence[int], chosen: Sequence[int]) -> tuple[int, ...]:
    """Where in the roll the chosen faces lie, counted from 1, each die once."""
    left, places = list(chosen), []
    for place, face in enumerate(roll, 1):
        if face in left:
            left.remove(face)
            places.append(place)
    return tuple(places)
