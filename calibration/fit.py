"""Lens and pose from the corners of a board, by least squares on what the picture shows; pure.

What one picture of a flat board cannot tell (the focal length when the camera looks straight down) is not decided by
thresholds: what is known beforehand enters the fit as two more residuals, and counts only where the picture does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.board import BoardView
from calibration.errors import CalibrationError
from vision.profile import BoardFit, Floats, Lens, Pose
from vision.rectify import camera_matrix, camera_position_mm

# Horizontal fields of view of the Raspberry Pi camera modules by sensor (raspberrypi.com, camera documentation).
FIELD_OF_VIEW_DEG = {"ov5647": 53.5, "imx219": 62.2, "imx708": 66.0, "imx708_wide": 102.0, "imx500": 66.3}
USUAL_FIELD_OF_VIEW_DEG = 60.0

# How far lenses lie from what is assumed of them: one standard deviation.
LOG_FOCAL_SD = 0.15
K1_SD = 0.2
CORNER_SD_PX = 0.1

STEPS = 60


@dataclass(frozen=True, slots=True)
class Fit:
    """The lens, a pose for each view, and what is left over.

    `focal_sd` is one standard deviation of the focal length as a share of it, `k1_sd` one of k1.
    """

    lens: Lens
    poses: tuple[Pose, ...]
    residuals_px: tuple[Floats, ...]
    focal_sd: float
    k1_sd: float

    @property
    def focal_measured(self) -> bool:
        """Whether the pictures told the focal length rather than the assumption."""
        return self.focal_sd < LOG_FOCAL_SD / 3


def assumed_focal_px(width_px: int, camera: str = "") -> float:
    """The focal length to expect of the named sensor, or of a usual camera, for pictures of that width."""
    field_deg = FIELD_OF_VIEW_DEG.get(camera.lower(), USUAL_FIELD_OF_VIEW_DEG)
    return width_px / 2 / float(np.tan(np.deg2rad(field_deg) / 2))


def fit_board(views: Sequence[BoardView], focal_px: float, lens: Lens | None = None) -> Fit:
    """The lens and poses that explain the views best, starting from an assumed `focal_px`; with `lens`, only the poses.

    Levenberg-Marquardt over ln(focal), k1 and a rotation vector and translation for each view. Raises CalibrationError
    when no camera over the tray explains the corners.
    """
    size_px = views[0].size_px
    start = lens or Lens(*size_px, focal_px, ((size_px[0] - 1) / 2, (size_px[1] - 1) / 2))
    known = np.array([np.log(start.focal_px), start.k1])
    known_sd = np.array([1e-9, 1e-9]) if lens else np.array([LOG_FOCAL_SD, K1_SD])
    theta = np.concatenate([known, *(_start_pose(view, start) for view in views)])

    problem = _Problem(views, start, known, known_sd, CORNER_SD_PX)
    theta, found = _descend(problem, theta)
    # Once more, with the corners trusted as far as they turned out to deserve.
    corner_sd = float(np.sqrt(np.mean(np.square(np.concatenate(found.residuals_px)))))
    theta, found = _descend(replace(problem, corner_sd=max(CORNER_SD_PX / 2, corner_sd)), theta)
    sd = np.sqrt(np.diag(np.linalg.inv(found.information)))

    poses = tuple(_pose(theta[2 + 6 * i : 8 + 6 * i]) for i in range(len(views)))
    if any(camera_position_mm(pose)[2] <= 0 for pose in poses):
        raise CalibrationError("the board is seen from below: the picture is mirrored, switch the camera's flip off")
    return Fit(lens or _lens(start, theta), poses, found.residuals_px, float(sd[0]), float(sd[1]))


def judge(fit: Fit, view: BoardView) -> BoardFit:
    """The evidence for the first pose of the fit, whose board was seen in `view`."""
    pose, residuals = fit.poses[0], fit.residuals_px[0]
    off_mm = floor_mm(fit.lens, pose, view.corners_px) - view.corners_mm
    lengths_px = np.linalg.norm(residuals, axis=1)
    return BoardFit(
        square_mm=view.square_mm,
        rms_px=float(np.sqrt(np.mean(lengths_px**2))),
        worst_px=float(lengths_px.max()),
        rms_mm=float(np.sqrt(np.mean(np.sum(off_mm**2, axis=1)))),
        edge_blur_px=view.edge_blur_px,
        white=view.white,
        tilt_deg=tilt_deg(pose),
        focal_measured=fit.focal_measured,
        corners_px=view.corners_px,
        residuals_px=residuals,
    )


def tilt_deg(pose: Pose) -> float:
    """The angle between the camera's axis and the plumb line of the floor, 0 where it looks straight down."""
    return float(np.rad2deg(np.arccos(np.clip(-pose.R_camera_tray[2, 2], -1, 1))))


def floor_mm(lens: Lens, pose: Pose, points_px: Floats, height_mm: float = 0.0) -> Floats:
    """Where points N×2 of the picture lie on the plane `height_mm` over the floor: N×2, tray frame."""
    rays = cv2.undistortPoints(points_px.reshape(-1, 1, 2).astype(np.float64), *_opencv(lens)).reshape(-1, 2)
    directions = np.column_stack([rays, np.ones(len(rays))]) @ pose.R_camera_tray
    eye = camera_position_mm(pose)
    return np.asarray((eye + directions * ((height_mm - eye[2]) / directions[:, 2])[:, None])[:, :2])


def _lens(start: Lens, theta: Floats) -> Lens:
    return replace(start, focal_px=float(np.exp(theta[0])), k1=float(theta[1]))


def _opencv(lens: Lens) -> tuple[Floats, Floats]:
    """OpenCV's camera matrix, 3×3, and its distortion coefficients."""
    return camera_matrix(lens), np.array([lens.k1, 0, 0, 0])


def _start_pose(view: BoardView, lens: Lens) -> Floats:
    points = np.column_stack([view.corners_mm, np.zeros(len(view.corners_mm))])
    found, rotation, translation = cv2.solvePnP(points, view.corners_px, *_opencv(lens), flags=cv2.SOLVEPNP_IPPE)
    if not found:
        raise CalibrationError("the corners do not lie as on a flat board: flatten it, or print a new one")
    return np.concatenate([rotation.ravel(), translation.ravel()]).astype(np.float64)


def _pose(six: Floats) -> Pose:
    return Pose(np.asarray(cv2.Rodrigues(six[:3])[0], np.float64), np.array(six[3:]))


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is to be explained, and what is known of ln(focal) and k1 beforehand: values and their deviations, (2,)."""

    views: Sequence[BoardView]
    start: Lens
    known: Floats
    known_sd: Floats
    corner_sd: float


@dataclass(frozen=True, slots=True)
class _Normal:
    """The normal equations at some parameters: the cost, its downhill gradient (P,), the information matrix (P, P)."""

    cost: float
    gradient: Floats
    information: Floats
    residuals_px: tuple[Floats, ...]


def _descend(problem: _Problem, theta: Floats) -> tuple[Floats, _Normal]:
    """Levenberg-Marquardt: the best parameters and the normal equations there."""
    damping = 1e-3
    at = _normal(problem, theta)
    for _ in range(STEPS):
        step = np.linalg.solve(at.information + damping * np.diag(np.diag(at.information)), at.gradient)
        tried = _normal(problem, theta + step)
        if tried.cost < at.cost:
            done = at.cost - tried.cost < 1e-9 * at.cost
            theta, at, damping = theta + step, tried, max(damping / 10, 1e-12)
        else:
            damping *= 10
            done = damping > 1e9
        if done:
            break
    return theta, at


def _normal(problem: _Problem, theta: Floats) -> _Normal:
    lens = _lens(problem.start, theta)
    surprise = (problem.known - theta[:2]) / problem.known_sd
    cost = float(surprise @ surprise)
    gradient, information = np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
    gradient[:2] = surprise / problem.known_sd
    information[[0, 1], [0, 1]] = problem.known_sd**-2.0
    residuals_px = []
    for i, view in enumerate(problem.views):
        at = slice(2 + 6 * i, 8 + 6 * i)
        points = np.column_stack([view.corners_mm, np.zeros(len(view.corners_mm))])
        predicted, jacobian = cv2.projectPoints(points, theta[at][:3], theta[at][3:], *_opencv(lens))
        residual = view.corners_px - predicted.reshape(-1, 2)
        # Columns of OpenCV's Jacobian: rotation 0-2, translation 3-5, fx 6, fy 7, cx 8, cy 9, k1 10.
        J = np.zeros((residual.size, len(theta)))
        J[:, 0], J[:, 1], J[:, at] = lens.focal_px * (jacobian[:, 6] + jacobian[:, 7]), jacobian[:, 10], jacobian[:, :6]
        cost += float(np.sum(residual**2)) / problem.corner_sd**2
        gradient += J.T @ residual.ravel() / problem.corner_sd**2
        information += J.T @ J / problem.corner_sd**2
        residuals_px.append(residual)
    return _Normal(cost, gradient, information, tuple(residuals_px))
