"""A script at the buttons: its next word is pressed when a player would press."""

from collections.abc import Callable, Sequence

from companion.table import Table
from companion.table_state import Decision, Unsure
from hardware.buttons import ScriptButtons
from hardware.ports import Key, Pressed


class ScriptPlayer:
    """Presses a script's words, each as soon as the table asks for a press or for a throw of the simulated dice.

    About an unsure reading it leaves the word to the next picture or throw, as nobody is there to look at the dice.

    At a recorded tray it is `patient`: it decides about a roll only once dice were set aside or gathered, as the person
    in the recording did, unless the script's own `wait` says when.
    """

    def __init__(self, script: ScriptButtons, waits_for_throw: Callable[[Table, float], bool], patient: bool) -> None:
        self._script = script
        self._waits_for_throw = waits_for_throw
        self._patient = patient

    def __call__(self, at: Table, now_s: float) -> Sequence[Pressed]:
        """What it presses now, at most one thing."""
        if isinstance(at.scene, Unsure):
            return [Key("throw", at_s=now_s)] if self._waits_for_throw(at, now_s) else []
        asked = at.asks or self._waits_for_throw(at, now_s)
        if self._patient and not self._script.timed and isinstance(at.scene, Decision):
            asked = bool(at.scene.lifted) or at.scene.emptied
        return self._script.presses(now_s, asked)
