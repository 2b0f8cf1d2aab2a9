"""What the reader says about one picture."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "unsure", "empty"]


@dataclass(frozen=True, slots=True)
class Die:
    """One die as seen: its top face and where that lies in the picture.

    `face` 1..6; `confidence` 0..1, from the margin between the best and the second best explanation; `x_px`, `y_px`
    the centre of the top face and `size_px` its edge, in pixels of the picture; `angle_deg` 0..90, clockwise in the
    picture; `corners_px` the four corners of the top face in order; `cocked` true when the die does not lie flat;
    `colour` a plain English name of the body's colour, or "" where colours are not told apart.
    """

    face: int
    confidence: float
    x_px: float
    y_px: float
    size_px: float
    angle_deg: float
    corners_px: tuple[tuple[float, float], ...] = ()
    cocked: bool = False
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one picture and whether the reader stands behind them.

    `status` "ok": every value is vouched for; "unsure": `reasons` says in plain words why not, `dice` is the best
    guess; "empty": no dice, vouched for as well.
    """

    dice: tuple[Die, ...]
    status: Status
    reasons: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[int, ...]:
        """The faces, sorted."""
        return tuple(sorted(die.face for die in self.dice))
