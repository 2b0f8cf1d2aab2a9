"""What the picture of the empty tray says about the light, and whether the tray is empty at all."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.ports import BGR
from vision.profile import Floats, Light

WHITE, BLACK = 250, 5
GLARE_WIDTHS = 0.004
FLICKER = 0.015
THING_STEP = 0.25
ROLLS_TO_JUDGE = 3
ROLLS_THAT_AGREE = 0.75

Mask = NDArray[np.uint8]
Grey = NDArray[np.uint8]


def measure_light(pictures: Sequence[BGR], floor: Mask) -> Light:
    """The light on the floor (mask H×W, 255 on it), from one or more pictures of the same empty tray.

    From two pictures on, noise is how much a pixel changes between them; from one, its finest structure, which counts
    the grain of a cloth too (Immerkær, Computer Vision and Image Understanding 64, 1996).
    """
    grey = np.asarray(cv2.cvtColor(pictures[0], cv2.COLOR_BGR2GRAY), np.uint8)
    on_floor = grey[floor > 0]
    return Light(
        median=float(np.median(on_floor)),
        noise=_noise_between(pictures, floor) if len(pictures) > 1 else _finest_structure(grey, floor),
        clipped=float((on_floor >= WHITE).mean()),
        dark=float((on_floor <= BLACK).mean()),
        glare_xyr_px=_glare(grey, floor),
    )


def flickers(pictures: Sequence[BGR]) -> bool:
    """Whether the brightness of pictures of a still scene, taken one after another, goes up and down."""
    means = np.array([picture[::4, ::4].mean() for picture in pictures])
    return bool(len(means) > 2 and means.std() > FLICKER * means.mean())


def things_in(empty_bgr: BGR, rolls: Sequence[BGR], floor: Mask, least_px: float) -> Floats:
    """What lies in the "empty" tray and not in the rolls: centres N×2 in the picture of things over `least_px` wide.

    It takes three rolls: dice may happen to lie on the same spot in two, but all rolls agree only on the bare floor.
    """
    if len(rolls) < ROLLS_TO_JUDGE:
        return np.zeros((0, 2))
    shrink = max(1, empty_bgr.shape[1] // 320)
    floor = floor[::shrink, ::shrink]
    logs = [_log(picture, floor) for picture in (empty_bgr, *rolls)]
    usual = np.median(logs[1:], axis=0)
    like = np.sum([np.abs(log - usual).max(2) < THING_STEP / 2 for log in logs[1:]], axis=0)
    agree = like >= max(ROLLS_TO_JUDGE, ROLLS_THAT_AGREE * len(rolls))
    gone = (agree & (np.abs(logs[0] - usual).max(2) > THING_STEP) & (floor > 0)).astype(np.uint8)
    gone = cv2.morphologyEx(gone, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, _, boxes, centres = cv2.connectedComponentsWithStats(gone)
    return np.asarray(centres[1:][boxes[1:, cv2.CC_STAT_AREA] > (least_px / shrink) ** 2] * shrink, np.float64)


def _log(picture: BGR, floor: Mask) -> NDArray[np.float32]:
    small = cv2.resize(picture, floor.shape[::-1], interpolation=cv2.INTER_AREA)
    log = np.log(small.astype(np.float32) + 8)
    return np.asarray(log - np.median(log[floor > 0], axis=0), np.float32)


def _noise_between(pictures: Sequence[BGR], floor: Mask) -> float:
    greys = np.stack([cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[floor > 0] for picture in pictures]).astype(np.float32)
    return float(np.sqrt(np.median(greys.var(axis=0, ddof=1))))


def _finest_structure(grey: Grey, floor: Mask) -> float:
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    rough = np.abs(cv2.filter2D(grey, cv2.CV_32F, kernel))[floor > 0]
    return float(np.sqrt(np.pi / 2) / 6 * rough.mean())


def _glare(grey: Grey, floor: Mask) -> Floats:
    spots = ((grey >= WHITE) & (floor > 0)).astype(np.uint8)
    _, _, boxes, centres = cv2.connectedComponentsWithStats(spots)
    radii = np.sqrt(boxes[1:, cv2.CC_STAT_AREA] / np.pi)
    kept = radii > GLARE_WIDTHS * grey.shape[1]
    return np.column_stack([centres[1:][kept], radii[kept]])
