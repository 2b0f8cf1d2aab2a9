"""How much there is to believe in a die: one number from its pixels, its outline and the company it is in.

The weights are a logistic regression on rendered and photographed dice and on what was wrongly taken for dice, rounded.
They matter most for Ones and Twos; three pips or more in a lattice are hardly ever a coincidence.
"""

import numpy as np
from numpy.typing import NDArray

from vision.candidates import Found
from vision.view import View

Floats = NDArray[np.float64]

# Columns: a One, a Two, three pips or more.
WEIGHTS = {
    "score": (0.4, 0.25, 0.5), "margin": (0.0, 0.0, 0.5), "strength": (0.25, 0.4, 0.5), "evenness": (2.4, 1.7, 1.0),
    "weakest side": (0.8, 0.9, 0.0), "weak side": (1.0, 0.6, 0.55), "best side": (0.4, 0.55, 0.7),
    "squareness": (0.55, 0.0, 0.0), "size": (0.9, 1.4, 1.8), "share": (0.9, 0.95, 0.55), "all": (-3.4, -1.5, -0.4),
}  # fmt: skip
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
    size = np.zeros(len(found))
    if usual_px is not None:
        size = -np.abs(np.log(found.edge_px / view.edge_at(found.centre_px) / usual_px))
    side = np.log(found.sides + 0.02)
    clues = {
        "score": found.score, "margin": np.minimum(found.margin, 1.0), "strength": np.log(found.strength + 0.01),
        "evenness": -np.log(found.spread / (found.strength + 0.01) + 0.02),
        "weakest side": side[:, 0], "weak side": side[:, 1], "best side": side[:, 3],
        "squareness": np.minimum(found.squareness, 3.0), "size": size,
        "share": -np.abs(np.log(found.radius_px / found.edge_px / USUAL_SHARE)), "all": np.ones(len(found)),
    }  # fmt: skip
    kind = np.minimum(found.face, 3) - 1
    return np.asarray(sum(np.array(WEIGHTS[clue])[kind] * value for clue, value in clues.items()), np.float64)
