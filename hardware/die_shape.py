"""The shape of an ordinary die: which face is where, where the pips sit, how a die lies.

Pure geometry, lengths in edges. Die frame: origin at the centre, axes along the edges. Opposite faces sum to seven.
"""

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NORMALS: dict[int, Floats] = {
    1: np.array([0.0, 0.0, 1.0]),
    2: np.array([0.0, 1.0, 0.0]),
    3: np.array([1.0, 0.0, 0.0]),
    4: np.array([-1.0, 0.0, 0.0]),
    5: np.array([0.0, -1.0, 0.0]),
    6: np.array([0.0, 0.0, -1.0]),
}
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
CORNERS: Floats = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def face_axes(face: int) -> tuple[Floats, Floats, Floats]:
    """Unit vectors (u, v, n) of a face in the die frame: u and v span it, n points outwards, u × v = n."""
    n = NORMALS[face]
    u = np.roll(np.abs(n), 1)
    return u, np.cross(n, u), n


def on_face(face: int, uv: Iterable[tuple[float, float]] | Floats) -> Floats:
    """Points N×3 in the die frame for (u, v) offsets in edges from the centre of a face."""
    u, v, n = face_axes(face)
    grid = np.asarray(list(uv) if not isinstance(uv, np.ndarray) else uv, np.float64)
    return grid[:, :1] * u + grid[:, 1:] * v + 0.5 * n


def rotation(rotvec: Floats) -> Floats:
    """3×3 rotation about `rotvec` by its length in radians."""
    return np.asarray(cv2.Rodrigues(np.asarray(rotvec, np.float64))[0], np.float64)


def lying(face: int, yaw_rad: float) -> Floats:
    """R_tray_die of a die that lies flat with `face` up, turned by `yaw_rad` about the vertical."""
    u, v, n = face_axes(face)
    return rotation(np.array([0.0, 0.0, yaw_rad])) @ np.stack([u, v, n])


def top_face(R_tray_die: Floats) -> tuple[int, float]:
    """(the face that looks up, its lean from the horizontal in degrees 0..55)."""
    up = {face: float(R_tray_die[2] @ n) for face, n in NORMALS.items()}
    face = max(up, key=up.__getitem__)
    return face, float(np.degrees(np.arccos(min(1.0, up[face]))))


def reach(R_tray_die: Floats) -> Floats:
    """How far the die reaches from its centre along x, y and z of the tray, in edges."""
    return np.asarray(0.5 * np.abs(R_tray_die).sum(axis=1), np.float64)


def rounded_square(half: float, radius: float, steps: int = 4) -> Floats:
    """Outline N×2 of a square of ±`half` whose corners are arcs of `radius`, counter-clockwise."""
    arc = np.linspace(0.0, np.pi / 2, steps)
    corner = (half - radius) + radius * np.stack([np.cos(arc), np.sin(arc)], axis=1)
    turns = (np.array([[c, s], [-s, c]], np.float64) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)))
    return np.concatenate([corner @ turn for turn in turns])


def circle(radius: float, steps: int = 20) -> Floats:
    """Outline N×2 of a circle about the origin."""
    turn = np.linspace(0.0, 2 * np.pi, steps, endpoint=False)
    return radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def rounded_body(radius: float) -> Floats:
    """Points N×3 whose convex hull is a cube with edges rounded to `radius`."""
    a = np.linspace(0.0, np.pi / 2, 4)
    polar = np.array([[np.cos(s) * np.cos(t), np.cos(s) * np.sin(t), np.sin(s)] for s in a for t in a])
    return np.concatenate([np.sign(c) * ((0.5 - radius) + radius * polar) for c in CORNERS])
