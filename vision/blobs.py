"""Round spots in a picture that could be pips: of either polarity, of any size, lying flat or seen at a slant."""

import math
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips import sample

Floats = NDArray[np.float64]
LogImage = NDArray[np.float32]

# Log units a spot stands out of its surroundings by: the least finds faint spots, the others part strong spots from an
# edge of the die nearby. Film grain and paper stay below.
RESPONSES = (0.11, 0.22, 0.45)
MIN_STRENGTH = 0.3  # log units over three channels; most of the texture of carpets, felts and wood stays below
LARGE_PX2 = 90.0
RADIUS_PX = (1.7, 14.0)  # what one octave of the pyramid looks for; neighbouring octaves overlap
CIRCLE_XY = np.stack([np.cos(np.arange(16) * np.pi / 8), np.sin(np.arange(16) * np.pi / 8)], axis=1)


@dataclass(frozen=True, slots=True)
class Blobs:
    """N round spots, arrays of length N, lengths in pixels of the picture they were found in.

    `xy_px` N×2; `shape_px2` N×2×2, the ellipse as S = A Aᵀ where A maps the unit disc onto it; `radius_px` the radius
    of the circle of equal area; `contrast` N×3, log (spot / surroundings) of B, G and R; `body` N×3, the
    surroundings in log units; `evenness` 0..1, how nearly all of the ring around the spot differs from it alike;
    `edge` the step across the outline itself, log units.
    """

    xy_px: Floats
    shape_px2: Floats
    radius_px: Floats
    contrast: Floats
    body: Floats
    evenness: Floats
    edge: Floats

    def __len__(self) -> int:
        return len(self.radius_px)

    @property
    def light(self) -> NDArray[np.bool_]:
        """Which spots are lighter than their surroundings, in the channel that differs most."""
        most = np.argmax(np.abs(self.contrast), axis=1)[:, None]
        return np.asarray(np.take_along_axis(self.contrast, most, 1)[:, 0] > 0)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "Blobs":
        """The spots that `index` (numbers or a mask) names, in that order."""
        return Blobs(*(getattr(self, field.name)[index] for field in fields(self)))


def find_blobs(log_bgr: LogImage, octaves: int = 4, most: int = 1200) -> Blobs:
    """Finds round spots of 1.7 px radius and more, doubling over the octaves; keeps the clearest `most` of them."""
    found: list[Blobs] = []
    level, scale = log_bgr, 1.0
    for _ in range(octaves):
        if min(level.shape[:2]) < 24:
            break
        xy, shape = _ellipses(level)
        # pyrDown keeps pixel centres: (0, 0) of every level lies at (0, 0) of the first.
        if len(xy):
            found.append(_measure(level, xy, shape, scale))
        level, scale = np.asarray(cv2.pyrDown(level), np.float32), scale * 2.0
    if not found:
        return Blobs(*(np.zeros((0, *tail)) for tail in ((2,), (2, 2), (), (3,), (3,), (), ())))
    merged = Blobs(*(np.concatenate([getattr(b, f.name) for b in found]) for f in fields(Blobs)))
    return _clearest(merged, most)


def _ellipses(log_bgr: LogImage) -> tuple[Floats, Floats]:
    """Ellipses (centres N×2, shapes N×2×2) of one octave: where a difference of Gaussians, taken in whichever channel
    differs most, passes one of its thresholds.
    """
    response = cv2.subtract(cv2.GaussianBlur(log_bgr, (0, 0), 0.9), cv2.GaussianBlur(log_bgr, (0, 0), 4.5))
    b, g, r = cv2.split(response)
    brighter = cv2.max(cv2.max(b, g), r)
    darker = -cv2.min(cv2.min(b, g), r)
    ellipses: list[tuple[float, float, float, float, float]] = []
    for one, other in ((brighter, darker), (darker, brighter)):
        for response_least in RESPONSES:
            mask = ((one > response_least) & (one >= other)).astype(np.uint8)
            ellipses += _round_parts(mask)
    table = np.array(ellipses, dtype=np.float64).reshape(-1, 5)
    shape = 4.0 * table[:, [2, 3, 3, 4]].reshape(-1, 2, 2)
    return table[:, :2], _grown(shape, 0.5)  # a contour runs through the outermost pixels' centres


def _round_parts(mask: NDArray[np.uint8]) -> list[tuple[float, float, float, float, float]]:
    """Centre and second moments (x, y, xx, xy, yy) of the elliptic parts of a mask, their holes filled."""
    low, high = math.pi * (RADIUS_PX[0] - 0.5) ** 2, math.pi * RADIUS_PX[1] ** 2
    parts = []
    contours, hierarchy = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    for contour, (_, _, _, parent) in zip(contours, () if hierarchy is None else hierarchy[0], strict=True):
        if parent >= 0 or not 5 <= len(contour) <= 130:
            continue
        m = cv2.moments(contour)
        filled = m["m00"]
        if not low <= filled <= high:
            continue
        xx, xy, yy = m["mu20"] / filled, m["mu11"] / filled, m["mu02"] / filled
        root = math.sqrt(max(xx * yy - xy * xy, 1e-9))
        # 1 for an ellipse, 0.955 for a square; in few pixels the two are hard to tell apart.
        elliptic = filled / (4 * math.pi * root)
        if elliptic > (0.965 if filled > LARGE_PX2 else 0.87) and root > 0.16 * (xx + yy):
            parts.append((m["m10"] / filled, m["m01"] / filled, xx, xy, yy))
    return parts


def _grown(shape: Floats, by_px: float) -> Floats:
    """The ellipses with both half axes longer by `by_px`."""
    values, vectors = np.linalg.eigh(shape)
    axes = np.sqrt(np.maximum(values, 1e-6)) + by_px
    return np.asarray(np.einsum("nij,nj,nkj->nik", vectors, axes**2, vectors))


def _measure(log_bgr: LogImage, xy: Floats, shape: Floats, scale: float) -> Blobs:
    """Contrast, body and evenness of ellipses found in a level of the pyramid; lengths times `scale` on return."""
    half = np.linalg.cholesky(shape)
    circle = CIRCLE_XY @ np.swapaxes(half, 1, 2)  # N×16×2

    def around(times: float) -> NDArray[np.float32]:
        return sample(log_bgr, (xy[:, None] + times * circle).astype(np.float32))

    ring = around(1.55)
    inner = np.concatenate([around(0.45)[:, ::2], around(0.0)[:, :1]], axis=1)
    body, spot = np.median(ring, axis=1), np.median(inner, axis=1)
    contrast = spot - body
    best = np.argmax(np.abs(contrast), axis=1)[:, None, None]
    step = np.take_along_axis(spot[:, None] - ring, best, 2)[..., 0] / (
        np.take_along_axis(contrast[:, None], best, 2)[..., 0] + 1e-9
    )
    evenness = np.mean((step > 0.5) & (step < 2.0), axis=1)
    edge = (around(1.25) - around(0.75)).mean(axis=1)
    radius = np.linalg.det(shape) ** 0.25
    return Blobs(
        xy * scale, shape * scale**2, radius * scale, contrast.astype(float), body.astype(float), evenness,
        np.linalg.norm(edge, axis=1).astype(float),
    )  # fmt: skip


def _clearest(blobs: Blobs, most: int) -> Blobs:
    """The even spots, of those of one polarity that overlap only the clearest, and no more than `most` of them."""
    strength = np.linalg.norm(blobs.contrast, axis=1) * blobs.evenness
    # An outline drawn too wide or too narrow has less of a step across it than the spot has contrast.
    order = np.argsort(-np.minimum(strength, blobs.edge / 0.6 * blobs.evenness))
    order = order[(blobs.evenness[order] >= 0.6) & (strength[order] > MIN_STRENGTH)][: 3 * most]
    lighter = blobs.light
    taken: dict[tuple[int, int, bool], list[int]] = {}
    kept: list[int] = []
    cell = 12.0
    for i in order:
        x, y = blobs.xy_px[i]
        r = blobs.radius_px[i]
        light = bool(lighter[i])
        column, row = int(x // cell), int(y // cell)
        near = [j for dx in (-1, 0, 1) for dy in (-1, 0, 1) for j in taken.get((column + dx, row + dy, light), ())]
        if any(math.dist((x, y), blobs.xy_px[j]) < 0.6 * r and 0.4 < blobs.radius_px[j] / r < 2.5 for j in near):
            continue
        taken.setdefault((column, row, light), []).append(int(i))
        kept.append(int(i))
        if len(kept) == most:
            break
    return blobs.take(np.array(kept, dtype=np.intp))
