"""Tells a die that leans from those that lie flat by how it is seen, where nothing is known of the camera.

A camera that looks at dice from one side sees the middle of a die's body beside that of its top face, and the top face
slanted: dice that lie flat agree in both, wherever the camera is.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.spotter import Spots

Floats = NDArray[np.float64]

PART = 0.7  # chance of a pixel to be a part of a die
HOLE = 0.45  # edges: pips and gloss are holes in what looks like a die
_REACH, _LEAST_AREA = 1.3, 0.5  # edges from the middle of a top face; squares of edges
# Before any die is seen: how far bodies are seen from their top faces in the middle of the picture, in edges, and how
# much nearer to the middle for each edge from there; and how far dice that lie flat stray from that.
_MIDDLE, _SLOPE, _SLOPE_OFF, _STRAY = 0.2, -0.028, 0.012, 0.05
# The same of how slanted top faces are (`Spots.slant`); how far they stray, for large dice and for each pixel.
_SLANT, _SLANT_SLOPE, _SLANT_STRAY, _SLANT_STRAY_PX = 0.1, 0.01, 0.015, 0.5


def parts_of_dice(spots: Spots) -> NDArray[np.uint8]:
    """Which pixels of the map look like parts of dice, holes filled: 0 or 1."""
    edge_px = float(np.median(spots.edge_px)) if len(spots) else 0.0
    hole = max(1, round(HOLE * edge_px * spots.map_scale))
    return np.asarray(
        cv2.morphologyEx((spots.die > PART).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((hole, hole), np.uint8)),
        np.uint8,
    )


def leans(dice: Spots, clear: NDArray[np.bool_]) -> Floats:
    """The chance (N,) that a die which lies flat strays at least so far from what the others tell of the camera, 1 of
    those that are not `clear` (N,) to be dice: they tell nothing.

    Four coordinates stray, normally, or two where hardly anything of the body shows.
    """
    if not len(dice):
        return np.zeros(0)
    size = np.array(dice.die.shape[::-1]) / dice.map_scale
    x, y = ((dice.xy_px - size / 2) / float(np.median(dice.edge_px))).T
    one, none = np.ones(len(dice)), np.zeros(len(dice))
    # Seen by a camera far above them, bodies shift by a + s · at; slants change by any linear map, hardly.
    shifts = np.array([[one, none, x], [none, one, y]]).transpose(2, 0, 1)
    slants = np.array([[one, none, x, none, y, none], [none, one, none, x, none, y]]).transpose(2, 0, 1)
    shift, slant = (np.where(clear[:, None], seen, np.nan) for seen in (_shifts(dice), dice.slant))
    stray = np.hypot(_SLANT_STRAY, _SLANT_STRAY_PX / dice.edge_px)
    far = _strays(shift, shifts, [0, 0, _SLOPE], [_MIDDLE, _MIDDLE, _SLOPE_OFF], _STRAY * one)
    slanted = _strays(slant, slants, [0] * 6, [_SLANT] * 2 + [_SLANT_SLOPE] * 4, stray)
    # How often the square of a normal vector's length is larger: the chi-square distribution's tail.
    half = (far + slanted) / 2
    return np.asarray(np.exp(-half) * (1 + half * np.isfinite(shift[:, 0])))


def _shifts(dice: Spots) -> Floats:
    """From the middle of each top face to that of all that shows of its die, (N, 2) edges; nan where little shows.

    What looks like a die belongs to the nearest top face.
    """
    row, column = np.nonzero(parts_of_dice(dice))
    xy = (np.column_stack([column, row]) + 0.5) / dice.map_scale
    away = np.linalg.norm(xy[:, None] - dice.xy_px, axis=2) / dice.edge_px
    own = np.where(away.min(1) < _REACH, away.argmin(1), -1)
    shift = np.full((len(dice), 2), np.nan)
    for k, edge in enumerate(dice.edge_px):
        mine = xy[own == k]
        if len(mine) > _LEAST_AREA * (edge * dice.map_scale) ** 2:
            shift[k] = (mine.mean(0) - dice.xy_px[k]) / edge
    return shift


def _strays(seen: Floats, J: Floats, mean: list[float], deviation: list[float], stray: Floats) -> Floats:
    """Squares (N,) of the deviations by which each of `seen` (N, 2) is off what the others tell, 0 where it is nan.

    Linear regression with a prior, after Bayes: `seen` is `J` (N, 2, P) times P unknowns, of which their `mean` and
    `deviation` (P,) were known before, but for normal errors of deviation `stray` (N,).
    """
    known = np.isfinite(seen[:, 0])
    precision = np.diag(np.array(deviation) ** -2)
    squares = np.zeros(len(seen))
    for k in np.nonzero(known)[0]:
        others = known & (np.arange(len(seen)) != k)
        rows, weights = J[others].reshape(-1, J.shape[2]), np.repeat(stray[others] ** -2, 2)
        covariance = np.linalg.inv(precision + rows.T * weights @ rows)
        evidence = precision @ mean + rows.T * weights @ seen[others].ravel()
        off = seen[k] - J[k] @ covariance @ evidence
        squares[k] = off @ np.linalg.solve(J[k] @ covariance @ J[k].T + np.eye(2) * stray[k] ** 2, off)
    return squares
