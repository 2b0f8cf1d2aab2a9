"""The plane of the top faces: right angles, one scale, and the floor where the camera sees it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.profile import Lens, Pose
from vision.rectify import Plane, camera_position_mm, make_plane, project

EDGE_MM = 16.0


def looking(tilt_deg: float, azimuth_deg: float, height_mm: float = 210.0) -> Pose:
    """A camera that looks at the tray's origin from `tilt_deg` off the plumb line."""
    t, a = np.radians(tilt_deg), np.radians(azimuth_deg)
    eye = height_mm / np.cos(t) * np.array([np.sin(t) * np.cos(a), np.sin(t) * np.sin(a), np.cos(t)])
    ahead = -eye / np.linalg.norm(eye)
    right = np.cross(ahead, (0, 1, 0))
    right /= np.linalg.norm(right)
    R = np.stack([right, np.cross(ahead, right), ahead])
    return Pose(R, -R @ eye)


def plane(tilt_deg: float = 15.0, azimuth_deg: float = 40.0, k1: float = -0.1) -> Plane:
    lens = Lens(640, 480, 560.0, (320.0, 240.0), k1)
    return make_plane(lens, looking(tilt_deg, azimuth_deg), EDGE_MM)


views = given(tilt_deg=st.floats(0, 25), azimuth_deg=st.floats(0, 360), k1=st.floats(-0.15, 0.03))


@views
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_die_edge_is_one_length_everywhere_and_in_every_direction(tilt_deg: float, azimuth_deg: float, k1: float):
    flat = plane(tilt_deg, azimuth_deg, k1)
    xy = np.array([(0.0, 0.0), (flat.px_per_edge, 0), (0, flat.px_per_edge), (flat.width, flat.height)])
    at = flat.to_tray(xy)
    assert np.linalg.norm(at[1] - at[0]) == pytest.approx(EDGE_MM)
    assert np.linalg.norm(at[2] - at[0]) == pytest.approx(EDGE_MM)
    assert (at[:, 2] == EDGE_MM).all()


@views
@settings(max_examples=25, deadline=None, derandomize=True)
def test_the_floor_below_a_point_appears_where_the_camera_sees_it(tilt_deg: float, azimuth_deg: float, k1: float):
    flat = plane(tilt_deg, azimuth_deg, k1)
    above = np.array([(0.3 * flat.width, 0.4 * flat.height), (0.6 * flat.width, 0.7 * flat.height)])
    floor_mm = flat.to_tray(above)
    floor_mm[:, 2] = 0
    assert flat.to_image(flat.base(above)) == pytest.approx(project(flat.lens, flat.pose, floor_mm), abs=0.01)


def test_the_foot_is_right_below_the_camera():
    flat = plane()
    assert flat.to_tray(flat.foot_xy)[:2] == pytest.approx(camera_position_mm(flat.pose)[:2])


def test_the_rectified_picture_is_not_a_mirror_image():
    flat = plane()
    corner, right, down = flat.to_image(np.array([(200.0, 150.0), (230, 150), (200, 180)]))
    across, along = right - corner, down - corner
    assert across[0] * along[1] - across[1] * along[0] > 0


def test_the_outline_of_the_tray_bounds_the_plane():
    lens = Lens(640, 480, 560.0, (320.0, 240.0))
    outline = np.array([(-40.0, -30.0), (40, -30), (40, 30), (-40, 30)])
    assert make_plane(lens, looking(5, 0), EDGE_MM, outline).width < make_plane(lens, looking(5, 0), EDGE_MM).width


def test_a_camera_among_the_dice_is_refused_in_words():
    with pytest.raises(ValueError, match="too low"):
        make_plane(Lens(640, 480, 560.0, (320.0, 240.0)), looking(0, 0, height_mm=20), EDGE_MM)
