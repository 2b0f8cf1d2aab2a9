"""How much there is to believe in a die: one number from its pixels, its outline and the company it is in.

The weights are a logistic regression on rendered and photographed dice and on what was wrongly taken for dice, rounded.
They matter for Ones and Twos; three pips or more in a lattice are hardly ever a coincidence.
"""

import numpy as np
from numpy.typing import NDArray

from vision.candidates import Found
from vision.view import View

Floats = NDArray[np.float64]

COINCIDENCE = {1: -1.9, 2: 0.0, 3: 2.0, 4: 3.5, 5: 3.5, 6: 3.5}
USUAL_SHARE = 0.1  # radius of a pip over the edge of its die


def usual_edge_px(found: Found, view: View) -> float | None:
    """The edge most of the dice have, as it would look in the middle of the picture; None without dice."""
    if not len(found):
        return None
    size = np.log(found.edge_px / view.edge_at(found.centre_px))
    weight = belief(found, view, None) * found.face
    density = (weight * np.exp(-0.5 * ((size[:, None] - size) / 0.15) ** 2)).sum(axis=1)
    return float(np.exp(size[density.argmax()]))


def belief(found: Found, view: View, usual_px: float | None) -> Floats:
    """The chance (N,) that each is a die with that face; `usual_px` is what `usual_edge_px` returns."""
    return np.asarray(1.0 / (1.0 + np.exp(-evidence(found, view, usual_px))), np.float64)


def evidence(found: Found, view: View, usual_px: float | None) -> Floats:
    """The belief as log odds (N,)."""
    one = found.face == 1
    side = np.log(found.sides + 0.02)
    share = np.abs(np.log(found.radius_px / found.edge_px / USUAL_SHARE))
    size = np.zeros(len(found))
    if usual_px is not None:
        size = np.abs(np.log(found.edge_px / view.edge_at(found.centre_px) / usual_px))
    as_one = (2.4 * found.score + np.log(found.strength + 0.01) + 0.42 * (side[:, 0] + side[:, 1] + side[:, 3])
              + 0.7 * np.minimum(found.squareness, 3.0) - 1.4 * size - 1.3 * share)  # fmt: skip
    as_many = (1.8 * found.score + 1.7 * np.log(found.strength + 0.01) + 0.8 * side[:, 1] + 0.15 * (side[:, 0] + side[:, 3])
               - 2.2 * size - 0.3 * share)  # fmt: skip
    prior = np.array([COINCIDENCE[int(face)] for face in found.face])
    return np.asarray(np.where(one, as_one, as_many) + prior, np.float64)
