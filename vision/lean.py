"""Tells a die that leans from those that lie flat by what shows of its sides, where nothing is known of the camera.

A camera sees the middle of a die's body beside that of its top face, by as much as it looks at the die from one side:
dice that lie flat agree in this, wherever the camera is.
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
# much farther for each edge from there; and how far dice that lie flat stray from that.
_MIDDLE, _SLOPE, _SLOPE_OFF, _STRAY = 0.2, 0.03, 0.03, 0.07


def parts_of_dice(spots: Spots) -> NDArray[np.uint8]:
    """Which pixels of the map look like parts of dice, holes filled: 0 or 1."""
    edge_px = float(np.median(spots.edge_px)) if len(spots) else 0.0
    hole = max(1, round(HOLE * edge_px * spots.map_scale))
    return np.asarray(
        cv2.morphologyEx((spots.die > PART).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((hole, hole), np.uint8)),
        np.uint8,
    )


def leans(dice: Spots) -> Floats:
    """How far each of N dice strays from what the others tell of the camera: (N,) deviations, 0 where it hides."""
    if not len(dice):
        return np.zeros(0)
    shift = _shifts(dice)
    known = np.isfinite(shift[:, 0])
    size = np.array(dice.die.shape[::-1]) / dice.map_scale
    at = (dice.xy_px - size / 2) / float(np.median(dice.edge_px))
    return np.array([_deviations(shift, at, known, k) if known[k] else 0.0 for k in range(len(dice))])


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


def _deviations(shift: Floats, at: Floats, known: NDArray[np.bool_], k: int) -> float:
    """Of the shift of die `k`, from that which the others let expect: linear regression with a prior, after Bayes.

    The shift is linear in the place, x = a + s · at, which holds well below a camera and well enough far from it.
    """
    information = np.diag([_MIDDLE**-2, _MIDDLE**-2, _SLOPE_OFF**-2])
    evidence = information @ [0, 0, _SLOPE]
    for i in np.nonzero(known)[0]:
        if i != k:
            J = _jacobian(at[i])
            information = information + J.T @ J / _STRAY**2
            evidence = evidence + J.T @ shift[i] / _STRAY**2
    covariance, J = np.linalg.inv(information), _jacobian(at[k])
    off = shift[k] - J @ covariance @ evidence
    return float(np.sqrt(off @ np.linalg.solve(J @ covariance @ J.T + np.eye(2) * _STRAY**2, off)))


def _jacobian(at: Floats) -> Floats:
    return np.array([[1, 0, at[0]], [0, 1, at[1]]])
