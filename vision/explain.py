"""Which dice together explain the picture: the best set without overlap, and what it leaves unexplained."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import face_maps
from vision.foreground import Foreground
from vision.pips import GREY_BGR, place, sample
from vision.propose import GRID, Candidates
from vision.rectify import Plane

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

SQUARE: Floats = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)

_RIVAL_WORTH = 0.5
_MOST_OVERLAP = 0.08
_LEAST_PIECE = 0.03
_GLOW = 0.3
_PIP_SHARE = 0.45
_FAINT_SHARE, _SEVERAL, _FACE_EDGES = 0.2, 3, 0.8
_SAME_SPOT = 0.5
_RING_EDGES = 0.15
_RING: Floats = np.array([(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 4], np.float32)


def overlaps(poses: Floats, edge_px: float) -> Floats:
    """(N, N): the share of square i's area that lies in square j."""
    points = place(face_maps(poses, edge_px), GRID)
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    across = points[:, None] - poses[None, :, None, :2]
    x = across[..., 0] * c[:, None] + across[..., 1] * s[:, None]
    y = -across[..., 0] * s[:, None] + across[..., 1] * c[:, None]
    return np.asarray((np.maximum(np.abs(x), np.abs(y)) < 0.5 * edge_px).mean(2), np.float32)


def choose(found: Candidates, edge_px: float, least_worth: float) -> tuple[NDArray[np.int64], Floats]:
    """The candidates worth most of which no two overlap, best first, and of each the worth of its best rival.

    A rival overlaps the die and says another face; (K,) int indices and (K,) float, 0 where there is none.
    """
    able = np.nonzero(found.worth > _RIVAL_WORTH)[0]
    worth = found.worth[able]
    clash = overlaps(found.poses[able], edge_px) > _MOST_OVERLAP
    clash |= clash.T
    taken: list[int] = []
    for i in np.argsort(-worth):
        if worth[i] > least_worth and not clash[i, taken].any():
            taken.append(int(i))
    # A rival would also cost the other dice it overlaps, as pips of two neighbours that look like a die's do.
    cost = clash[:, taken] @ worth[taken]
    gain = worth[None] - cost + worth[taken][:, None]
    other = found.faces.face[able][taken][:, None] != found.faces.face[able]
    rival = np.where(clash[taken] & other, np.maximum(gain, 0), 0)
    return able[taken], rival.max(1, initial=0.0).astype(np.float32)


def silhouettes(plane: Plane, poses: Floats) -> Mask:
    """The pixels that dice at these poses hide: the top face and the body down to the floor."""
    mask = np.zeros((plane.height, plane.width), np.uint8)
    for body in _bodies(plane, poses):
        cv2.fillConvexPoly(mask, np.round(body * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    return mask.astype(bool)


def bodies_changed(plane: Plane, poses: Floats, changed: Mask) -> Floats:
    """Of each die's silhouette, as far as the camera sees it, the share that is not as in the empty tray: (N,) 0..1."""
    shares = np.ones(len(poses), np.float32)
    for i, body in enumerate(_bodies(plane, poses)):
        left, top = np.maximum(np.floor(body.min(0)), 0).astype(int)
        right, bottom = np.ceil(body.max(0)).astype(int) + 1
        here = (slice(top, min(bottom, plane.height)), slice(left, min(right, plane.width)))
        mask = np.zeros(changed[here].shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round((body - (left, top)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        inside = (mask > 0) & plane.seen[here]
        if inside.any():
            shares[i] = changed[here][inside].mean()
    return shares


def own_area(plane: Plane, poses: Floats, k: int, solid: Mask) -> float:
    """How much of what is `solid` only die `k` of these explains, in areas of a top face."""
    alone = silhouettes(plane, poses[k : k + 1]) & ~silhouettes(plane, np.delete(poses, k, axis=0))
    return float(np.count_nonzero(alone & solid)) / plane.px_per_edge**2


def _bodies(plane: Plane, poses: Floats) -> list[Floats]:
    """The outlines of the silhouettes, each (k, 2) plane pixels."""
    tops = place(face_maps(poses, plane.px_per_edge), SQUARE)
    points = np.concatenate([tops, plane.base(tops)], axis=1).astype(np.float32)
    return [np.asarray(cv2.convexHull(of_one), np.float32)[:, 0] for of_one in points]


@dataclass(frozen=True, slots=True)
class Leftover:
    """A piece of the picture that no die and no shadow explains: area in top faces, middle in plane pixels, whether
    the picture's edge cuts it, and the share of it that glares.
    """

    area: float
    middle_xy: tuple[float, float]
    cut: bool
    glare: float


def leftovers(plane: Plane, poses: Floats, front: Foreground, glaring: Mask) -> list[Leftover]:
    """What the dice at these poses leave unexplained, largest first.

    A piece that differs from the empty tray far less than the dice do is light that they throw on a wall, not a thing.
    """
    body = silhouettes(plane, poses)
    near = cv2.dilate(body.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    left = cv2.morphologyEx((front.solid & (near == 0)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    if cv2.countNonZero(left) < _LEAST_PIECE * plane.px_per_edge**2:
        return []
    count, labels, stats, middles = cv2.connectedComponentsWithStats(left)
    usual = float(np.median(front.size[body])) if body.any() else 0.0
    unseen = _border(plane)
    pieces = []
    for i in np.argsort(-stats[1:count, cv2.CC_STAT_AREA]) + 1:
        area = float(stats[i, cv2.CC_STAT_AREA]) / plane.px_per_edge**2
        if area < _LEAST_PIECE:
            break
        piece = labels == i
        if float(np.median(front.size[piece])) > _GLOW * usual:
            middle_xy = (float(middles[i][0]), float(middles[i][1]))
            pieces.append(Leftover(area, middle_xy, bool((piece & unseen).any()), float(glaring[piece].mean())))
    return pieces


def lone_pips(
    plane: Plane, found: Candidates, best: NDArray[np.int64], front: Foreground, usual: float, log_empty: Floats
) -> list[tuple[float, float]]:
    """Where spots as clear as pips lie that changed, but on none of the dice that were chosen: plane pixels; or fainter
    ones, as on a face seen aslant or in shadow, if there are several as near each other as on a face.

    They must be light or dark as the pips of those dice are and not be there in the empty tray, (H, W, 3) log, too;
    `usual` is the grey step of a pip where there are no dice.
    """
    contrast = found.faces.contrast[best] @ GREY_BGR
    step = found.spots.step
    alike = np.isin(np.sign(step), np.sign(contrast)) if len(best) else np.ones(len(step), np.bool_)
    usual = float(np.median(np.abs(contrast))) if len(best) else usual
    alike &= np.abs(step) > _FAINT_SHARE * usual
    near = cv2.dilate(silhouettes(plane, found.poses[best]).astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    column, row = np.round(found.spots.xy).astype(np.int64).T
    row, column = np.clip(row, 0, plane.height - 1), np.clip(column, 0, plane.width - 1)
    lone = alike & (front.changed & ~near & ~_border(plane))[row, column]
    around = found.spots.xy[lone, None] + _RING_EDGES * plane.px_per_edge * _RING
    before = (sample(log_empty, found.spots.xy[lone]) - np.median(sample(log_empty, around), axis=1)) @ GREY_BGR
    new = before / step[lone] < _SAME_SPOT
    xy, clear = found.spots.xy[lone][new], np.abs(step[lone][new]) > _PIP_SHARE * usual
    beside = (np.linalg.norm(xy[:, None] - xy, axis=2) < _FACE_EDGES * plane.px_per_edge).sum(1)
    return [(float(x), float(y)) for x, y in xy[clear | (beside >= _SEVERAL)]]


def _border(plane: Plane) -> Mask:
    """The pixels at the edge of what the camera sees."""
    unseen = cv2.dilate((~plane.seen).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    unseen[:2] = unseen[-2:] = True
    unseen[:, :2] = unseen[:, -2:] = True
    return np.asarray(unseen)
