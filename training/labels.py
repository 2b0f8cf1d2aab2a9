"""What a net should say of a picture: where dice show their top faces, what these are and how they lie."""

import numpy as np
from numpy.typing import NDArray

from training.dice import top_face
from training.scenes import MOST_DICE, SIDE_PX, Scene

UNREADABLE, UNDECIDED = 6, 7
"""Classes beside 0 to 5 for the faces 1 to 6: a die whose top face cannot be told, and one about which nothing is
asked. The first is vision.teller's; a test holds them together, so that examples can be made without the reader."""
SMALLEST_PX = 11.0
"""Edges of top faces below this are too small to ask about."""
LEAST_SEEN, MOST_HIDDEN = 0.9, 0.75
"""How much of a top face must be seen to read it, and at how little it cannot be read; between, nothing is asked."""
LEAST_OF_DIE = 0.2
"""A die that shows less than this, in top faces, is too well hidden to ask about."""
NOBODY = (-99, -99, 1, 0, UNDECIDED)
"""The row of no die: far from the picture, and nothing is asked."""

_SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_ACROSS = np.linspace(-0.36, 0.36, 7)  # the rim may be round and show another face
SAMPLES = np.array([(a, b) for a in _ACROSS for b in _ACROSS])
"""Places on a top face, (49, 2) in its edges from its middle."""

SAME_FACE = np.array([np.array(turn) @ np.diag([1, way]) for way in (1, -1) for turn in (
    [[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]],
)])  # fmt: skip
"""The turns and mirrors that leave a square as it is, (8, 2, 2)."""


def labels(scene: Scene, which: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A row for each die, (16, 5), as `label` has them; `which` (side, side, 2) says the die and face of each pixel."""
    rows = np.full((MOST_DICE, 5), NOBODY, np.float32)
    for i in pipped(scene):
        rows[i] = label(scene, which, i)
    return rows


def shapes(scene: Scene) -> NDArray[np.float32]:
    """How each die's uppermost face lies in the picture, (16, 2, 2): columns along its edges, px; zeros for no die."""
    seen = np.zeros((MOST_DICE, 2, 2), np.float32)
    for i in pipped(scene):
        die = scene.dice[i]
        centre, axes = top_face(die)
        # Between the middles of opposite sides: of a near die one side looks larger than the other.
        ends_px = scene.to_px(centre + die.edge / 2 * np.concatenate([axes, -axes]))
        seen[i] = (ends_px[:2] - ends_px[2:]).T
    return seen


def pipped(scene: Scene) -> list[int]:
    """The numbers, from 0, of those dice that have pips."""
    return [i for i, die in enumerate(scene.dice) if not die.block]


def label(scene: Scene, which: NDArray[np.uint8], i: int) -> tuple[float, float, float, float, int]:
    """Where in the picture die `i` shows its top face: x, y and edge (px), angle of an edge (rad), and its class.

    Of a die whose top face cannot be told, x and y are those of its middle.
    """
    die = scene.dice[i]
    centre, axes = top_face(die)
    samples_px = np.floor(scene.to_px(centre + SAMPLES * die.edge @ axes)).astype(int)
    inside = ((samples_px >= 0) & (samples_px < SIDE_PX)).all(1)
    x, y = np.clip(samples_px, 0, SIDE_PX - 1).T
    seen = float((inside & (which[y, x, 0] == i + 1) & (which[y, x, 1] == die.face)).mean())
    corners_px = scene.to_px(centre + _SQUARE * die.edge @ axes)
    along, across = corners_px[1] - corners_px[0], corners_px[3] - corners_px[0]
    edge_px = float(np.sqrt(abs(along[0] * across[1] - along[1] * across[0])))
    if die.flat and seen >= LEAST_SEEN:
        kind = die.face - 1
    elif (die.flat and seen > MOST_HIDDEN) or (which[..., 0] == i + 1).sum() < LEAST_OF_DIE * edge_px**2:
        kind = UNDECIDED
    else:
        kind = UNREADABLE
    x_px, y_px = scene.to_px((centre if kind < UNREADABLE else die.at)[None])[0]
    if edge_px < SMALLEST_PX:
        kind = UNDECIDED
    return float(x_px), float(y_px), edge_px, float(np.arctan2(along[1], along[0])), kind


def pose(
    xy: NDArray[np.float64], A: NDArray[np.float64], true_xy: NDArray[np.float64], true_A: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What should be said, (6,) as in vision.teller.SAID, of a face that truly lies so where it is seen as by `A`."""
    edges = np.linalg.solve(A, true_A) @ SAME_FACE - np.eye(2)
    nearest = edges[np.abs(edges).sum((1, 2)).argmin()]
    return np.concatenate([np.linalg.solve(A, true_xy - xy), nearest.ravel()])
