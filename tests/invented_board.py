"""An invented truth: a board before a camera with a known lens and pose, seen with seeded noise."""

import numpy as np

from calibration.board import Board, BoardView
from vision.profile import Floats, Lens, Pose
from vision.rectify import project

SIZE_PX = (1024, 768)
CENTRE_PX = (511.5, 383.5)
NOISE_PX = 0.1


def pose_over(board_mm: Floats, distance_mm: float, tilt: float, azimuth: float, turn: float) -> Pose:
    """A camera that looks at the middle of the board from a distance, tilted (degrees) towards an azimuth."""
    tilt, azimuth, turn = np.deg2rad([tilt, azimuth, turn])
    middle = np.append(board_mm.mean(0), 0.0)
    ahead = -np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    right = np.cross(ahead, [-np.sin(turn), np.cos(turn), 0.0])
    right /= np.linalg.norm(right)
    R = np.stack([right, np.cross(ahead, right), ahead])
    return Pose(R, -R @ (middle - distance_mm * ahead))


def view_of(lens: Lens, pose: Pose, noise_px: float = NOISE_PX, seed: int = 0, board: Board = Board()) -> BoardView:  # noqa: B008
    points = board.corners_mm
    seen = project(lens, pose, np.column_stack([points, np.zeros(len(points))]))
    seen = seen + np.random.default_rng(seed).normal(scale=noise_px, size=seen.shape)
    inside = ((seen > 0) & (seen < SIZE_PX)).all(1)
    return BoardView(seen[inside], points[inside], SIZE_PX, board.square_mm)
