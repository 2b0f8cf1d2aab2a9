"""Says whether the picture changed, whatever the sensor's noise and the lamp's flicker are."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.profile import TrayProfile
from vision.rectify import project

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
# Lamps flicker in bands along the rows, by no more than this; what changes a block more is a thing.
FLICKER = 0.2
# One block alone may be a reflection; the smallest die that can be read touches several.
LEAST_BLOCKS = 2

# A camera that hangs repeats its last picture, and that may show dice in the air: from a camera with noise,
# repetitions count as rest only once they lasted this long.
REPEATED_S = 1.0
# A die's edge while the owner's own is not known.
COMMON_EDGE_MM = 16.0


def luma(image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture's brightness, 240×320 uint8, whatever the size of the picture."""
    small_bgr = cv2.resize(image_bgr, LUMA_SIZE_PX, interpolation=cv2.INTER_LINEAR)
    return cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)


def thumbnail(luma_picture: NDArray[np.uint8]) -> Thumbnail:
    """Mean brightness of each block of the picture, 60×80 float32, 0..255."""
    blocks = cv2.resize(luma_picture.astype(np.float32), THUMBNAIL_SIZE_PX, interpolation=cv2.INTER_AREA)
    return blocks.astype(np.float32, copy=False)


def difference(now: Thumbnail, before: Thumbnail) -> Thumbnail:
    """By how much blocks differ, without the gain of the whole picture and, row by row, the flicker of lamps."""
    ratio = (now + 4.0) / (before + 4.0)
    gain = quantile(ratio, 0.5)
    bands = np.where(np.abs(ratio - gain) < FLICKER * gain, ratio, gain)
    middle = bands.shape[1] // 2
    row_gains = np.partition(bands, middle, axis=1)[:, middle : middle + 1]
    return np.abs(now - row_gains * before, dtype=np.float32)


def quantile(values: NDArray[np.float32], part: float) -> np.float32:
    """As numpy's, without its checks and its interpolation: ten times as fast."""
    nth = int(part * values.size)
    return np.float32(np.partition(values, nth, axis=None)[nth])


def tray_blocks(profile: TrayProfile) -> Changes | None:
    """The blocks in which dice of this tray can appear, 60×80 bool; None when the profile does not know its walls."""
    if profile.lens is None or profile.pose is None or profile.outline_mm is None:
        return None
    edge_mm = profile.dice.edge_mm if profile.dice else COMMON_EDGE_MM
    corners_mm = [(*corner, height) for corner in profile.outline_mm for height in (0.0, 2 * edge_mm)]
    width, height = THUMBNAIL_SIZE_PX
    corners_px = project(profile.lens, profile.pose, np.array(corners_mm)) / (profile.width_px, profile.height_px)
    hull = cv2.convexHull(np.rint(corners_px * (width, height)).astype(np.int32))
    blocks = cv2.fillConvexPoly(np.zeros((height, width), np.uint8), hull, 1)
    return np.asarray(blocks, np.bool_)


class MotionCheck:
    """Tells changes from noise: it learns each block's usual difference, in constant memory."""

    def __init__(self) -> None:
        self._usual: Thumbnail | None = None

    def learn(self, difference: Thumbnail) -> None:
        """Takes the difference of two successive pictures as a sample of what is usual, whether things moved or not."""
        if self._usual is None:
            usual = np.full_like(difference, quantile(difference, 0.9))
        else:
            usual = self._usual * np.where(difference > self._usual, np.float32(STEP_UP), np.float32(STEP_DOWN))
        self._usual = np.clip(usual, QUIETEST, NOISIEST)

    def changes(self, difference: Thumbnail) -> Changes:
        """Which blocks differ by more than noise explains, 60×80 bool; all false when too few do."""
        # When the camera turns up its gain all blocks become noisy at once: the lower quartile tells.
        everywhere = min(np.float32(NOISIEST), np.float32(5.2) * quantile(difference, 0.25))
        usual = everywhere if self._usual is None else np.maximum(cv2.blur(self._usual, (5, 5)), everywhere)
        changed = difference > NOISE_FACTOR * usual
        return changed if np.count_nonzero(changed) >= LEAST_BLOCKS else np.zeros_like(changed)


class Stillness:
    """Tells how long nothing has moved in the `watched` blocks, None for all, from thumbnails as they come."""

    def __init__(self, watched: Changes | None = None) -> None:
        self._motion = MotionCheck()
        self._watched: Changes | np.bool_ = np.True_ if watched is None else watched
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
        step = difference(now, before)
        self._motion.learn(step)
        if np.any(self._motion.changes(step) & self._watched) or self.differs(now, first):
            self._begin(now, captured_s)
            return 0.0
        if not repeated:
            self._noisy, self._fresh_s = True, captured_s
        if before is first:
            # What the first picture of a rest still had of the motion must not count against the later ones.
            self._first = now
        self._last = now
        return captured_s - self._first_s

    def changes(self, now: Thumbnail, then: Thumbnail) -> Changes:
        """What changed in the whole picture from one to the other, as far as noise lets one tell, 60×80 bool."""
        return self._motion.changes(difference(now, then))

    def differs(self, now: Thumbnail, then: Thumbnail) -> bool:
        """Whether anything changed that is watched."""
        return bool(np.any(self.changes(now, then) & self._watched))

    def _begin(self, now: Thumbnail, captured_s: float) -> None:
        self._last = self._first = now
        self._first_s = self._fresh_s = captured_s


def reaches_in(changed: Changes, centre_xy: tuple[float, float], radius: float) -> bool:
    """Whether a change around a place is one piece with a change at the picture's border, as a hand's is.

    Centre and radius in fractions of the picture's width and height, and of its width. Changes less than three blocks
    wide, such as a shadow's seam, connect nothing.
    """
    height, width = changed.shape
    broad = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, pieces = cv2.connectedComponents(broad)
    column, row, reach = (int(at * size) for at, size in zip((*centre_xy, radius), (width, height, width), strict=True))
    here = pieces[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
    border = np.concatenate((pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]))
    return bool(np.isin(here[here > 0], border).any())
