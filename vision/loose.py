"""Reads dice from any photograph, with nothing known of camera, table or dice.

The way: round spots → lattices of spots → the plane all top faces lie in, from how flat the pips look → faces on that
plane, judged by their pixels and their outline → Ones, which are a single spot on a die of the usual size → doubts.
"""

from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs, find_blobs
from vision.lattice import SPACING, Faces, find_faces
from vision.outline import outlines
from vision.pips import FaceScores, log_picture, place, score_faces
from vision.profile import TrayProfile
from vision.reading import Die, Reading
from vision.view import View, estimate_view, shape_distance

Floats = NDArray[np.float64]

WORK_PX = 1280  # the longer side of the picture that is searched
LARGEST_ENLARGEMENT = 2.0
CORNERS_XY = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)

MIN_SCORE, SURE_SCORE = 0.35, 0.6
MIN_MARGIN, SURE_MARGIN = 0.1, 0.25
MIN_SIDE, SURE_SIDE = 0.04, 0.1


@dataclass(frozen=True, slots=True)
class Found:
    """N dice that may lie in the picture, arrays of length N.

    `face` 1..6; `A_image_face` N×2×3; `half` N, half the die's edge in the map's units; `sides` N×4, the steps across
    its outline, weakest first; `score`, `margin` N of its pixels; `radius_px` N, of its pips; `squareness` N, how much
    clearer the outline is than one turned by 45°, log units (0 for a disc).
    """

    face: NDArray[np.int64]
    A_image_face: Floats
    half: Floats
    sides: Floats
    score: Floats
    margin: Floats
    strength: Floats
    body: Floats
    radius_px: Floats
    squareness: Floats

    def __len__(self) -> int:
        return len(self.face)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "Found":
        """The dice that `index` names, in that order."""
        return Found(*(getattr(self, field.name)[index] for field in fields(self)))

    @property
    def edge_px(self) -> Floats:
        """The edge of a square as large as the top face in the picture."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.A_image_face[:, :, :2]))) * 2 * self.half)

    @property
    def centre_px(self) -> Floats:
        """The middles of the top faces, N×2."""
        return np.asarray(self.A_image_face[:, :, 2])


def working_picture(image_bgr: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    """The picture at the size that is searched, and how many of its pixels make one of the original."""
    scale = min(WORK_PX / max(image_bgr.shape[:2]), LARGEST_ENLARGEMENT)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=how), np.uint8), scale


@dataclass(frozen=True, slots=True)
class Search:
    """Everything one reading found on its way; what a picture of the reasoning needs."""

    scale: float
    blobs: Blobs
    view: View
    found: Found
    reasons: tuple[str, ...]


def search(image_bgr: NDArray[np.uint8]) -> Search:
    small, scale = working_picture(image_bgr)
    log_bgr = log_picture(small)
    height, width = small.shape[:2]
    blobs = find_blobs(log_bgr)
    view = _view(log_bgr, blobs, width, height)
    lean = shape_distance(blobs.shape_px2, view.shape_at(blobs.xy_px)) if len(blobs) else np.zeros(0)
    blobs = blobs.take(lean < 0.22 + 0.6 / blobs.radius_px)
    faces = find_faces(blobs, view.shape_at(blobs.xy_px), width, height)
    many = _judged(log_bgr, blobs, faces)
    many = _apart(many, view)
    ones = _ones(log_bgr, blobs, many, view)
    found = _joined(many, ones)
    return Search(scale, blobs, view, found, _doubts(blobs, found, view))


def read_loose(
    image_bgr: NDArray[np.uint8], profile: TrayProfile | None = None, expect: int | None = None
) -> Reading:
    """The dice on a photograph taken from any side with any camera.

    `image_bgr` H×W×3 uint8; `expect` the number of dice there should be: another number makes the reading unsure.
    """
    seen = search(image_bgr)
    dice = tuple(_die(seen, i) for i in range(len(seen.found)))
    reasons = seen.reasons
    if expect is not None and len(dice) != expect:
        reasons = (f"{len(dice)} of {expect} dice", *reasons)
    if reasons:
        return Reading(dice, "unsure", reasons)
    return Reading(dice, "ok" if dice else "empty")


def _view(log_bgr: NDArray[np.float32], blobs: Blobs, width: int, height: int) -> View:
    """The plane of the top faces, from the pips of every lattice and from spots that look like those pips."""
    if not len(blobs):
        return estimate_view(np.zeros((0, 2)), np.zeros((0, 2, 2)), np.zeros(0), width, height)
    faces = find_faces(blobs, None, width, height)
    faces = faces.take((faces.face >= 3) & (faces.residual < 0.08))
    if len(faces):
        scores = score_faces(log_bgr, faces.A_image_face)
        faces = faces.take((scores.face == faces.face) & (scores.score > 0.4) & (scores.margin > 0.1))
    weight = np.zeros(len(blobs))
    shapes = blobs.shape_px2.copy()
    for i in np.argsort(faces.count):
        pips = faces.pips[i][faces.pips[i] >= 0]
        weight[pips] = 1.0
        if len(pips) >= 4:
            A = faces.A_image_face[i, :, :2]
            shapes[pips] = A @ A.T
    model = np.flatnonzero(weight > 0)
    for i in range(len(blobs)):
        if weight[i] == 0 and blobs.evenness[i] > 0.9:
            if len(model):
                like = (np.linalg.norm(blobs.contrast[model] - blobs.contrast[i], axis=1) < 0.5) & (
                    np.abs(blobs.body[model] - blobs.body[i]).max(axis=1) < 0.5)
                ratio = blobs.radius_px[model] / blobs.radius_px[i]
                weight[i] = 0.7 * np.any(like & (ratio > 0.6) & (ratio < 1.6))
            else:
                weight[i] = 0.3 * (np.abs(blobs.contrast[i]).max() > 0.3)
    voters = np.flatnonzero(weight > 0)
    if len(voters) > 400:
        voters = voters[:400]
    xy, r = blobs.xy_px[voters], blobs.radius_px[voters]
    # Beside a top face, its die's side faces show: their pips look smaller than the pips next to them.
    near = np.linalg.norm(xy[:, None] - xy[None], axis=2) < 11 * r[:, None]
    ratio = r[None] / r[:, None]
    rival = np.where(near & (ratio < 1.5), ratio, 1.0).max(axis=1, initial=1.0)
    return estimate_view(xy, shapes[voters], weight[voters] * rival**-6.0, width, height)


def _judged(log_bgr: NDArray[np.float32], blobs: Blobs, faces: Faces) -> Found:
    """The lattices whose pixels and outline make them a face."""
    faces = faces.take((faces.residual < 0.12) & ((faces.face > 0) | (faces.count >= 4)))
    if not len(faces):
        return _nothing()
    members = faces.pips >= 0
    radius = (blobs.radius_px[faces.pips] * members).sum(axis=1) / members.sum(axis=1)
    A = faces.A_image_face
    scores = score_faces(log_bgr, A, pip_spacing=SPACING)
    keep = (scores.score > MIN_SCORE) & (scores.face > 1)
    A, radius, scores = A[keep], radius[keep], _take_scores(scores, keep)
    if not len(A):
        return _nothing()
    half, sides = outlines(log_bgr, A, 0.36, 0.64).best(0.40, 0.60)
    return Found(
        scores.face, A, half.astype(float), np.sort(sides, axis=1).astype(float), scores.score.astype(float),
        scores.margin.astype(float), scores.strength.astype(float), scores.body.astype(float), radius,
        np.full(len(A), 1.0),
    )  # fmt: skip


def _take_scores(scores: FaceScores, index: NDArray[np.bool_]) -> FaceScores:
    return FaceScores(*(getattr(scores, field.name)[index] for field in fields(FaceScores)))


def _nothing() -> Found:
    n = 0
    return Found(
        np.zeros(n, np.int64), np.zeros((n, 2, 3)), np.zeros(n), np.zeros((n, 4)), np.zeros(n), np.zeros(n),
        np.zeros(n), np.zeros((n, 3)), np.zeros(n), np.zeros(n),
    )  # fmt: skip


def _joined(a: Found, b: Found) -> Found:
    return Found(*(np.concatenate([getattr(a, f.name), getattr(b, f.name)]) for f in fields(Found)))


def _apart(found: Found, view: View) -> Found:
    """The best of those that overlap: more pips first, then the better score; weak outlines are no dice."""
    ok = (found.sides[:, 1] > MIN_SIDE) & (found.margin > MIN_MARGIN)
    found = found.take(ok)
    order = np.lexsort((-found.score, -found.face))
    kept: list[int] = []
    for i in order:
        if all(
            np.linalg.norm(found.centre_px[i] - found.centre_px[j]) > 0.75 * max(found.edge_px[i], found.edge_px[j])
            for j in kept
        ):
            kept.append(int(i))
    return found.take(np.array(kept, np.intp))


def _covered(found: Found, view: View, xy_px: Floats, margin: float = 1.05) -> NDArray[np.bool_]:
    """Which points N×2 lie on a found die, its top face or its sides."""
    inside = np.zeros(len(xy_px), bool)
    down = view.down_at(found.centre_px)
    for i in range(len(found)):
        A = found.A_image_face[i]
        top = place(A[None].astype(np.float32), CORNERS_XY * np.float32(2 * found.half[i] * margin))[0]
        base = top + (down[i] * found.edge_px[i]).astype(np.float32)
        hull = cv2.convexHull(np.concatenate([top, base]).astype(np.float32))
        inside |= [cv2.pointPolygonTest(hull, (float(x), float(y)), False) >= 0 for x, y in xy_px]
    return inside


def _ones(log_bgr: NDArray[np.float32], blobs: Blobs, many: Found, view: View, turns: int = 12) -> Found:
    """Single spots in the middle of a square of a die's size."""
    free = np.flatnonzero((blobs.evenness >= 0.85) & (np.abs(blobs.contrast).max(axis=1) > 0.15))
    free = free[~_covered(many, view, blobs.xy_px[free])]
    if len(many):
        scale = float(np.median(many.edge_px / view.edge_at(many.centre_px)))
        ratio = blobs.radius_px[free] / (scale * view.edge_at(blobs.xy_px[free]))
        free = free[(ratio > 0.04) & (ratio < 0.3)]
    free = free[:80]
    if not len(free):
        return _nothing()
    spots = blobs.take(free)
    edge = 10 * spots.radius_px
    half = np.linalg.cholesky(view.shape_at(spots.xy_px))
    angle = np.arange(turns) * (np.pi / 2 / turns)
    R = np.stack([np.stack([np.cos(angle), -np.sin(angle)], -1), np.stack([np.sin(angle), np.cos(angle)], -1)], 1)
    A = np.empty((len(free), turns, 2, 3))
    A[..., :2] = (half[:, None] @ R) * edge[:, None, None, None]
    A[..., 2] = spots.xy_px[:, None]
    outline = outlines(log_bgr, A.reshape(-1, 2, 3), 0.2, 0.95)
    if len(many):
        size = scale * view.edge_at(spots.xy_px) / edge / 2
        low, high = np.repeat(size * 0.62, turns), np.repeat(size * 1.5, turns)
    else:
        low, high = np.full(len(free) * turns, 0.22), np.full(len(free) * turns, 0.9)
    reach, sides = outline.best(low, high)
    worth = np.log(sides + 0.02).sum(axis=1).reshape(-1, turns)
    best = worth.argmax(axis=1)
    row = np.arange(len(free))
    pick = row * turns + best
    opposite = worth[row, (best + turns // 2) % turns]
    A1, reach, sides = A.reshape(-1, 2, 3)[pick], reach[pick].astype(float), sides[pick].astype(float)
    unit = A1.copy()
    unit[..., :2] *= 2 * reach[:, None, None]
    radius = float(np.median(spots.radius_px / (edge * 2 * reach)))
    scores = score_faces(log_bgr, unit, one_radius=radius, pip_spacing=SPACING)
    found = Found(
        scores.face, A1, reach, np.sort(sides, axis=1), scores.score.astype(float), scores.margin.astype(float),
        scores.strength.astype(float), scores.body.astype(float), spots.radius_px, worth[row, best] - opposite,
    )  # fmt: skip
    good = (found.face == 1) & (found.score > MIN_SCORE) & (found.margin > MIN_MARGIN) & (found.sides[:, 1] > MIN_SIDE)
    found = found.take(good)
    order = np.argsort(-np.log(found.sides + 0.02).sum(axis=1))
    kept: list[int] = []
    for i in order:
        others = [*kept]
        if all(
            np.linalg.norm(found.centre_px[i] - found.centre_px[j]) > 0.75 * max(found.edge_px[i], found.edge_px[j])
            for j in others
        ):
            kept.append(int(i))
    return found.take(np.array(kept, np.intp))


def _doubts(blobs: Blobs, found: Found, view: View) -> tuple[str, ...]:
    reasons: list[str] = []
    weak = (found.score < SURE_SCORE) | (found.margin < SURE_MARGIN)
    if weak.any():
        reasons.append(f"{int(weak.sum())} of {len(found)} faces hard to read")
    faint = found.sides[:, 1] < SURE_SIDE
    if faint.any():
        reasons.append(f"{int(faint.sum())} of {len(found)} dice with a faint outline")
    return tuple(reasons)


def _die(seen: Search, i: int) -> Die:
    """A found die in pixels of the original picture."""
    found = seen.found
    A = found.A_image_face[i]
    corners = place(A[None].astype(np.float32), CORNERS_XY * np.float32(2 * found.half[i]))[0]
    corners = (corners + 0.5) / seen.scale - 0.5
    x, y = corners.mean(axis=0)
    along = corners[1] - corners[0]
    return Die(
        face=int(found.face[i]),
        confidence=float(np.clip(found.margin[i], 0, 1)),
        x_px=float(x), y_px=float(y),
        size_px=float(found.edge_px[i] / seen.scale),
        angle_deg=float(np.degrees(np.arctan2(along[1], along[0])) % 90),
        corners_px=tuple((float(cx), float(cy)) for cx, cy in corners),
    )  # fmt: skip
