"""The plain values that devices give and take, and the shape every device of a kind has.

Real parts, files and simulations are implementations of the same protocols, so the program cannot tell them apart.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BGR = NDArray[np.uint8]


class DeviceError(Exception):
    """A device failed; the text is one sentence that says what and what to do."""


class EndOfFrames(Exception):  # noqa: N818 - an end is no error
    """The camera has shown everything it had (a video or a folder came to its end)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: `image_bgr` H×W×3 uint8, `captured_s` on a monotonic clock (a recording's own for recordings)."""

    image_bgr: BGR
    captured_s: float
    name: str = ""


class Camera(Protocol):
    """Gives frames. `live` is false for recordings, which are read as fast as the program can."""

    live: bool

    def frame(self) -> Frame:
        """The next picture; raises DeviceError when the camera fails, EndOfFrames when a recording is over."""

    def close(self) -> None:
        """Gives the device back."""


class Display(Protocol):
    """Shows 1-bit pictures of its own `size_px` (width, height)."""

    size_px: tuple[int, int]

    @property
    def trouble(self) -> str:
        """Why nothing is shown, one sentence; "" while all is well."""

    def show(self, picture: Image.Image, brightness: int = 255) -> None:
        """Shows a mode "1" picture of exactly `size_px`, as bright as 1 to 255 if that can be set; returns at once."""

    def close(self) -> None:
        """Leaves the display blank and gives it back."""


class Button(Enum):
    """The two buttons; BOTH is the two held together."""

    BANK = "bank"
    ROLL = "roll"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Press:
    """One accepted press; `held` when it was a long one; `at_s` on the monotonic clock of the frames."""

    button: Button
    held: bool = False
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the keyboard that is none of the two buttons: "quit", "lift 1 3", "put back 2", "throw"…

    `name` is the word, `numbers` what follows it. Only a keyboard or a script gives keys, never real buttons.
    """

    name: str
    numbers: tuple[int, ...] = ()
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Stuck:
    """A button has been down for so long that nobody can mean it; or, `freed`, has come up after that."""

    button: Button
    freed: bool = False


Pressed = Press | Key | Stuck


class Buttons(Protocol):
    """The two buttons, or what stands in for them."""

    def presses(self, now_s: float, asked: bool) -> list[Pressed]:
        """What was pressed since the last call, oldest first; never waits.

        `asked`: the table waits for a press now. A script gives its next word only then; real buttons do not care.
        """

    def light(self, buttons: frozenset[Button]) -> None:
        """Lights the buttons that do something now, where there are lights."""

    def close(self) -> None:
        """Gives the device back."""
