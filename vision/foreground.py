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


@dataclass(frozen=True, slots=True)
class Foreground:
    """`changed`, `solid` (H, W) bool: what is not as in the empty picture, and of that what no shadow explains.

    `size` (H, W): the largest log step of picture over empty picture among the channels, overall brightness evened out;
    `noise`: its usual size where nothing changed.
    """

    changed: Mask
    solid: Mask
    size: Floats
    noise: float


def foreground(log_image: Floats, log_empty: Floats, seen: Mask) -> Foreground:
    """Compare a picture with the empty tray, both as logarithms (H, W, 3), where the camera has `seen` (H, W) it.

    A shadow darkens all channels about alike; how unlike they may be grows with its depth, for the light that is left
    in it comes from elsewhere.
    """
    step = np.asarray(cv2.subtract(log_image, log_empty), np.float32)
    light = np.median(step[::_SKIP, ::_SKIP][seen[::_SKIP, ::_SKIP]], axis=0)
    blue, green, red = (np.asarray(channel) - level for channel, level in zip(cv2.split(step), light, strict=True))
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    size = np.maximum(most, -least)
    mean = (blue + green + red) / 3
    tint = np.maximum(most - mean, mean - least)
    # 1.1 deviations of the largest of three channels lie below its median.
    noise = float(np.median(size[::_SKIP, ::_SKIP][seen[::_SKIP, ::_SKIP]])) / 1.1
    changed = (size > max(_MIN_STEP, _NOISES * noise)) & seen
    # A die of the floor's colour still lacks the floor's grain.
    regrained = (cv2.blur(size, (_GRAIN_PX, _GRAIN_PX)) > max(_MIN_GRAIN, _GRAIN_NOISES * noise)) & seen
    most_tint = max(_SHADOW_TINT, _SHADOW_TINT_NOISES * noise) - _SHADOW_TINT_SHARE * mean
    shadow = (mean < 0) & (tint < most_tint)
    return Foreground(changed | regrained, changed & ~shadow, size, noise)
