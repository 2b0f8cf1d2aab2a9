"""Why a reading of a photograph should not be trusted, in words for the person who took it."""

import numpy as np
from numpy.typing import NDArray

from vision.belief import belief, usual_edge_px
from vision.blobs import CIRCLE_XY, Blobs
from vision.candidates import Found, covered, square_outline
from vision.lattice import Faces
from vision.pips import sample
from vision.view import View

SURE_BELIEF = 0.4
SURE_SCORE = 0.4
SURE_MARGIN = 0.25
ONE_COLOUR = 0.7  # log units within which the bodies of dice of one set lie, in light and shadow
MIN_BODY_PX = 10.0
SHARE = (0.065, 0.22)  # radius of a pip over the edge
MARKED = 0.3  # log units that the inside of a body varies by when there are pips on it
USUAL_SIZE = (0.55, 1.8)


def doubts(
    log_bgr: NDArray[np.float32], spots: Blobs, blobs: Blobs, faces: Faces, found: Found, view: View
) -> tuple[str, ...]:
    """The reasons against the dice found; none when the reader stands behind them."""
    reasons: list[str] = []

    def complain(which: NDArray[np.bool_], what: str) -> None:
        if which.any():
            faces = " ".join(str(face) for face in found.face[which])
            reasons.append(f"{what} ({faces})")

    usual = usual_edge_px(found, view)
    complain((found.score < SURE_SCORE) | (found.margin < SURE_MARGIN), "faces that could be read another way")
    share = found.radius_px / found.edge_px
    askew = found.squareness < np.where(found.face <= 2, -0.3, -1.5)
    complain(askew | (share < SHARE[0]) | (share > SHARE[1]), "faces that do not fit their outline")
    complain(belief(found, view, usual) < SURE_BELIEF, "what may not be a die")
    if usual is not None:
        size = found.edge_px / view.edge_at(found.centre_px) / usual
        complain((size < USUAL_SIZE[0]) | (size > USUAL_SIZE[1]), "dice much larger or smaller than the others")
        complain(_in_line(found), "faces in one line, as on dominoes")
        bodies = len(die_sized(log_bgr, spots, found, view, usual))
        if bodies:
            reasons.append(f"{bodies} things as large as a die whose face cannot be read")
        complain(pips_on(blobs, found) > found.face, "dice with more spots than the face has")
        left = len(left_over(spots, found, view))
        if left:
            reasons.append(f"{left} spots that look like pips of no die that was read")
    if len(unread := _unread(blobs, faces, found, view)):
        reasons.append(f"pips in the order of a face that cannot be read, at {len(unread)} places")
    return tuple(reasons)


def _unread(blobs: Blobs, faces: Faces, found: Found, view: View) -> Faces:
    """The lattices of four pips and more that lie on no die that was found."""
    many = faces.take((faces.count >= 4) & (faces.residual < 0.1))
    there = many.pips >= 0
    strength = np.linalg.norm(blobs.contrast, axis=1)
    free = (blobs.evenness > 0.9) & (strength > 0.6) & ~covered(found, view, blobs.xy_px)
    return many.take((free[many.pips] | ~there).all(axis=1))


def _in_line(found: Found) -> NDArray[np.bool_]:
    """Which faces (N,) continue another of their colour edge to edge and in one line, as halves of a domino do."""
    line = np.zeros(len(found), bool)
    for i in range(len(found)):
        offset = np.linalg.solve(found.A_image_face[i, :, :2], (found.centre_px - found.centre_px[i]).T) / found.edge[i]
        near, far = np.sort(np.abs(offset), axis=0)
        # Their edges are parallel when those of one are whole quarter turns in the frame of the other.
        turned = np.linalg.solve(found.A_image_face[i, :, :2], found.A_image_face[:, :, :2])
        angle = np.degrees(np.arctan2(turned[:, 1, 0], turned[:, 0, 0])) % 90
        parallel = np.minimum(angle, 90 - angle) < 6
        alike = np.abs(found.body - found.body[i]).max(axis=1) < 0.3
        line[i] = ((near < 0.1) & (far > 0.75) & (far < 1.25) & parallel & alike).any()
    return line


def left_over(spots: Blobs, found: Found, view: View) -> Blobs:
    """The spots that are like the pips of a sure die, in colour and size, and lie on no die."""
    found_here, found = found, found.take(belief(found, view, usual_edge_px(found, view)) > SURE_BELIEF)
    spots = spots.take(~covered(found_here, view, spots.xy_px, 1.25))
    share = spots.radius_px / view.edge_at(spots.xy_px)
    usual = found.radius_px / view.edge_at(found.centre_px)
    ratio = share[:, None] / usual
    differ = np.linalg.norm(spots.contrast[:, None] - found.contrast, axis=2) / found.strength
    body = np.abs(spots.body[:, None] - found.body).max(axis=2)
    like = (ratio > 0.6) & (ratio < 1.6) & (differ < 0.5) & (body < 0.6)
    return spots.take(like.any(axis=1) & (spots.evenness > 0.75))


def pips_on(blobs: Blobs, found: Found) -> NDArray[np.int64]:
    """How many spots (N,) that are like its own pips lie on each top face; each face should have as many as it says."""
    there = np.zeros(len(found), np.int64)
    for i in range(len(found)):
        offset = np.linalg.solve(found.A_image_face[i, :, :2], (blobs.xy_px - found.centre_px[i]).T)
        on = (np.abs(offset) < 0.44 * found.edge[i]).all(axis=0)
        ratio = blobs.radius_px / found.radius_px[i]
        differ = np.linalg.norm(blobs.contrast - found.contrast[i], axis=1) / found.strength[i]
        there[i] = (on & (ratio > 0.6) & (ratio < 1.7) & (differ < 0.6)).sum()
    return there


def die_sized(
    log_bgr: NDArray[np.float32], spots: Blobs, found: Found, view: View, usual_px: float | None
) -> Blobs:
    """The spots as large as a die, square and marked inside, that stand by themselves: no face was found on them."""
    size = 0.9 * np.sqrt(np.pi) * spots.radius_px / view.edge_at(spots.xy_px)
    fits = spots.radius_px > MIN_BODY_PX if usual_px is None else np.abs(np.log(size / usual_px)) < 0.7
    bodies = spots.take(fits & (spots.evenness > 0.8) & ~covered(found, view, spots.xy_px, 1.3))
    if not len(bodies):
        return bodies
    inside = bodies.radius_px[:, None, None] * (CIRCLE_XY * np.array([0.15, 0.3, 0.45])[:, None, None]).reshape(-1, 2)
    values = sample(log_bgr, (bodies.xy_px[:, None] + inside).astype(np.float32))
    low, high = np.percentile(values, (5, 95), axis=1)
    sides, squareness = square_outline(log_bgr, bodies, view)
    kin = np.ones(len(bodies), bool)
    if len(found) > 1 and np.ptp(found.body, axis=0).max() < ONE_COLOUR:
        kin = np.abs(bodies.body + bodies.contrast - np.median(found.body, axis=0)).max(axis=1) < ONE_COLOUR
    square = (squareness > (0.0 if usual_px is None else 0.5)) & (sides.min(axis=1) > 0.15)
    return bodies.take(kin & square & ((high - low).max(axis=1) > MARKED))
