"""Where the loop's inputs come from: camera and buttons, either live with a thread for the camera, or recorded."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from companion import table
from companion.table import Table
from companion.watch import Watcher
from hardware.ports import EndOfFrames, Key, Press, Pressed, Stuck

POLL_S = 0.01
TICK_S = 0.25
END_WITHIN_S = 0.5
WATCHING = "camera"  # the name of the thread

Player = Callable[[Table, float], Sequence[Pressed]]
"""Whoever presses: what was pressed since the last call, given the table and the time."""

Hand = Callable[[Pressed, Table], bool]
"""Whoever moves virtual dice: true when a press or key was for the dice and not for the table."""


class Over(Exception):  # noqa: N818 - an end is no error
    """Nothing more will come: a recording or a script ended, or somebody quit."""


class Inputs(Protocol):
    """Gives the loop what happened, in the order in which it happened."""

    @property
    def now_s(self) -> float:
        """The time, on the clock of the frames."""

    def next(self, at: Table) -> tuple[table.Input, ...]:
        """What happened since the last call, at a table as it stands; waits a moment at most. Raises Over."""


class LiveInputs:
    """Inputs in real time. A thread of its own watches the camera, so that no press ever waits for a reading."""

    def __init__(self, watcher: Watcher, player: Player, hand: Hand) -> None:
        self._watcher = watcher
        self._player = player
        self._hand = hand
        self._seen: queue.SimpleQueue[tuple[table.Input, ...] | Exception] = queue.SimpleQueue()
        self._at: Table | None = None
        self._pressed: deque[Pressed] = deque()
        self._shown: object = None
        self._shown_since_s = 0.0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=WATCHING, daemon=True)

    @property
    def now_s(self) -> float:
        """The machine's monotonic clock."""
        return time.monotonic()

    def next(self, at: Table) -> tuple[table.Input, ...]:
        """The next press, or what was seen; a Tick when a quarter of a second brought nothing."""
        self._at = at
        if (at.scene, at.moment) != self._shown:
            self._shown, self._shown_since_s = (at.scene, at.moment), self.now_s
        if not self._thread.is_alive() and not self._closing.is_set():
            self._thread.start()
        until_s = self.now_s + TICK_S
        while self.now_s < until_s:
            self._pressed.extend(self._player(at, self.now_s))
            while self._pressed:
                if self._meant(one := self._pressed.popleft()) and (pressed := _pressed([one], self._hand, at)):
                    return pressed
            try:
                seen = self._seen.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if isinstance(seen, EndOfFrames):
                raise Over
            if isinstance(seen, Exception):
                raise seen
            if seen:
                return seen
        return (table.Tick(self.now_s),)

    def _meant(self, one: Pressed) -> bool:
        """False for a press that began before what is shown now was shown: it was about something else."""
        return not (isinstance(one, Press) and one.at_s < self._shown_since_s)

    def close(self) -> None:
        """Ends the thread, so that the camera can be closed; one that waits for the camera is left, `still_looking`."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=END_WITHIN_S)

    def _watch(self) -> None:
        try:
            while self._at and not self._closing.is_set():
                self._seen.put(self._watcher.look(self._at))
        except Exception as error:
            # The loop must hear of it: a thread that dies in silence would leave a table that never answers.
            self._seen.put(error)


def still_looking() -> bool:
    """Whether a camera that hangs, or takes its time to open, still holds the thread of inputs that were closed."""
    return any(thread.name == WATCHING for thread in threading.enumerate())


class RecordedInputs:
    """Inputs in the recording's own time, as fast as the program can: whatever is pressed, then the next frame.

    When the pictures are over the time goes on without them, so that what is left of a script is pressed.
    """

    def __init__(self, watcher: Watcher, player: Player, hand: Hand) -> None:
        self._watcher = watcher
        self._player = player
        self._hand = hand
        self._after_s = 0.0
        self._frames_over = False

    @property
    def now_s(self) -> float:
        """The time of the latest frame, and on from there when they are over."""
        return self._watcher.now_s + self._after_s

    def next(self, at: Table) -> tuple[table.Input, ...]:
        """What was pressed, else what the next frame shows, and the time."""
        if pressed := _pressed(self._player(at, self.now_s), self._hand, at):
            return pressed
        if not self._frames_over:
            try:
                return (*self._watcher.look(at), table.Tick(self.now_s))
            except EndOfFrames:
                self._frames_over = True
                return (table.TrayEmptied(),)
        if not at.asks:
            raise Over
        self._after_s += TICK_S
        return (table.Tick(self.now_s),)


def _pressed(presses: Sequence[Pressed], hand: Hand, at: Table) -> tuple[table.Input, ...]:
    told = list[table.Input]()
    for one in presses:
        if hand(one, at):
            continue
        if isinstance(one, Press):
            told.append(table.Pressed(one.button.value, one.held))
        elif isinstance(one, Stuck):
            told.append(table.Freed(one.button.value) if one.freed else table.Stuck(one.button.value))
        elif isinstance(one, Key) and one.name == "quit":
            raise Over
    return tuple(told)
