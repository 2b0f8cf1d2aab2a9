"""Dice in the world, and how they may lie. Lengths are in edges of a usual die; z is up and the table is z = 0."""

from dataclasses import dataclass, field

import numpy as np

from training.looks import Floats, Look

NORMALS = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, 1, 0), 5: (0, -1, 0), 3: (1, 0, 0), 4: (-1, 0, 0)}
"""Which way each face looks, in the die's own axes; draw.glsl knows them too."""


@dataclass
class Die:
    """One die: its middle `at` (3,), the rotation from its own axes to the world's, and its edge."""

    at: Floats
    R_world_die: Floats
    edge: float
    look: Look
    flat: bool
    block: bool = False
    """A cube or box without pips, which is no die."""
    sides: Floats = field(default_factory=lambda: np.ones(3))
    """Its lengths along its own axes, in its edges: a die's are all 1, a box's any."""

    @property
    def face(self) -> int:
        """The face that is uppermost, 1..6."""
        return max(NORMALS, key=lambda face: float((self.R_world_die @ NORMALS[face])[2]))


def top_face(die: Die) -> tuple[Floats, Floats]:
    """The middle (3,) of the uppermost face in the world, and the units along its edges, as rows (2, 3)."""
    up = np.array(NORMALS[die.face], float)
    along = np.roll(np.abs(up), 1)
    return die.at + die.edge / 2 * die.R_world_die @ up, np.stack([along, np.cross(up, along)]) @ die.R_world_die.T


def flat_pose(rng: np.random.Generator, yaw: float) -> Floats:
    """A rotation (3, 3) that puts a random face on top, turned by `yaw` (rad)."""
    up = np.array(NORMALS[int(rng.integers(1, 7))], float)
    sideways = [np.array(normal, float) for normal in NORMALS.values() if abs(np.dot(normal, up)) < 0.5]
    other = sideways[int(rng.integers(4))]
    R_flat_die = np.stack([other, np.cross(up, other), up])
    return np.asarray(turn_z(yaw) @ R_flat_die)


def turn_z(angle: float) -> Floats:
    """The rotation (3, 3) about the vertical; rad."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def tip(axis: Floats, angle: float) -> Floats:
    """The rotation (3, 3) about a unit axis (3,), by Rodrigues' formula; rad."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


def yaw_axes(die: Die) -> Floats:
    """The two horizontal units along a flat die's edges, as rows (2, 2)."""
    column = max(die.R_world_die.T, key=lambda axis: float(np.hypot(*axis[:2])))[:2]
    x = column / np.linalg.norm(column)
    return np.array([x, [-x[1], x[0]]])


def overlap(a: Die, b: Die) -> bool:
    """Whether two dice lying flat would share room: no axis along an edge separates their squares.

    A box takes up the square of its longest side.
    """
    unit = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]])
    one, other = (die.at[:2] + (unit * die.edge * die.sides.max() / 2) @ yaw_axes(die) for die in (a, b))
    for axis in (*yaw_axes(a), *yaw_axes(b)):
        mine, its = one @ axis, other @ axis
        if mine.max() < its.min() or its.max() < mine.min():
            return False
    return True


def reach(die: Die) -> float:
    """How far its lowest point is below its middle, whichever way it lies."""
    core = die.edge * (die.sides / 2 - die.look.radius)
    below = float(np.abs(die.R_world_die[2]) @ core + die.edge * die.look.radius)
    return min(below, die.edge * die.look.sphere) if die.look.sphere else below
