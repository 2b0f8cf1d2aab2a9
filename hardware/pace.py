"""How often a live camera should look: at full rate while something moves, seldom while all is still."""

import cv2
import numpy as np
from numpy.typing import NDArray

STILL_S = 3.0  # after that long without motion fewer pictures are taken
LOOK_S = 0.2
MOVED_LEVELS = 6.0


class Pace:
    """Decides from small grey pictures how long to rest: not at all while something moves, LOOK_S when all is still."""

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None
        self._moved_s = float("-inf")

    def saw(self, grey: NDArray[np.uint8], now_s: float) -> None:
        """A picture was taken; it is compared in cells of 8×8 pixels, so that noise does not count."""
        size = (grey.shape[1] // 8, grey.shape[0] // 8)
        cells = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)
        if self._before is None or np.abs(cells - self._before).max() > MOVED_LEVELS:
            self._moved_s = now_s
        self._before = cells

    def rest_s(self, now_s: float) -> float:
        """How long to wait before the next picture."""
        return LOOK_S if now_s - self._moved_s > STILL_S else 0.0
