"""Says whether the picture changed, whatever the sensor's noise and the lamp's flicker are."""

import cv2
import numpy as np
from numpy.typing import NDArray

Thumbnail = NDArray[np.float32]
Changes = NDArray[np.bool_]

LUMA_SIZE_PX = (320, 240)
THUMBNAIL_SIZE_PX = (80, 60)

# A change must exceed the block's usual difference this many times; at 4 times the 90th percentile Gaussian noise
# passes once in 10^10 blocks.
NOISE_FACTOR = 4.0
# The usual difference of a block, in luma steps: quantisation below, the worst usable camera above.
QUIETEST, NOISIEST = 0.4, 4.0
# Steps of the running 90th percentile: nine times more down than up keeps nine differences of ten below it. Some
# seconds of steady flicker are learned; a second of dice or hands is not.
STEP_UP, STEP_DOWN = 1.036, 0.996
# One block alone may be a reflection; the smallest die that can be read touches several.
LEAST_BLOCKS = 2

# A camera that hangs repeats its last picture, and that may show dice in the air: from a camera with noise,
# repetitions count as rest only once they lasted this long.
REPEATED_S = 1.0


def luma(image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture's brightness, 240×320 uint8, whatever the size of the picture."""
    small_bgr = cv2.resize(image_bgr, LUMA_SIZE_PX, interpolation=cv2.INTER_LINEAR)
    return cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)


def thumbnail(luma_picture: NDArray[np.uint8]) -> Thumbnail:
    """Mean brightness of each block of the picture, 60×80 float32, 0..255."""
    blocks = cv2.resize(luma_picture.astype(np.float32), THUMBNAIL_SIZE_PX, interpolation=cv2.INTER_AREA)
    return blocks.astype(np.float32, copy=False)


class MotionCheck:
    """Compares thumbnails; learns each block's usual difference from the pairs given to `learn`, in constant memory."""

    def __init__(self) -> None:
        self._usual: Thumbnail | None = None

    def learn(self, now: Thumbnail, before: Thumbnail) -> None:
        """Takes the difference of two successive pictures as a sample of what is usual, moving or not."""
        residual = _residual(now, before)
        if self._usual is None:
            # The median is blind to what moves in less than half of the picture; 2.44 leads to the 90th percentile.
            usual = np.full_like(residual, 2.44 * np.median(residual))
        else:
            usual = self._usual * np.where(residual > self._usual, np.float32(STEP_UP), np.float32(STEP_DOWN))
        self._usual = np.clip(usual, QUIETEST, NOISIEST)

    def changes(self, now: Thumbnail, before: Thumbnail) -> Changes:
        """Which blocks differ by more than noise or brightness explain, 60×80 bool; all false when too few do."""
        residual = _residual(now, before)
        # When the camera turns up its gain all blocks become noisy at once: the lower quartile tells.
        quarter = residual.size // 4
        everywhere = min(NOISIEST, 5.2 * float(np.partition(residual, quarter, axis=None)[quarter]))
        usual = everywhere if self._usual is None else np.maximum(cv2.blur(self._usual, (5, 5)), everywhere)
        changed = residual > NOISE_FACTOR * usual
        return changed if np.count_nonzero(changed) >= LEAST_BLOCKS else np.zeros_like(changed)


class Stillness:
    """Tells how long nothing has moved, from thumbnails as they come."""

    def __init__(self) -> None:
        self.motion = MotionCheck()
        self._last: Thumbnail | None = None
        self._first: Thumbnail | None = None
        self._first_s = self._last_s = self._fresh_s = float("-inf")
        self._noisy = False

    def update(self, now: Thumbnail, captured_s: float) -> float | None:
        """Seconds since the last motion, 0.0 when something moves now, None when this picture tells nothing.

        Nothing tell the very first picture, one no later than its predecessor, and a repetition from a camera whose
        pictures always differ a little. Slow motion is seen too: against the first picture since the last motion.
        """
        if captured_s <= self._last_s:
            return None
        self._last_s = captured_s
        before, first = self._last, self._first
        if before is None or first is None:
            self._begin(now, captured_s)
            return None
        repeated = np.array_equal(now, before)
        if repeated and self._noisy and captured_s - self._fresh_s < REPEATED_S:
            return None
        moved = self.differs(now, before) or self.differs(now, first)
        self.motion.learn(now, before)
        if moved:
            self._begin(now, captured_s)
            return 0.0
        if not repeated:
            self._noisy, self._fresh_s = True, captured_s
        self._last = now
        return captured_s - self._first_s

    def differs(self, now: Thumbnail, then: Thumbnail) -> bool:
        """Whether anything changed from one picture to the other, as far as noise lets one tell."""
        return bool(self.motion.changes(now, then).any())

    def _begin(self, now: Thumbnail, captured_s: float) -> None:
        self._last = self._first = now
        self._first_s = self._fresh_s = captured_s


def reaches_in(changed: Changes, place_xy: tuple[float, float]) -> bool:
    """Whether the change at a place (fractions 0..1 of width and height) is one piece with a change at the border."""
    height, width = changed.shape
    _, pieces = cv2.connectedComponents(cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8)))
    column, row = (min(int(at * size), size - 1) for at, size in zip(place_xy, (width, height), strict=True))
    piece = pieces[row, column]
    border = np.concatenate((pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]))
    return bool(piece and np.any(border == piece))


def _residual(now: Thumbnail, before: Thumbnail) -> Thumbnail:
    """What is left of the difference once each row's gain is taken out: lamps flicker in bands along the rows."""
    gain = np.median((now + 4.0) / (before + 4.0), axis=1, keepdims=True)
    return np.abs(now - gain * before, dtype=np.float32)
