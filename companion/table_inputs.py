"""Everything that can happen at the table, as plain values: what the camera saw, what was pressed, what failed."""

from dataclasses import dataclass
from typing import Literal

from companion.rules import Faces

ButtonName = Literal["bank", "roll", "both"]


@dataclass(frozen=True, slots=True)
class Tumbling:
    """Dice are moving in the tray."""


@dataclass(frozen=True, slots=True)
class DiceRest:
    """A new roll lies still and its reading is sure; `confidence` is the weakest die's.

    `colours` are the dice's in the order of `faces`, "" for one that is not sure.
    """

    faces: Faces
    confidence: float = 1.0
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiceUnsure:
    """A new roll lies still but the reading does not stand behind it: the best guess, and why in plain words."""

    faces: Faces
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetAside:
    """Dice of the roll were lifted out or put back: all that are still in the tray, and all that are out."""

    left: Faces
    taken: Faces


@dataclass(frozen=True, slots=True)
class Unchanged:
    """All is still again and the dice lie as before: it was a hand or a shadow."""


@dataclass(frozen=True, slots=True)
class TrayEmptied:
    """All dice have left the tray."""


@dataclass(frozen=True, slots=True)
class Nudged:
    """A die that was at rest shows another face: the dice in the tray before and now."""

    before: Faces
    now: Faces


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed, or both at once; `held` when it was a long press."""

    button: ButtonName
    held: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """A button has been down for so long that nobody can mean it."""

    button: ButtonName


@dataclass(frozen=True, slots=True)
class Freed:
    """A stuck button came up."""

    button: ButtonName


@dataclass(frozen=True, slots=True)
class CameraLost:
    """The camera gives no pictures."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class CameraBack:
    """The camera gives pictures again."""


@dataclass(frozen=True, slots=True)
class DisplayBack:
    """The display was away and shows again."""


@dataclass(frozen=True, slots=True)
class StorageTrouble:
    """The game cannot be written down."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class StorageBack:
    """The game is written down again."""


@dataclass(frozen=True, slots=True)
class LogAnew:
    """The log of all games before could not be used: it was moved aside and a new one begun."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has come to `now_s` on the monotonic clock."""

    now_s: float


Seen = Tumbling | DiceRest | DiceUnsure | SetAside | Unchanged | TrayEmptied | Nudged
Told = Stuck | Freed | CameraLost | CameraBack | DisplayBack | StorageTrouble | StorageBack | LogAnew
Input = Seen | Pressed | Told | Tick
