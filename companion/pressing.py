"""Real buttons at the table: what was pressed, and lights in those that do something now."""

from collections.abc import Sequence

from companion.screens import screen_of
from companion.table import Table
from hardware.ports import Button, Buttons, Pressed


class ButtonPlayer:
    """Whoever stands at the two buttons; the screen names what each does, and its light says so too."""

    def __init__(self, buttons: Buttons) -> None:
        self._buttons = buttons
        self._lit_for: Table | None = None

    def __call__(self, at: Table, now_s: float) -> Sequence[Pressed]:
        """What was pressed since the last call."""
        if at is not self._lit_for:
            self._lit_for = at
            screen = screen_of(at)
            live = {Button.BANK: screen.left, Button.ROLL: screen.right}
            self._buttons.light(frozenset(button for button, does in live.items() if does))
        return self._buttons.presses(now_s, at.asks)
