"""The lens from several tilted views of the board, and which view is still missing."""

from collections.abc import Sequence

import numpy as np

from calibration.board import BoardView
from calibration.errors import CalibrationError
from calibration.fit import Fit, assumed_focal_px, fit_board
from vision.profile import Pose
from vision.rectify import camera_position_mm

LEAST_VIEWS = 4
LEAST_SLANT_DEG = 12.0
SECTORS = ("its top edge", "its right edge", "its bottom edge", "its left edge")
FOCAL_SD_WANTED = 0.01


def missing_tilts(poses: Sequence[Pose], board_middle_mm: np.ndarray) -> tuple[str, ...]:
    """The edges of the board that were never held clearly nearer to the camera than the opposite ones.

    The board's own frame is the tray frame: the camera leans over the edge that is held up to it.
    """
    seen = set()
    for pose in poses:
        x, y, z = camera_position_mm(pose) - np.append(board_middle_mm, 0.0)
        if np.degrees(np.arctan2(np.hypot(x, y), z)) >= LEAST_SLANT_DEG:
            seen.add(int(np.round(np.degrees(np.arctan2(x, y)) / 90)) % 4)
    return tuple(name for sector, name in enumerate(SECTORS) if sector not in seen)


def fit_lens(views: Sequence[BoardView], camera: str) -> Fit:
    """The lens that explains all views; raises CalibrationError when they are too few or too alike, naming the tilt."""
    if len(views) < LEAST_VIEWS:
        raise CalibrationError(f"{len(views)} views of the board do not tell a lens: take {LEAST_VIEWS} or more")
    fit = fit_board(views, assumed_focal_px(views[0].size_px[0], camera))
    corners_mm = np.concatenate([view.corners_mm for view in views])
    missing = missing_tilts(fit.poses, corners_mm.mean(0))
    if len(missing) > 1 or fit.focal_sd > FOCAL_SD_WANTED:
        held = " and with ".join(missing) or "any edge"
        raise CalibrationError(
            f"the views are too much alike (focal length known to {fit.focal_sd:.1%} only): "
            f"hold the board with {held} about 3 cm nearer to the camera"
        )
    return fit
