"""Which dice together explain the picture: evidence for each candidate and the best set without overlap."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import distinct, face_maps, find_blobs, lattice_poses, refine
from vision.foreground import Foreground
from vision.pips import PIP_RADIUS, PIP_SPACING, FaceScores, place, sample, score_faces
from vision.profile import DiceModel
from vision.rectify import Plane

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

SQUARE: Floats = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)
_GRID: Floats = np.array([(x, y) for y in np.linspace(-0.45, 0.45, 7) for x in np.linspace(-0.45, 0.45, 7)], np.float32)
_ALONG = np.linspace(-0.34, 0.34, 7)
_INSIDE, _OUTSIDE = 0.42, 0.57

_LEAST_BLOB = 0.06
_BLOBS_A_CELL = 14
_RING = 0.55
_LEAST_COVER = 0.75
_LEAST_SCORE = 0.4
_MOST_OVERLAP = 0.08
_ONE_ANGLES = 15
_LEAST_PIECE = 0.03
_GLOW = 0.3


@dataclass(frozen=True, slots=True)
class Candidates:
    """N dice that may be there: `poses` (N, 3) on the plane, what their pips say, `edges` (N, 4) the step across each
    side of the top face, `cover` (N,) the share of it that is not as in the empty tray, `scale` (N,) how wide the pips
    lie against the expected spacing, `worth` (N,) the sum of the evidence.
    """

    poses: Floats
    faces: FaceScores
    edges: Floats
    cover: Floats
    scale: Floats
    worth: Floats


def candidates(
    log_image: Floats,
    plane: Plane,
    dice: DiceModel,
    front: Foreground | None,
    tolerance: float = 0.09,
    ones: bool = True,
) -> Candidates:
    """All dice that the pips of the rectified log picture suggest."""
    px = plane.px_per_edge
    spacing_px = (dice.pip_spacing or PIP_SPACING) * px
    radius = dice.pip_radius or PIP_RADIUS
    changed = front.changed if front else plane.seen
    where = cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8))
    grey = np.asarray(cv2.transform(log_image, np.full((1, 3), 1 / 3, np.float32)), np.float32)
    blobs = find_blobs(grey, radius * px, _RING * spacing_px, where, _LEAST_BLOB, px, _BLOBS_A_CELL)
    fitted = refine(lattice_poses(blobs, spacing_px, tolerance), blobs, spacing_px, grey.shape[:2])
    keep = np.nonzero((fitted.hits > 1) & (cover(changed, face_maps(fitted.poses, px)) > _LEAST_COVER))[0]
    keep = keep[distinct(fitted.poses[keep], fitted.hits[keep].astype(np.float32), 0.06 * px)]
    alone = np.zeros((0, 3), np.float32)
    if ones:
        big = (dice.one_radius or radius) * px
        spots = blobs if big < 1.25 * radius * px else find_blobs(grey, big, 1.3 * big, where, _LEAST_BLOB, px, 3)
        alone = _one_poses(log_image, spots.xy, px, changed)
    poses = np.concatenate([fitted.poses[keep], alone])
    scale = np.concatenate([fitted.scale[keep], np.ones(len(alone), np.float32)])
    A = face_maps(poses, px)
    faces = score_faces(log_image, A, radius, dice.pip_spacing or PIP_SPACING, dice.one_radius)
    edges = edge_steps(log_image, A)
    covered = cover(changed, A)
    usual = dice.edge_step or 0.4
    worth = faces.score + 0.5 * np.minimum(edges.mean(1) / usual, 1) + covered - 1
    return Candidates(poses, faces, edges, covered, scale, worth)


def _one_poses(log_image: Floats, blobs_xy: Floats, px: float, changed: Mask) -> Floats:
    """A pose around each blob, turned so that its sides lie on the strongest edges."""
    angles = np.arange(_ONE_ANGLES, dtype=np.float32) * np.float32(np.pi / 2 / _ONE_ANGLES)
    poses = np.column_stack([np.repeat(blobs_xy, _ONE_ANGLES, 0), np.tile(angles, len(blobs_xy))]).astype(np.float32)
    poses = poses[
        cover(changed, face_maps(poses, px)).reshape(-1, _ONE_ANGLES).min(1).repeat(_ONE_ANGLES) > _LEAST_COVER
    ]
    steps = edge_steps(log_image, face_maps(poses, px)).mean(1).reshape(-1, _ONE_ANGLES)
    return poses.reshape(-1, _ONE_ANGLES, 3)[np.arange(len(steps)), steps.argmax(1)]


def _sides(reach: float) -> Floats:
    """Points along the four sides of a square of half-width `reach`: (4, 7, 2)."""
    near = np.full_like(_ALONG, reach)
    return np.array(
        [np.stack(xy, 1) for xy in ((_ALONG, -near), (near, _ALONG), (_ALONG, near), (-near, _ALONG))], np.float32
    )


def edge_steps(log_image: Floats, A_plane_face: Floats, inside: float = _INSIDE, outside: float = _OUTSIDE) -> Floats:
    """How much the picture changes across each side of N squares: (N, 4), length of the mean log step along the side."""
    points = np.stack([_sides(inside), _sides(outside)])
    values = sample(log_image, place(A_plane_face, points))
    return np.asarray(np.linalg.norm((values[:, 1] - values[:, 0]).mean(2), axis=2), np.float32)


def cover(mask: Mask, A_plane_face: Floats) -> Floats:
    """The share of each square that the mask covers: (N,) 0..1."""
    column, row = np.round(place(A_plane_face, _GRID)).astype(np.int64).transpose(2, 0, 1)
    column, row = np.clip(column, 0, mask.shape[1] - 1), np.clip(row, 0, mask.shape[0] - 1)
    return np.asarray(mask[row, column].mean(1), np.float32)


def overlaps(poses: Floats, edge_px: float) -> Floats:
    """(N, N): the share of square i's area that lies in square j."""
    points = place(face_maps(poses, edge_px), _GRID)
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    across = points[:, None] - poses[None, :, None, :2]
    x = across[..., 0] * c[:, None] + across[..., 1] * s[:, None]
    y = -across[..., 0] * s[:, None] + across[..., 1] * c[:, None]
    return np.asarray((np.maximum(np.abs(x), np.abs(y)) < 0.5 * edge_px).mean(2), np.float32)


def choose(found: Candidates, edge_px: float, least_worth: float) -> tuple[NDArray[np.int64], Floats]:
    """The candidates worth most of which no two overlap, best first, and of each the worth of its best rival.

    A rival overlaps the die and says another face; (K,) int indices and (K,) float, 0 where there is none.
    """
    able = np.nonzero((found.faces.score > _LEAST_SCORE) & (found.worth > least_worth - 0.5))[0]
    worth = found.worth[able]
    clash = overlaps(found.poses[able], edge_px) > _MOST_OVERLAP
    clash |= clash.T
    taken: list[int] = []
    for i in np.argsort(-worth):
        if worth[i] > least_worth and not clash[i, taken].any():
            taken.append(int(i))
    rival = (clash & (found.faces.face[able][:, None] != found.faces.face[able])) * np.maximum(worth, 0)
    return able[taken], rival[taken].max(1, initial=0.0).astype(np.float32)


def silhouettes(plane: Plane, poses: Floats) -> Mask:
    """The pixels that dice at these poses hide: the top face and the body down to the floor."""
    mask = np.zeros((plane.height, plane.width), np.uint8)
    for top in place(face_maps(poses, plane.px_per_edge), SQUARE):
        body = cv2.convexHull(np.concatenate([top, plane.base(top)]).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(body * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    return mask.astype(bool)


@dataclass(frozen=True, slots=True)
class Leftover:
    """A piece of the picture that no die and no shadow explains: area in top faces, middle in plane pixels, and whether
    the picture's edge cuts it.
    """

    area: float
    middle_xy: tuple[float, float]
    cut: bool


def leftovers(plane: Plane, poses: Floats, front: Foreground) -> list[Leftover]:
    """What the dice at these poses leave unexplained, largest first.

    A piece that differs from the empty tray far less than the dice do is light that they throw on a wall, not a thing.
    """
    body = silhouettes(plane, poses)
    near = cv2.dilate(body.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    left = cv2.morphologyEx((front.solid & (near == 0)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, middles = cv2.connectedComponentsWithStats(left)
    size = np.abs(front.step).max(2)
    usual = float(np.median(size[body])) if body.any() else 0.0
    unseen = cv2.dilate((~plane.seen).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    unseen[:2] = unseen[-2:] = True
    unseen[:, :2] = unseen[:, -2:] = True
    pieces = []
    for i in np.argsort(-stats[1:count, cv2.CC_STAT_AREA]) + 1:
        area = float(stats[i, cv2.CC_STAT_AREA]) / plane.px_per_edge**2
        if area < _LEAST_PIECE:
            break
        piece = labels == i
        if float(np.median(size[piece])) > _GLOW * usual:
            pieces.append(Leftover(area, (float(middles[i][0]), float(middles[i][1])), bool((piece & unseen).any())))
    return pieces
