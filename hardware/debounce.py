"""Turns the chatter of two contacts into presses: debounce, holds, and both at once. Pure: times are passed in.

A press is accepted at the latest DECIDE_S after its first edge, which is when a click may sound; what it means is known
when the button is let go (a short press) or HOLD_S later (a long one).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.ports import Button, Press, Stuck

CONFIRM_S = 0.003  # pressed that long without a break: no spike on the wire is
DECIDE_S = 0.010  # a contact that still bounces then counts as pressed if it was so for half of the time
RELEASE_S = 0.020  # released only when open that long: a pressed contact may break for a moment
HOLD_S = 0.6
STUCK_S = 8.0


@dataclass(frozen=True, slots=True)
class Down:
    """A press was accepted; `edge_s` is when the contact first closed."""

    button: Button
    edge_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """A contact has really closed (`down`) or opened, as of its edge at `edge_s`."""

    down: bool
    edge_s: float


class Contact:
    """Debounces one contact."""

    def __init__(self) -> None:
        self.down = False
        self._closed = False
        self._since_s = 0.0  # when the contact last closed or opened
        self._first_s: float | None = None  # the first edge of what may become a press
        self._closed_s = 0.0  # how long it was closed since then, without the present closure

    def edge(self, closed: bool, at_s: float) -> list[Change]:
        """The contact closed or opened at `at_s`; edges come in order of time."""
        changes = self.advance(at_s)
        if closed != self._closed:
            if not closed:
                self._closed_s += at_s - max(self._since_s, self._first_s or self._since_s)
            elif self._first_s is None:
                self._first_s, self._closed_s = at_s, 0.0
            self._closed, self._since_s = closed, at_s
        return changes

    def advance(self, now_s: float) -> list[Change]:
        """What has become certain by `now_s`."""
        changes: list[Change] = []
        while True:
            if self.down:
                if self._closed or now_s < self._since_s + RELEASE_S:
                    return changes
                self.down, self._first_s = False, None
                changes.append(Change(False, self._since_s))
                continue
            if self._first_s is None:
                return changes
            decide_s = self._first_s + DECIDE_S
            if self._closed and self._since_s + CONFIRM_S <= min(decide_s, now_s):
                pressed = True
            elif decide_s <= now_s:
                running_s = decide_s - max(self._since_s, self._first_s) if self._closed else 0.0
                pressed = self._closed_s + running_s >= DECIDE_S / 2
            else:
                return changes
            if pressed:
                self.down = True
                changes.append(Change(True, self._first_s))
            else:
                self._first_s, self._closed_s = (decide_s if self._closed else None), 0.0

    def held_at(self, when_s: float) -> bool:
        """Whether an accepted press still lasted at `when_s`, as far as is known."""
        return self.down and (self._closed or self._since_s > when_s)


Heard = Down | Press | Stuck


class Gestures:
    """Makes presses of two debounced contacts: short, held, and both together.

    Buttons that overlap are one gesture, BOTH; one that was held to its end takes part in nothing more until it is let
    go, so that a stuck button leaves the other one alone. A button that is down for STUCK_S is told as stuck.
    """

    def __init__(self) -> None:
        self._contacts = {Button.BANK: Contact(), Button.ROLL: Contact()}
        self._since_s: dict[Button, float] = {}  # buttons that are down and not yet spent
        self._both = False
        self._down_s: dict[Button, float] = {}  # all buttons that are down
        self._stuck: set[Button] = set()

    def edge(self, button: Button, closed: bool, at_s: float) -> list[Heard]:
        """A contact closed or opened; edges come in order of time."""
        found = self.advance(at_s)
        return found + list(self._changed(button, self._contacts[button].edge(closed, at_s)))

    def advance(self, now_s: float) -> list[Heard]:
        """What has become certain by `now_s`: call it often, every 10 ms while somebody plays."""
        changes = [(c.edge_s, b, c) for b, contact in self._contacts.items() for c in contact.advance(now_s)]
        found: list[Heard] = []
        for edge_s, button, change in sorted(changes, key=lambda change: change[0]):
            found += self._held(edge_s)
            found += self._changed(button, [change])
        return found + list(self._held(now_s)) + list(self._newly_stuck(now_s))

    def _changed(self, button: Button, changes: list[Change]) -> Iterator[Heard]:
        for change in changes:
            if change.down:
                self._down_s[button] = change.edge_s
                self._since_s[button] = change.edge_s
                self._both = len(self._since_s) == 2
                yield Down(button, change.edge_s)
                continue
            del self._down_s[button]
            if button in self._stuck:
                self._stuck.remove(button)
                yield Stuck(button, freed=True)
            if button in self._since_s:
                down_s = self._since_s.pop(button)
                if self._both:
                    self._since_s.clear()
                    self._both = False
                    yield Press(Button.BOTH, False, down_s)
                else:
                    yield Press(button, False, down_s)

    def _held(self, now_s: float) -> Iterator[Press]:
        """The long press, once it is one; then its buttons are spent."""
        if not self._since_s:
            return
        due_s = max(self._since_s.values()) + HOLD_S
        if now_s >= due_s and all(self._contacts[button].held_at(due_s) for button in self._since_s):
            button = Button.BOTH if self._both else next(iter(self._since_s))
            down_s = min(self._since_s.values())
            self._since_s.clear()
            self._both = False
            yield Press(button, True, down_s)

    def _newly_stuck(self, now_s: float) -> Iterator[Stuck]:
        for button, down_s in self._down_s.items():
            due_s = down_s + STUCK_S
            if now_s >= due_s and button not in self._stuck and self._contacts[button].held_at(due_s):
                self._stuck.add(button)
                yield Stuck(button)
