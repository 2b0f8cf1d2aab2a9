"""Where dice may lie on the rectified plane: poses that the pips suggest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips import PATTERNS, SITES_XY

Floats = NDArray[np.float32]
Compare = Callable[..., Any]

_LINES = 6


@dataclass(frozen=True, slots=True)
class Blobs:
    """Pip-like spots: `xy` (N, 2) plane pixels, `step` (N,) log contrast against their ring, negative for dark ones."""

    xy: Floats
    step: Floats

    def of_sign(self, sign: int) -> "Blobs":
        """The light ones (+1) or the dark ones (-1)."""
        keep = self.step * sign > 0
        return Blobs(self.xy[keep], self.step[keep])


@dataclass(frozen=True, slots=True)
class Fitted:
    """Poses (N, 3) after the fit, `hits` (N,) how many sites have a blob, `scale` (N,) true spacing over assumed, and
    whether the sites that have one are those of a face, give or take one (N,).
    """

    poses: Floats
    hits: NDArray[np.int64]
    scale: Floats
    like_a_face: NDArray[np.bool_]


def find_blobs(
    grey_log: Floats,
    radius_px: float,
    ring_px: float,
    where: NDArray[np.uint8],
    least: float,
    cell_px: float,
    most: int,
) -> Blobs:
    """Spots of about `radius_px` in the log picture (H, W) within the mask `where` (uint8).

    A spot is lighter, or darker, than a ring of `ring_px` around it, by `least` and more; so the corner of a die is
    none and the background behind a pip near the edge does not move it. Of those the `most` strongest in every square
    of `cell_px`, so that easy dice do not crowd out a hard one.
    """
    smooth = np.asarray(cv2.GaussianBlur(grey_log, (0, 0), 0.55 * radius_px), np.float32)
    light = smooth - _around(smooth, ring_px, cv2.max, cv2.min)
    dark = _around(smooth, ring_px, cv2.min, cv2.max) - smooth
    size = np.maximum(light, dark)
    reach = max(1, round(0.8 * radius_px))
    peak = cv2.dilate(size, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
    rows, columns = np.nonzero((size >= peak) & (size > least) & (where > 0))
    inside = (rows > 0) & (columns > 0) & (rows < len(size) - 1) & (columns < size.shape[1] - 1)
    rows, columns = rows[inside], columns[inside]
    order = np.argsort(-size[rows, columns])
    rows, columns = rows[order], columns[order]
    cell = (rows // cell_px).astype(np.int64) * 10_000 + (columns // cell_px).astype(np.int64)
    keep = _rank_within(cell) < most
    rows, columns = rows[keep], columns[keep]
    sign = np.where(light[rows, columns] >= dark[rows, columns], 1, -1)
    xy = np.stack([columns, rows], 1).astype(np.float32)
    for axis, (down, right) in enumerate(((0, 1), (1, 0))):
        before, at, after = (smooth[rows + k * down, columns + k * right] * sign for k in (-1, 0, 1))
        bend = 2 * (2 * at - before - after)
        xy[:, axis] += np.clip((after - before) / np.maximum(bend, 1e-6), -1, 1)
    return Blobs(xy, (sign * size[rows, columns]).astype(np.float32))


def _around(smooth: Floats, ring_px: float, more: Compare, less: Compare) -> Floats:
    """The most extreme value on the ring around every pixel, leaving out one line through it.

    The line left out is the most extreme one: two of the three pips in a row of a six have neighbours on it.
    """
    reach = int(np.ceil(ring_px))
    wide = cv2.copyMakeBorder(smooth, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    h, w = smooth.shape
    first: Floats | None = None
    second: Floats | None = None
    for angle in np.arange(_LINES) * np.pi / _LINES:
        x, y = round(ring_px * float(np.cos(angle))), round(ring_px * float(np.sin(angle)))
        line = more(
            wide[reach + y : reach + y + h, reach + x : reach + x + w],
            wide[reach - y : reach - y + h, reach - x : reach - x + w],
        )
        if first is None:
            first = line
        else:
            both = less(first, line)
            second = both if second is None else more(second, both)
            first = more(first, line)
    assert second is not None
    return second


def _rank_within(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each item its place among those of the same group, in the order given."""
    order = np.argsort(group, kind="stable")
    sorted_group = group[order]
    first = np.searchsorted(sorted_group, sorted_group)
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - first
    return rank


def lattice_poses(blobs: Blobs, spacing_px: float, tolerance: float = 0.09) -> Floats:
    """Poses (N, 3) that two pips of one die suggest: x, y of the middle in pixels, angle in radians.

    The blobs should all be of one sign: between two dark pips the body is a light spot.

    Every face but the One has two pips two steps apart along a side (4, 6) or along the diagonal (2, 3, 5); a side
    leaves two middles open.
    """
    n = len(blobs.xy)
    if n < 2:
        return np.zeros((0, 3), np.float32)
    a, b = np.triu_indices(n, 1)
    across = blobs.xy[b] - blobs.xy[a]
    length = np.linalg.norm(across, axis=1) / spacing_px
    middle = (blobs.xy[a] + blobs.xy[b]) / 2
    angle = np.arctan2(across[:, 1], across[:, 0])
    poses = []
    diagonal = np.abs(length / np.sqrt(8) - 1) < tolerance
    poses.append(np.column_stack([middle[diagonal], angle[diagonal] + np.pi / 4]))
    side = np.abs(length / 2 - 1) < tolerance
    normal = np.stack([-across[:, 1], across[:, 0]], 1)[side] / length[side, None]
    for sign in (-1, 1):
        poses.append(np.column_stack([middle[side] + sign * normal, angle[side]]))
    return np.concatenate(poses).astype(np.float32)


def refine(poses: Floats, blobs: Blobs, spacing_px: float, size_hw: tuple[int, int]) -> Fitted:
    """Fit each pose to the blobs near its lattice sites, `size_hw` being the size of the rectified picture.

    Least squares of a similarity (Umeyama) over the blobs within .3 of a step of their site; its scale is only told.
    """
    reach = 0.3 * spacing_px
    owner = np.full(size_hw, -1, np.int32)
    for i in np.argsort(np.abs(blobs.step)):
        x, y = blobs.xy[i]
        cv2.circle(owner, (round(float(x)), round(float(y))), round(reach), int(i), -1)
    sites = SITES_XY * spacing_px
    xy = np.concatenate([blobs.xy, np.zeros((1, 2), np.float32)])
    hits = np.zeros(len(poses), np.int64)
    weight = np.zeros((len(poses), 9), np.float32)
    scale = np.ones(len(poses), np.float32)
    for _ in range(2):
        at = _turned(poses[:, 2], sites) + poses[:, None, :2]
        column, row = np.round(at).astype(np.int64).transpose(2, 0, 1)
        inside = (row >= 0) & (column >= 0) & (row < size_hw[0]) & (column < size_hw[1])
        nearest = np.where(inside, owner[np.where(inside, row, 0), np.where(inside, column, 0)], -1)
        weight = (nearest >= 0).astype(np.float32)
        hits = (nearest >= 0).sum(1)
        total = np.maximum(hits, 1)[:, None]
        found = xy[nearest]
        mean_site = weight @ sites / total
        mean_found = (weight[..., None] * found).sum(1) / total
        p, q = sites - mean_site[:, None], found - mean_found[:, None]
        dot = (weight * (p * q).sum(2)).sum(1)
        cross = (weight * (p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0])).sum(1)
        scale = np.hypot(dot, cross) / np.maximum((weight * (p**2).sum(2)).sum(1), 1e-6)
        angle = np.where(hits > 1, np.arctan2(cross, dot), poses[:, 2])
        middle = mean_found - _turned(angle, mean_site[:, None])[:, 0] * np.where(hits > 1, scale, 1)[:, None]
        poses = np.column_stack([np.where(hits[:, None] > 0, middle, poses[:, :2]), angle]).astype(np.float32)
    amiss = np.abs(weight[:, None] - PATTERNS).sum(2).min(1)
    like_a_face = (hits > 1) & (amiss <= 1)
    return Fitted(poses, hits, np.where(hits > 1, scale, 1).astype(np.float32), like_a_face)


def _turned(angle: Floats, xy: Floats) -> Floats:
    """Points turned by N angles: (N, k, 2), from `xy` (k, 2) or (N, k, 2)."""
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.stack([c * xy[..., 0] - s * xy[..., 1], s * xy[..., 0] + c * xy[..., 1]], -1).astype(np.float32)


def distinct(poses: Floats, rank: Floats, near_px: float, near_rad: float = 0.07) -> NDArray[np.int64]:
    """Indices of poses that differ, the best of each bunch by `rank`; a quarter turn is no difference."""
    order = np.argsort(-rank)
    kept: list[int] = []
    for i in order:
        if kept:
            others = poses[kept]
            turn = np.abs((others[:, 2] - poses[i, 2] + np.pi / 4) % (np.pi / 2) - np.pi / 4)
            close = (np.hypot(*(others[:, :2] - poses[i, :2]).T) < near_px) & (turn < near_rad)
            if close.any():
                continue
        kept.append(int(i))
    return np.array(kept, np.int64)


def face_maps(poses: Floats, edge_px: float) -> Floats:
    """The affine maps (N, 2, 3) from face coordinates (die edges) to plane pixels."""
    A = np.empty((len(poses), 2, 3), np.float32)
    A[:, 0, 0] = A[:, 1, 1] = np.cos(poses[:, 2]) * edge_px
    A[:, 1, 0] = np.sin(poses[:, 2]) * edge_px
    A[:, 0, 1] = -A[:, 1, 0]
    A[:, :, 2] = poses[:, :2]
    return A
