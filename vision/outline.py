"""The outline of a die's top face: is there a square edge around the pips, and how large is it?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vision.pips import Floats, sample

SIDES_XY: Floats = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float32)
_SLANTS: Floats = np.linspace(-0.6, 0.6, 5).astype(np.float32)  # rays stay clear of the corners, which may be round
_RATIO = 1.06  # from one distance to the next


@dataclass(frozen=True, slots=True)
class Outline:
    """Steps across the sides of N squares of growing size around N centres.

    `reach` (T,): the half edges tried, in the units of the map's face coordinates; `steps` (N, 4, T): how much the
    picture changes across each side of each square, log units, taken along the whole side (an edge that is not
    parallel to the side counts less).
    """

    reach: Floats
    steps: Floats

    def best(self, low: float | Floats, high: float | Floats, slack: int = 1) -> tuple[Floats, Floats]:
        """The square with half edge between `low` and `high` whose sides are clearest.

        Returns its half edge (N,) and the step across each side (N, 4); a side may lie up to `slack` sizes off.
        """
        loosened = self.steps
        for shift in range(1, slack + 1):
            loosened = np.maximum(loosened, np.roll(self.steps, shift, axis=2))
            loosened = np.maximum(loosened, np.roll(self.steps, -shift, axis=2))
        inside = (self.reach >= np.reshape(low, (-1, 1))) & (self.reach <= np.reshape(high, (-1, 1)))
        # The product favours squares with four sides over those with one strong side.
        worth = np.log(loosened + 0.02).sum(axis=1) + 0.25 * np.log(self.steps + 0.02).sum(axis=1)
        at = np.argmax(np.where(inside, worth, -np.inf), axis=1)
        return self.reach[at], loosened[np.arange(len(at)), :, at]


def outlines(log_image: Floats, A_image_face: ArrayLike, low: float, high: float) -> Outline:
    """Steps across the sides of squares with half edges from `low` to `high` (face coordinates) around N faces.

    `log_image` H×W×C float32, `A_image_face` (N, 2, 3).
    """
    count = int(np.ceil(np.log(high / low) / np.log(_RATIO))) + 1
    reach = (low * _RATIO ** np.arange(-2, count + 2)).astype(np.float32)
    along = np.stack([SIDES_XY[:, 1], -SIDES_XY[:, 0]], axis=1)
    rays = SIDES_XY[:, None] + _SLANTS[:, None] * along[:, None]  # 4×7×2
    points = rays[:, None] * reach[:, None, None]  # 4×(T+4)×7×2
    A = np.asarray(A_image_face, np.float32)
    flat = points.reshape(-1, 2) @ np.swapaxes(A[:, :, :2], 1, 2) + A[:, None, :, 2]
    values = sample(log_image, flat.reshape(len(A), *points.shape))
    wide = values[:, :, 4:] + values[:, :, 3:-1] - values[:, :, 1:-3] - values[:, :, :-4]
    # Without the extreme rays: an edge that only a part of the side runs along is not the side's.
    even = (wide.sum(axis=3) - wide.max(axis=3) - wide.min(axis=3)) / (2 * (len(_SLANTS) - 2))
    steps = np.abs(even).max(axis=-1)
    return Outline(reach[2:-2], np.asarray(steps, np.float32))
