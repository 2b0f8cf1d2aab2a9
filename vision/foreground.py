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
_SHADOW_TINT_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Foreground:
    """`changed`, `solid` (H, W) bool: what is not as in the empty picture, and of that what no shadow explains.

    `step` (H, W, C): the log of picture over empty picture, overall brightness evened out; `noise`: its usual size where
    nothing changed.
    """

    changed: Mask
    solid: Mask
    step: Floats
    noise: float


def foreground(log_image: Floats, log_empty: Floats, seen: Mask) -> Foreground:
    """Compare a picture with the empty tray, both as logarithms (H, W, 3)."""
    step = cv2.blur(log_image - log_empty, (3, 3))
    some = step[::4, ::4][seen[::4, ::4]]
    step -= np.median(some, axis=0)
    size = np.abs(step).max(2)
    noise = float(np.median(size[::4, ::4][seen[::4, ::4]])) / 1.1
    changed = (size > max(_MIN_STEP, _NOISES * noise)) & seen
    mean = step.mean(2)
    tint = np.abs(step - mean[..., None]).max(2)
    shadow = (mean < 0) & (tint < np.maximum(_SHADOW_TINT, 4 * noise) - _SHADOW_TINT_SHARE * mean)
    return Foreground(changed, changed & ~shadow, step, noise)
