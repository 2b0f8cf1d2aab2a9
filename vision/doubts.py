"""Why a reading of a photograph should not be trusted, in words for the person who took it."""

import numpy as np
from numpy.typing import NDArray

from vision.blobs import CIRCLE_XY, Blobs
from vision.belief import belief, usual_edge_px
from vision.candidates import Found, covered
from vision.pips import sample
from vision.view import View

SURE_BELIEF = 0.5
SURE_SCORE = 0.4
SURE_MARGIN = 0.25
MARKED = 0.3  # log units that the inside of a body varies by when there are pips on it
USUAL_SIZE = (0.55, 1.8)


def doubts(log_bgr: NDArray[np.float32], spots: Blobs, blobs: Blobs, found: Found, view: View) -> tuple[str, ...]:
    """The reasons against the dice found; none when the reader stands behind them."""
    reasons: list[str] = []

    def complain(which: NDArray[np.bool_], what: str) -> None:
        if which.any():
            faces = " ".join(str(face) for face in found.face[which])
            reasons.append(f"{what} ({faces})")

    usual = usual_edge_px(found, view)
    complain((found.score < SURE_SCORE) | (found.margin < SURE_MARGIN), "faces that could be read another way")
    complain(belief(found, view, usual) < SURE_BELIEF, "what may not be a die")
    if usual is not None:
        size = found.edge_px / view.edge_at(found.centre_px) / usual
        complain((size < USUAL_SIZE[0]) | (size > USUAL_SIZE[1]), "dice much larger or smaller than the others")
        bodies = len(die_sized(log_bgr, spots, found, view, usual))
        if bodies:
            reasons.append(f"{bodies} things as large as a die whose face cannot be read")
        left = len(left_over(blobs, found, view))
        if left:
            reasons.append(f"{left} spots that look like pips of no die that was read")
    return tuple(reasons)


def left_over(blobs: Blobs, found: Found, view: View) -> Blobs:
    """The spots that are like the pips of a die that was found, in colour and size, and lie on none."""
    spots = blobs.take(~covered(found, view, blobs.xy_px))
    share = spots.radius_px / view.edge_at(spots.xy_px)
    usual = found.radius_px / view.edge_at(found.centre_px)
    ratio = share[:, None] / usual
    differ = np.linalg.norm(spots.contrast[:, None] - found.contrast, axis=2) / found.strength
    body = np.abs(spots.body[:, None] - found.body).max(axis=2)
    like = (ratio > 0.65) & (ratio < 1.5) & (differ < 0.45) & (body < 0.45)
    return spots.take(like.any(axis=1) & (spots.evenness > 0.85))


def die_sized(log_bgr: NDArray[np.float32], spots: Blobs, found: Found, view: View, usual_px: float) -> Blobs:
    """The spots as large as a die, marked inside, that stand by themselves: bodies on which no face was found."""
    size = spots.radius_px / view.edge_at(spots.xy_px) / usual_px
    bodies = spots.take((size > 0.4) & (size < 0.9) & (spots.evenness > 0.8) & ~covered(found, view, spots.xy_px, 1.3))
    inside = bodies.radius_px[:, None, None] * (CIRCLE_XY * np.array([0.15, 0.3, 0.45])[:, None, None]).reshape(-1, 2)
    values = sample(log_bgr, bodies.xy_px[:, None] + inside)
    low, high = np.percentile(values, (5, 95), axis=1)
    return bodies.take((high - low).max(axis=1) > MARKED)
