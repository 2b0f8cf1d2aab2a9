"""What may spoil the view of a single place, drawn anew each time it is shown: so many faults, few pictures.

Each takes and gives a place as vision.teller sees it, (64, 64, 3) uint8, those OF_PICTURES a picture of any size;
what it shows can mostly still be told.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from training.camera import packed
from vision.teller import ACROSS, SIDE_PX

Bytes = NDArray[np.uint8]
Rng = np.random.Generator

_SURELY = round(0.4 * SIDE_PX / ACROSS)  # pixels from the middle of a place, within the rounded rim of the face
_ON_FACE = slice(SIDE_PX // 2 - _SURELY, SIDE_PX // 2 + _SURELY)
_LEAST_SEEN = 3.5  # levels by which colours deviate there where any pip is seen


def coarse(seen: Bytes, rng: Rng) -> Bytes:
    """As of a die few pixels wide, sharpened and packed by its camera."""
    side = int(rng.integers(26, 56))
    small = cv2.resize(seen, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    small += rng.uniform(0, 1.5) * (small - cv2.GaussianBlur(small, (0, 0), rng.uniform(0.7, 1.5)))
    # Whole blocks of eight pixels, begun anywhere.
    ahead = [int(n) for n in rng.integers(0, 8, 2)]
    padded = cv2.copyMakeBorder(_levels(small), ahead[0], 8, ahead[1], 8, cv2.BORDER_REPLICATE)
    kept = packed(np.asarray(padded, np.uint8), int(rng.integers(50, 95)))[ahead[0] :, ahead[1] :][:side, :side]
    how = cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(kept, (SIDE_PX, SIDE_PX), interpolation=how), np.uint8)


def faint(seen: Bytes, rng: Rng) -> Bytes:
    """With all that is small, like pips, nearer to the colour around it."""
    around = cv2.GaussianBlur(seen.astype(np.float32), (0, 0), rng.uniform(4, 8))
    return _levels(around + rng.uniform(0.3, 0.8) * (seen - around))


def alike(seen: Bytes, rng: Rng) -> Bytes:
    """With colours that differ less in one way, as red and black do in brightness."""
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    off = seen.astype(np.float32) - seen.mean((0, 1))
    return _levels(seen - rng.uniform(0.4, 0.95) * (off @ way)[..., None] * way)


def marbled(seen: Bytes, rng: Rng) -> Bytes:
    """With clouds of another colour."""
    cells = int(rng.integers(4, 14))
    coarse_clouds = rng.normal(size=(cells, cells)).astype(np.float32)
    clouds = cv2.resize(coarse_clouds, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC)
    return _levels(seen + rng.uniform(4, 22) * clouds[..., None] * rng.normal(size=3))


def mirroring(seen: Bytes, rng: Rng) -> Bytes:
    """With lamps mirrored in it, as crooked lines and spots."""
    light = np.zeros((SIDE_PX, SIDE_PX), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        at = SIDE_PX / 2 + rng.uniform(-14, 14, 2)
        points = at + np.cumsum(rng.normal(0, rng.uniform(1, 5), (int(rng.integers(2, 6)), 2)), 0)
        eighths, width = np.round(points * 8).astype(np.int32), int(rng.integers(1, 4))
        cv2.polylines(light, [eighths], False, 1.0, width, cv2.LINE_AA, 3)
    light = cv2.GaussianBlur(light, (0, 0), rng.uniform(0.5, 1.3)) * rng.uniform(0.4, 1)
    lamp = rng.uniform(190, 255) * rng.uniform(0.85, 1, 3)
    return _levels(seen + light[..., None] * np.maximum(lamp - seen, 0))


Faults = dict[Callable[[Bytes, Rng], Bytes], float]
"""How often each comes, in the order in which they come about."""
FAULTS: Faults = {
    alike: 0.25, marbled: 0.2, mirroring: 0.25, faint: 0.3, coarse: 0.4,
}  # fmt: skip
"""Every fault, as places have them."""
OF_PICTURES: Faults = {alike: 0.2, faint: 0.15}
"""Those that whole pictures have."""


def spoil(seen: Bytes, rng: Rng, faults: Faults = FAULTS) -> Bytes:
    """What is seen, with any of the faults."""
    for fault, often in faults.items():
        if rng.random() < often:
            seen = fault(seen, rng)
    return seen


def blank(seen: Bytes) -> bool:
    """Whether hardly anything is seen on a face: too bright or too dark for its pips, nobody could tell it."""
    face = seen[_ON_FACE, _ON_FACE].reshape(-1, 3).astype(float)
    return bool(np.linalg.eigvalsh(np.cov(face.T))[-1] < _LEAST_SEEN**2)


def _levels(image: NDArray[np.floating]) -> Bytes:
    return np.asarray(np.clip(image, 0, 255), np.uint8)
