"""The simulated tray: what its virtual dice do, and that its pictures are those of a camera over a tray."""

import itertools

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.die_shape import CORNERS, NORMALS, PIPS, face_axes, lying, on_face, reach, rotation, top_face
from hardware.ports import DeviceError, Key
from hardware.scenery import LOOKS, Look, View
from hardware.simulated import FRAME_S, SimulatedTray
from hardware.tumble import cocked, overlap, places, thrown

seeds = st.integers(0, 2**32 - 1)
SMALL = View(410, 308, 420.0)
steady = settings(derandomize=True, max_examples=40, deadline=None)


@pytest.fixture(scope="module")
def tray() -> SimulatedTray:
    return SimulatedTray(seed=4)


def settle(tray: SimulatedTray) -> np.ndarray:
    tray.frame()
    while not tray.at_rest():
        tray.frame()
    return tray.frame().image_bgr


def test_opposite_faces_sum_to_seven() -> None:
    assert all(np.array_equal(NORMALS[face], -NORMALS[7 - face]) for face in NORMALS)


@pytest.mark.parametrize("face", PIPS)
def test_a_face_has_its_number_of_pips_and_lies_half_an_edge_out(face: int) -> None:
    assert len(PIPS[face]) == face
    u, v, n = face_axes(face)
    assert np.allclose(np.cross(u, v), n)
    assert np.allclose(on_face(face, np.zeros((1, 2))), 0.5 * n)


@pytest.mark.parametrize("face", PIPS)
@steady
@given(yaw=st.floats(0, 7))
def test_a_lying_die_shows_its_face_flat_on_top(face: int, yaw: float) -> None:
    R = lying(face, yaw)
    assert np.allclose(R @ R.T, np.eye(3))
    assert np.isclose(np.linalg.det(R), 1)
    shown, lean_deg = top_face(R)
    assert shown == face
    assert lean_deg < 1e-3


@steady
@given(rotvec=st.tuples(*[st.floats(-4, 4)] * 3))
def test_reach_is_that_of_the_corners(rotvec: tuple[float, ...]) -> None:
    R = rotation(np.array(rotvec))
    assert np.allclose(reach(R), (CORNERS @ R.T).max(axis=0))


@steady
@given(seed=seeds, n=st.integers(1, 6))
def test_dice_come_to_rest_in_the_tray_without_overlap(seed: int, n: int) -> None:
    look, rng = Look(), np.random.default_rng(seed)
    dice = places(rng, [1 + i for i in range(n)], range(n), look)
    assert not any(overlap(a, b, look.edge_mm) for a, b in itertools.combinations(dice, 2))
    for die in dice:
        corners = die.points_mm(CORNERS, look.edge_mm)
        assert (np.abs(corners[:, :2]) <= np.array(look.floor_mm) / 2 + 1e-6).all()
        assert np.isclose(corners[:, 2].min(), 0.0)


@steady
@given(seed=seeds, share=st.floats(0, 1.2))
def test_a_tumbling_die_never_leaves_the_tray_nor_sinks_into_the_floor(seed: int, share: float) -> None:
    look, rng = Look(), np.random.default_rng(seed)
    throw = thrown(rng, places(rng, [3], [0], look)[0], now_s=5.0)
    die = throw.at(5.0 + share * throw.lasts_s, look)
    corners = die.points_mm(CORNERS, look.edge_mm)
    assert corners[:, 2].min() > -1e-6
    assert (np.abs(corners[:, :2]) <= np.array(look.floor_mm) / 2 + 1e-6).all()


@steady
@given(seed=seeds, lean=st.floats(5, 44))
def test_a_cocked_die_touches_floor_and_wall_and_leans_as_asked(seed: int, lean: float) -> None:
    look, rng = Look(), np.random.default_rng(seed)
    die, *others = places(rng, [5, 2, 3], range(3), look)
    leaning = cocked(rng, die, others, look, lean)
    corners = leaning.points_mm(CORNERS, look.edge_mm)
    assert np.isclose(corners[:, 2].min(), 0.0)
    assert np.isclose((np.abs(corners[:, :2]) - np.array(look.floor_mm) / 2).max(), 0.0)
    assert top_face(leaning.R_tray_die) == (5, pytest.approx(lean))


def test_the_same_seed_gives_the_same_pictures_and_another_does_not() -> None:
    def third_picture(seed: int) -> np.ndarray:
        tray = SimulatedTray(seed, view=SMALL)
        tray.throw()
        return [tray.frame() for _ in range(3)][-1].image_bgr

    assert np.array_equal(third_picture(1), third_picture(1))
    assert not np.array_equal(third_picture(1), third_picture(2))


def test_faces_are_fair() -> None:
    tray = SimulatedTray(seed=8, view=SMALL)
    counts = np.zeros(7)
    for _ in range(200):
        tray.throw()
        for move in tray._dice:
            counts[top_face(move.end.R_tray_die)[0]] += 1
    assert (np.abs(counts[1:] - 200) < 60).all()  # 4.6 standard deviations of a fair die


def test_a_throw_tumbles_for_about_a_second_of_virtual_time(tray: SimulatedTray) -> None:
    tray.throw()
    begun = tray.frame().captured_s
    settle(tray)
    assert 0.6 < tray.frame().captured_s - begun < 1.4


def test_truth_lies_in_the_picture_where_the_dice_do(tray: SimulatedTray) -> None:
    tray.throw()
    image, empty = settle(tray), tray.empty_picture()
    changed = cv2.absdiff(image, empty).max(axis=2) > 40
    truth = tray.truth()
    assert len(truth) == 6
    for die in truth:
        x, y = (int(k) for k in die.xy_px)
        assert changed[y - 20 : y + 20, x - 20 : x + 20].mean() > 0.5


def test_lifted_dice_are_gone_and_come_back_where_they_were(tray: SimulatedTray) -> None:
    tray.throw()
    settle(tray)
    before = tray.truth()
    assert tray.obey(Key("lift", (1, 3)), 6)
    settle(tray)
    assert tray.lifted() == (0, 2)
    assert tray.truth() == tuple(die for i, die in enumerate(before) if i not in (0, 2))
    tray.obey(Key("die", (3, 5)), 6)
    settle(tray)
    assert tray.lifted() == (0, 4)
    tray.obey(Key("back", (1, 5, 6)), 6)
    settle(tray)
    assert tray.truth() == before


def test_a_roll_picture_is_at_rest_at_once(tray: SimulatedTray) -> None:
    tray.roll_picture()
    assert tray.at_rest()
    assert len(tray.truth()) == 6


def test_dice_are_numbered_in_the_order_of_their_faces(tray: SimulatedTray) -> None:
    tray.throw()
    settle(tray)
    faces = [die.face for die in tray.truth()]
    assert faces == sorted(faces)


def test_a_still_tray_changes_by_the_sensors_noise_only(tray: SimulatedTray) -> None:
    tray.throw(3)
    one, two = settle(tray).astype(int), tray.frame().image_bgr.astype(int)
    assert np.abs(one - two).max() < 30
    assert 1 < np.abs(one - two).std() < 10


def test_with_a_clock_frames_come_when_they_are_due() -> None:
    now = [100.0]
    tray = SimulatedTray(view=SMALL, clock=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s))
    times = [tray.frame().captured_s for _ in range(4)]
    assert tray.live
    assert np.allclose(np.diff([100.0, *times]), FRAME_S)


def test_the_board_in_the_picture_has_all_its_corners_where_the_camera_sees_them(tray: SimulatedTray) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    board = cv2.aruco.CharucoBoard((7, 5), 20.0, 15.0, dictionary)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(tray.board_picture())
    assert ids is not None
    assert len(ids) == 24
    view = tray.view
    K = np.array([[view.focal_px, 0, view.centre_px[0]], [0, view.focal_px, view.centre_px[1]], [0, 0, 1.0]])
    lens = np.array([view.k1, 0, 0, 0.0])
    known = board.getChessboardCorners()[ids.ravel()]
    _, rvec, tvec = cv2.solvePnP(known, corners, K, lens)
    seen = cv2.projectPoints(known, rvec, tvec, K, lens)[0].reshape(corners.shape)
    assert np.abs(seen - corners).max() < 0.6
    eye_in_board = -rotation(rvec).T @ tvec.ravel()
    assert abs(abs(eye_in_board[2]) - view.eye_mm[2]) < 3.0


@pytest.mark.parametrize("style", LOOKS)
def test_every_style_shows_dice_that_stand_out_from_the_floor(style: str) -> None:
    tray = SimulatedTray(seed=2, style=style, view=SMALL)
    tray.throw()
    difference = cv2.absdiff(settle(tray), tray.empty_picture()).max(axis=2)
    assert 0.02 < (difference > 30).mean() < 0.2


def test_pixels_and_rays_are_inverse() -> None:
    view = View(k1=-0.12, tilt_deg=17.0)
    rays = view.rays(view.pixels())
    floor = view.eye_mm + rays * view.eye_mm[2]
    rows, columns = [0, 100, 307, 615], [0, 400, 600, 819]
    seen = view.project(np.stack([floor[r, c] for r, c in zip(rows, columns, strict=True)]))
    assert np.allclose(seen, np.stack([columns, rows], axis=1), atol=0.2)


def test_an_unknown_style_is_named_with_those_there_are() -> None:
    with pytest.raises(DeviceError, match=r"no style 'marble'.*ivory on green"):
        SimulatedTray(style="marble")
