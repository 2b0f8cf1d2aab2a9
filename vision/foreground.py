"""What differs from the empty tray, told apart from shadows."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_MIN_STEP = 0.10
_NOISES = 5.0
_SHADOW_TINT = 0.10
_SHADOW_TINT_NOISES = 4.0
_SHADOW_TINT_SHARE = 0.25
_GRAIN_PX = 7
_MIN_GRAIN = 0.05
_GRAIN_NOISES = 2.5
_SKIP = 8
_APART = 4
_GRID = 12
_ROUNDS = 4
DEEPEST_SHADOW = -1.0


@dataclass(frozen=True, slots=True)
class Foreground:
    """`changed`, `solid` (H, W) bool: what is not as in the empty picture, and of that what no shadow explains.

    `size`, `mean` (H, W): the largest and the mean log step of picture over empty picture among the channels, overall
    brightness evened out; `noise`: its deviation where nothing changed.
    """

    changed: Mask
    solid: Mask
    size: Floats
    mean: Floats
    noise: float


def foreground(log_image: Floats, log_empty: Floats, seen: Mask, deepest_shadow: float = DEEPEST_SHADOW) -> Foreground:
    """Compare a picture with the empty tray, both as logarithms (H, W, 3), where the camera has `seen` (H, W) it.

    A shadow darkens all channels about alike, down to `deepest_shadow` (log step, negative); how unlike they may be
    grows with its depth, for the light that is left in it comes from elsewhere.
    """
    step = np.asarray(cv2.subtract(log_image, log_empty), np.float32)
    across, down = _light(step, seen)
    blue, green, red = (
        np.asarray(channel, np.float32) - across[i] - down[i][:, None] for i, channel in enumerate(cv2.split(step))
    )
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    size = np.maximum(most, -least)
    mean = (blue + green + red) / 3
    tint = np.maximum(most - mean, mean - least)
    noise = _noise(green, seen)
    changed = (size > max(_MIN_STEP, _NOISES * noise)) & seen
    # A die of the floor's colour still lacks the floor's grain.
    regrained = (cv2.blur(size, (_GRAIN_PX, _GRAIN_PX)) > max(_MIN_GRAIN, _GRAIN_NOISES * noise)) & seen
    most_tint = max(_SHADOW_TINT, _SHADOW_TINT_NOISES * noise) - _SHADOW_TINT_SHARE * mean
    shadow = (mean < 0) & (mean > deepest_shadow) & (tint < most_tint)
    return Foreground(changed | regrained, changed & ~shadow, size, mean, noise)


def _light(step: Floats, seen: Mask) -> tuple[Floats, Floats]:
    """How the light has changed over the whole picture: (3, W) and (3, H), to be added, a plane through most log steps.

    Least squares over a grid of pixels, again and again without those far off it, which are dice.
    """
    height, width = seen.shape
    usable = seen[::_GRID, ::_GRID]
    y, x = np.nonzero(usable)
    A = np.stack([np.ones(len(x)), x * _GRID / width - 0.5, y * _GRID / height - 0.5], 1)
    b = step[::_GRID, ::_GRID][usable].astype(np.float64)
    fit = np.zeros((3, 3))
    fit[0] = np.median(b, axis=0)
    for _ in range(_ROUNDS):
        off = np.abs(b - A @ fit).max(1)
        near = off <= max(2 * float(np.median(off)), _MIN_STEP / 2)
        if near.sum() < 0.2 * len(b):
            break
        fit = np.linalg.solve(A[near].T @ A[near], A[near].T @ b[near])
    across = fit[:1].T + np.outer(fit[1], np.arange(width) / width - 0.5)
    down = np.outer(fit[2], np.arange(height) / height - 0.5)
    return across.astype(np.float32), down.astype(np.float32)


def _noise(step: Floats, seen: Mask) -> float:
    """The deviation of the log steps from one pixel to another nearby, whatever the light does from side to side."""
    here, there = step[::_SKIP, :-_APART:_SKIP], step[::_SKIP, _APART::_SKIP]
    both = seen[::_SKIP, :-_APART:_SKIP] & seen[::_SKIP, _APART::_SKIP]
    # The difference of two normal deviates is below .953 = .674 √2 deviations half the time.
    return float(np.median(np.abs(here - there)[both])) / 0.953
