"""Guessing the plane of the top faces from faces that were read: cameras of which everything is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.guess import EDGE_MM, fit_view, pose_of
from vision.profile import Lens
from vision.rectify import project
from vision.view import FOCAL, View, straight_down

WIDTH_PX, HEIGHT_PX = 1000, 750
MIDDLES_MM = [(-60.0, -40.0), (50.0, -45.0), (-10.0, 5.0), (65.0, 40.0), (-55.0, 45.0)]


def leaning(tilt_deg: float, azimuth_deg: float) -> View:
    t, a = np.radians(tilt_deg), np.radians(azimuth_deg)
    normal = (float(np.sin(t) * np.cos(a)), float(np.sin(t) * np.sin(a)), float(-np.cos(t)))
    return View(normal, FOCAL * WIDTH_PX, (WIDTH_PX / 2, HEIGHT_PX / 2))


def seen_squares(view: View, edge_px: float) -> tuple[np.ndarray, np.ndarray]:
    """J Jᵀ (N, 2, 2) and middles (N, 2) of dice around the middle of the picture."""
    pose = pose_of(view, edge_px)
    lens = Lens(WIDTH_PX, HEIGHT_PX, view.focal_px, view.centre_xy_px)
    ahead = -pose.R_camera_tray.T @ pose.t_camera_tray_mm
    axis = pose.R_camera_tray.T @ np.array([0, 0, 1.0])
    below = ahead + axis * (EDGE_MM - ahead[2]) / axis[2]
    squares, middles = [], []
    for x, y in MIDDLES_MM:
        middle = below + np.array([x, y, 0.0])
        step = 0.5 * EDGE_MM
        ends = project(lens, pose, middle + np.array([[step, 0, 0], [-step, 0, 0], [0, step, 0], [0, -step, 0]]))
        J = np.stack([ends[0] - ends[1], ends[2] - ends[3]], axis=1)
        squares.append(J @ J.T)
        middles.append(project(lens, pose, middle))
    return np.array(squares), np.array(middles)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(tilt_deg=st.floats(0, 40), azimuth_deg=st.floats(0, 360), edge_px=st.floats(30, 120))
def test_squares_of_one_size_tell_how_the_camera_leans(tilt_deg: float, azimuth_deg: float, edge_px: float) -> None:
    view = leaning(tilt_deg, azimuth_deg)
    squares, middles = seen_squares(view, edge_px)
    fitted = fit_view(squares, middles, WIDTH_PX, HEIGHT_PX)
    off_deg = np.degrees(np.arccos(np.clip(np.dot(fitted.normal, view.normal), -1, 1)))
    assert off_deg < 4


def test_a_die_in_the_middle_of_the_picture_has_the_edge_that_the_pose_was_made_for() -> None:
    squares, middles = seen_squares(straight_down(WIDTH_PX, HEIGHT_PX), 60.0)
    nearest = int(np.linalg.norm(middles - (WIDTH_PX / 2, HEIGHT_PX / 2), axis=1).argmin())
    assert np.linalg.det(squares[nearest]) ** 0.25 == pytest.approx(60.0, rel=0.01)


def test_one_face_that_fits_no_plane_with_the_others_does_not_tilt_the_camera() -> None:
    squares, middles = seen_squares(straight_down(WIDTH_PX, HEIGHT_PX), 60.0)
    squashed = np.diag([0.6, 1.0])
    squares[0] = squashed @ squares[0] @ squashed
    fitted = fit_view(squares, middles, WIDTH_PX, HEIGHT_PX)
    assert -fitted.normal[2] > np.cos(np.radians(12))
