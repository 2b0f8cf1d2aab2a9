"""The fit against an invented truth: a board projected with a known lens and pose, seeded noise, and the difference."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.board import Board
from calibration.errors import CalibrationError
from calibration.fit import assumed_focal_px, fit_board, floor_mm, judge, tilt_deg
from tests.invented_board import CENTRE_PX, SIZE_PX, pose_over, view_of
from vision.profile import Lens, Pose
from vision.rectify import project


@st.composite
def rigs(draw: st.DrawFn, least_tilt: float = 0.0) -> tuple[Lens, Pose, int]:
    focal_px = draw(st.floats(750, 1250))
    lens = Lens(*SIZE_PX, focal_px, CENTRE_PX, draw(st.floats(-0.18, 0.06)))
    fill = draw(st.floats(0.45, 0.9))
    distance_mm = 140 * focal_px / (fill * SIZE_PX[0])
    tilt = draw(st.floats(least_tilt, 28))
    pose = pose_over(Board().corners_mm, distance_mm, tilt, draw(st.floats(0, 360)), draw(st.floats(-180, 180)))
    return lens, pose, draw(st.integers(0, 99))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(rigs())
def test_the_floor_is_mapped_within_half_a_millimetre_at_every_corner_of_the_board(rig: tuple[Lens, Pose, int]):
    lens, pose, seed = rig
    view = view_of(lens, pose, seed=seed)
    fit = fit_board([view], assumed_focal_px(SIZE_PX[0]))
    outer = np.array([[x, -y] for x in (0.0, 140.0) for y in (0.0, 100.0)])
    all_mm = np.concatenate([Board().corners_mm, outer])
    seen = project(lens, pose, np.column_stack([all_mm, np.zeros(len(all_mm))]))
    off_mm = np.linalg.norm(floor_mm(fit.lens, fit.poses[0], seen) - all_mm, axis=1)
    assert off_mm.max() < 0.5


@settings(derandomize=True, deadline=None, max_examples=60)
@given(rigs(least_tilt=4))
def test_a_tilted_view_tells_focal_length_tilt_and_k1(rig: tuple[Lens, Pose, int]):
    lens, pose, seed = rig
    fit = fit_board([view_of(lens, pose, seed=seed)], assumed_focal_px(SIZE_PX[0]))
    assert abs(np.log(fit.lens.focal_px / lens.focal_px)) < 4 * fit.focal_sd
    assert abs(fit.lens.k1 - lens.k1) < max(4 * fit.k1_sd, 0.01)
    assert abs(tilt_deg(fit.poses[0]) - tilt_deg(pose)) < 1.5


@pytest.mark.parametrize(("tilt", "measured"), [(0.5, False), (1.0, False), (5.0, True), (15.0, True)])
def test_the_focal_length_is_claimed_only_where_the_camera_is_tilted(tilt: float, measured: bool):
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.05)
    pose = pose_over(Board().corners_mm, 190.0, tilt, 40, 10)
    assert fit_board([view_of(lens, pose)], assumed_focal_px(SIZE_PX[0])).focal_measured is measured


def test_without_noise_the_truth_comes_back():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.1)
    pose = pose_over(Board().corners_mm, 190.0, 12, 70, -20)
    fit = fit_board([view_of(lens, pose, noise_px=0)], assumed_focal_px(SIZE_PX[0]))
    assert fit.lens.focal_px == pytest.approx(950, rel=1e-3)
    assert fit.lens.k1 == pytest.approx(-0.1, abs=1e-3)
    np.testing.assert_allclose(fit.poses[0].R_camera_tray, pose.R_camera_tray, atol=1e-3)
    np.testing.assert_allclose(fit.poses[0].t_camera_tray_mm, pose.t_camera_tray_mm, atol=0.3)


def test_several_tilted_views_tell_the_lens_better_than_one():
    lens = Lens(*SIZE_PX, 1100.0, CENTRE_PX, -0.12)
    views = [view_of(lens, pose_over(Board().corners_mm, 230.0, 25, a, 0), seed=a) for a in (0, 90, 180, 270)]
    one, four = (fit_board(views[:n], assumed_focal_px(SIZE_PX[0])) for n in (1, 4))
    assert four.focal_sd < one.focal_sd
    assert four.lens.focal_px == pytest.approx(1100, rel=0.005)
    assert four.lens.k1 == pytest.approx(-0.12, abs=0.01)


def test_a_known_lens_stays_as_it_is():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.1)
    pose = pose_over(Board().corners_mm, 190.0, 1, 70, -20)
    fit = fit_board([view_of(lens, pose)], 0.0, lens)
    assert fit.lens == lens
    assert fit.focal_measured


def test_half_a_board_is_enough():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.1)
    view = view_of(lens, pose_over(Board().corners_mm, 190.0, 8, 70, -20))
    half = replace(view, corners_px=view.corners_px[:12], corners_mm=view.corners_mm[:12])
    fit = fit_board([half], assumed_focal_px(SIZE_PX[0]))
    off_mm = np.linalg.norm(floor_mm(fit.lens, fit.poses[0], view.corners_px) - view.corners_mm, axis=1)
    assert off_mm.max() < 0.5


def test_a_bent_board_shows_in_the_residuals():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.1)
    pose = pose_over(Board().corners_mm, 190.0, 8, 70, -20)
    points = Board().corners_mm
    bulge_mm = 4 * np.sin(np.pi * points[:, 0] / 140)
    bent = replace(view_of(lens, pose), corners_px=project(lens, pose, np.column_stack([points, bulge_mm])))
    flat = view_of(lens, pose)
    judged = [judge(fit_board([view], assumed_focal_px(SIZE_PX[0])), view).rms_px for view in (flat, bent)]
    assert judged[0] < 0.2
    assert judged[1] > 5 * judged[0]


def test_corners_in_mirror_writing_are_refused():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX)
    view = view_of(lens, pose_over(Board().corners_mm, 190.0, 8, 70, -20))
    with pytest.raises(CalibrationError, match="mirrored"):
        fit_board([replace(view, corners_px=(1023, 0) + view.corners_px * (-1, 1))], 950.0)


def test_the_projection_is_that_of_opencv():
    lens = Lens(*SIZE_PX, 950.0, CENTRE_PX, -0.1)
    pose = pose_over(Board().corners_mm, 190.0, 8, 70, -20)
    points = np.column_stack([Board().corners_mm, np.full(24, 16.0)])
    K = np.array([[950, 0, CENTRE_PX[0]], [0, 950, CENTRE_PX[1]], [0, 0, 1.0]])
    rotation = cv2.Rodrigues(pose.R_camera_tray)[0]
    seen = cv2.projectPoints(points, rotation, pose.t_camera_tray_mm, K, np.array([-0.1, 0, 0, 0]))[0].reshape(-1, 2)
    np.testing.assert_allclose(project(lens, pose, points), seen, atol=1e-6)
    np.testing.assert_allclose(floor_mm(lens, pose, seen, height_mm=16.0), points[:, :2], atol=1e-3)
