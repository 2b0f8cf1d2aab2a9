"""Dice that may lie in a photograph: lattices and single spots that their pixels and their outline make a top face."""

from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs
from vision.lattice import SPACING, Faces
from vision.outline import outlines
from vision.pips import score_faces
from vision.view import View

Floats = NDArray[np.float64]
Picture = NDArray[np.float32]

CORNERS_XY = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)

MIN_STRENGTH = 0.35  # log units over three channels; texture of carpets and felts stays below
MIN_SCORE = {1: 0.35, 2: 0.45, 3: 0.35, 4: 0.25, 5: 0.25, 6: 0.15}  # the more pips, the less a chance likeness
MIN_MARGIN = 0.1
MIN_SIDE = 0.03
HALF_EDGE = (0.41, 0.8)  # as the usual lattice has it: the pips of some dice keep close to the middle
OVERLAP = 0.12  # of the smaller face's area
PIP_SHARE = (0.05, 0.24)  # radius of a One over the die's edge
LARGEST_ONE_PX = 40.0  # beyond that a whole die is taken for a pip
LARGEST_EDGE_PX = 360.0  # beyond that the pips of several dice are taken for one face
TURNS = 12


@dataclass(frozen=True, slots=True)
class Found:
    """N dice that may lie in the picture, arrays of length N.

    `face` 1..6; `A_image_face` N×2×3 maps face coordinates to pixels and `edge` is
    the die's edge in those coordinates; `sides` N×4, the steps across its outline, weakest first, log units; `score`,
    `margin`, `strength` N, of its pixels (see FaceScores) and `spread` N, how uneven its body is, log units; `body`,
    `contrast` N×3, log; `radius_px` N, of its pips; `squareness` N, how much clearer the outline is than the same
    turned by 45°, log units (0 for a disc).
    """

    face: NDArray[np.int64]
    A_image_face: Floats
    edge: Floats
    sides: Floats
    score: Floats
    margin: Floats
    strength: Floats
    spread: Floats
    body: Floats
    contrast: Floats
    radius_px: Floats
    squareness: Floats

    def __len__(self) -> int:
        return len(self.face)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "Found":
        """The dice that `index` names, in that order."""
        return Found(*(getattr(self, field.name)[index] for field in fields(self)))

    def joined(self, other: "Found") -> "Found":
        """These dice, then the others."""
        return Found(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))

    @property
    def edge_px(self) -> Floats:
        """The edge of a square as large as the top face in the picture."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.A_image_face[:, :, :2]))) * self.edge)

    @property
    def centre_px(self) -> Floats:
        """The middles of the top faces, N×2."""
        return np.asarray(self.A_image_face[:, :, 2])

    @property
    def corners_px(self) -> Picture:
        """The corners of the top faces, N×4×2."""
        corners = CORNERS_XY * self.edge[:, None, None]
        turned = np.einsum("nij,nkj->nki", self.A_image_face[:, :, :2], corners)
        return np.asarray(turned + self.A_image_face[:, None, :, 2], np.float32)


def nothing_found() -> Found:
    """No dice."""
    number, three = np.zeros(0), np.zeros((0, 3))
    return Found(
        np.zeros(0, np.int64), np.zeros((0, 2, 3)), number, np.zeros((0, 4)), number, number, number, number, three,
        three, number, number,
    )  # fmt: skip


def many_pipped(log_bgr: Picture, blobs: Blobs, faces: Faces) -> Found:
    """The Twos to Sixes among the lattices, those that overlap a better one left out."""
    faces = faces.take((faces.residual < 0.12) & ((faces.face > 0) | (faces.count >= 4)))
    if not len(faces):
        return nothing_found()
    members = faces.pips >= 0
    # The squares of a chequered board touch at their corners, pips stand alone.
    evenness = (blobs.evenness[faces.pips] * members).sum(axis=1) / members.sum(axis=1)
    faces, members = faces.take(evenness > 0.85), members[evenness > 0.85]
    if not len(faces):
        return nothing_found()
    radius = (blobs.radius_px[faces.pips] * members).sum(axis=1) / members.sum(axis=1)
    found = replace(judged(log_bgr, faces.A_image_lattice, radius), A_image_face=faces.A_image_face)
    found = found.take(_passes(found) & (found.face > 1))
    if not len(found):
        return found
    found = measured(log_bgr, found)
    found = found.take((found.sides[:, 1] > MIN_SIDE) & (found.edge_px < LARGEST_EDGE_PX))
    return apart(found, np.lexsort((-found.score, -found.face)))


def single_pipped(log_bgr: Picture, blobs: Blobs, view: View, usual_edge: float | None) -> Found:
    """The Ones: single spots in the middle of a square of a die's size, best outline first.

    `usual_edge` is the edge of the other dice at the middle of the picture in pixels, if there are any.
    """
    small = blobs.radius_px < LARGEST_ONE_PX
    spots = blobs.take(small & (blobs.evenness >= 0.85) & (np.linalg.norm(blobs.contrast, axis=1) > MIN_STRENGTH))
    if usual_edge is not None:
        share = spots.radius_px / (usual_edge * view.edge_at(spots.xy_px))
        spots = spots.take((share > PIP_SHARE[0] * 0.6) & (share < PIP_SHARE[1] * 1.5))
    spots = spots.take(np.arange(min(len(spots), 80)))
    if not len(spots):
        return nothing_found()
    guess = 10 * spots.radius_px
    A = turned_maps(spots, view, guess)
    low, high = np.full(len(spots), 0.05 / PIP_SHARE[1]), np.full(len(spots), 0.05 / PIP_SHARE[0])
    if usual_edge is not None:
        half = usual_edge * view.edge_at(spots.xy_px) / guess / 2
        low, high = np.maximum(low, half * 0.62), np.minimum(high, half * 1.5)
    outline = outlines(log_bgr, A.reshape(-1, 2, 3), 0.05 / PIP_SHARE[1], 0.05 / PIP_SHARE[0])
    reach, sides = outline.best(np.repeat(low, TURNS), np.repeat(high, TURNS))
    worth = np.log(sides + 0.02).sum(axis=1).reshape(-1, TURNS)
    row, turn = np.arange(len(spots)), worth.argmax(axis=1)
    squareness = worth[row, turn] - worth[row, (turn + TURNS // 2) % TURNS]
    pick = row * TURNS + turn
    unit = A[row, turn]
    unit[:, :, :2] *= 2 * reach[pick][:, None, None]
    found = judged(log_bgr, unit, spots.radius_px)
    found = _with_outline(found, np.full(len(unit), 0.5), sides[pick], squareness)
    found = found.take(_passes(found) & (found.face == 1) & (found.sides[:, 1] > MIN_SIDE))
    return apart(found, np.argsort(-np.log(found.sides + 0.02).sum(axis=1)))


def square_outline(log_bgr: Picture, bodies: Blobs, view: View) -> tuple[Floats, Floats]:
    """The steps across the sides (N×4) of the clearest square about as large as each of N ≥ 1 bodies, and how much
    clearer it is than the same turned by 45° (N,), log units.
    """
    A = turned_maps(bodies, view, np.sqrt(np.pi) * bodies.radius_px)
    _, sides = outlines(log_bgr, A.reshape(-1, 2, 3), 0.35, 0.65).best(0.36, 0.62)
    worth = np.log(sides + 0.02).sum(axis=1).reshape(-1, TURNS)
    row, turn = np.arange(len(bodies)), worth.argmax(axis=1)
    squareness = worth[row, turn] - worth[row, (turn + TURNS // 2) % TURNS]
    return sides.reshape(-1, TURNS, 4)[row, turn].astype(np.float64), squareness.astype(np.float64)


def turned_maps(spots: Blobs, view: View, edge_px: Floats) -> Floats:
    """Maps of faces around N spots on the dice's plane in every turn: N×TURNS×2×3."""
    angle = np.arange(TURNS) * (np.pi / 2 / TURNS)
    R = np.moveaxis(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), 2, 0)
    A = np.empty((len(spots), TURNS, 2, 3))
    A[..., :2] = (np.linalg.cholesky(view.shape_at(spots.xy_px)) * edge_px[:, None, None])[:, None] @ R
    A[..., 2] = spots.xy_px[:, None]
    return A


def apart(found: Found, order: NDArray[np.intp], taken: Found | None = None) -> Found:
    """The dice in that order without those whose top face overlaps an earlier one's or one of the `taken`."""
    shapes = [] if taken is None else list(taken.corners_px)
    kept: list[int] = []
    corners = found.corners_px
    for i in order:
        if not any(_overlap(corners[i], shape) for shape in shapes):
            shapes.append(corners[i])
            kept.append(int(i))
    return found.take(np.array(kept, np.intp))


def covered(found: Found, view: View, xy_px: Floats, margin: float = 1.1) -> NDArray[np.bool_]:
    """Which of the points N×2 lie on a found die, on its top face or its sides."""
    inside = np.zeros(len(xy_px), bool)
    down = view.down_at(found.centre_px) * found.edge_px[:, None]
    middle = found.centre_px[:, None]
    for corners, shift in zip((found.corners_px - middle) * margin + middle, down, strict=True):
        hull = cv2.convexHull(np.concatenate([corners, corners + shift]).astype(np.float32))
        inside |= np.array([cv2.pointPolygonTest(hull, (float(x), float(y)), False) >= 0 for x, y in xy_px], bool)
    return inside


def judged(log_bgr: Picture, A_image_face: Floats, radius_px: Floats) -> Found:
    """What the pixels say of N ≥ 1 maps whose pips have about the radius `radius_px` (N,); outlines are left open."""
    n = len(A_image_face)
    edge_px = np.sqrt(np.abs(np.linalg.det(A_image_face[:, :, :2])))
    share = float(np.clip(np.median(radius_px / edge_px), 0.06, 0.16))
    scores = score_faces(log_bgr, A_image_face, pip_radius=min(share, 0.12), pip_spacing=SPACING, one_radius=share)
    score, margin, strength, spread, body, contrast = (
        np.asarray(a, np.float64)
        for a in (scores.score, scores.margin, scores.strength, scores.body_spread, scores.body, scores.contrast)
    )
    return Found(
        scores.face, A_image_face, np.ones(n), np.ones((n, 4)), score, margin, strength, spread, body, contrast,
        radius_px, np.full(n, 9.0),
    )  # fmt: skip


def measured(log_bgr: Picture, found: Found) -> Found:
    """The same N ≥ 1 dice with their edge and the clearness of their outline."""
    reach, sides = outlines(log_bgr, found.A_image_face, 0.36, 0.9).best(*HALF_EDGE)
    _, turned = outlines(log_bgr, _turned_by_45(found.A_image_face), 0.36, 0.9).best(*HALF_EDGE)
    return _with_outline(found, reach, sides, (np.log(sides + 0.02) - np.log(turned + 0.02)).sum(axis=1))


def _turned_by_45(A_image_face: Floats) -> Floats:
    turned = A_image_face.copy()
    turned[:, :, 0] = (A_image_face[:, :, 0] + A_image_face[:, :, 1]) / np.sqrt(2)
    turned[:, :, 1] = (A_image_face[:, :, 1] - A_image_face[:, :, 0]) / np.sqrt(2)
    return turned


def _passes(found: Found) -> NDArray[np.bool_]:
    least = np.array([MIN_SCORE[int(face)] for face in found.face])
    return np.asarray((found.score > least) & (found.margin > MIN_MARGIN) & (found.strength > MIN_STRENGTH))


def _with_outline(found: Found, reach: Picture, sides: Picture, squareness: Floats) -> Found:
    edge, steps = 2.0 * reach.astype(np.float64), np.sort(sides.astype(np.float64), axis=1)
    return replace(found, edge=edge, sides=steps, squareness=squareness)


def _overlap(a: Picture, b: Picture) -> bool:
    centre_distance = np.abs(a.mean(axis=0) - b.mean(axis=0)).max()
    if centre_distance > np.ptp(a, axis=0).max() + np.ptp(b, axis=0).max():
        return False
    area, _ = cv2.intersectConvexConvex(a, b)
    return bool(area > OVERLAP * min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b))))
