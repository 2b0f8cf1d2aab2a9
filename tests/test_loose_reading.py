"""Reading photographs without a profile: drawn scenes of which everything is known."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.loose import read_loose
from vision.profile import TrayProfile

Image = NDArray[np.uint8]
SITES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
IVORY, BLACK, WHITE, RED, FELT = (215, 230, 235), (25, 25, 25), (240, 240, 240), (40, 30, 170), (50, 95, 40)


def draw(
    dice: list[tuple[int, float, float, float]],
    edge_px: float = 70.0,
    body: tuple[int, int, int] = IVORY,
    pip: tuple[int, int, int] = BLACK,
) -> Image:
    """Dice (face, x, y, angle in degrees) seen from above."""
    rng = np.random.default_rng(7)
    image = np.full((600, 800, 3), FELT, np.uint8)
    for face, x, y, angle in dice:
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        A = np.array([[c, -s], [s, c]]) * edge_px
        corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) @ A.T + (x, y)
        cv2.fillConvexPoly(image, np.rint(corners).astype(np.int32), body, cv2.LINE_AA)
        ring = np.array([(np.cos(t), np.sin(t)) for t in np.linspace(0, 2 * np.pi, 24, endpoint=False)]) * 0.1
        for site in SITES[face]:
            outline = (ring + np.array(site) * 0.26) @ A.T + (x, y)
            cv2.fillConvexPoly(image, np.rint(outline * 8).astype(np.int32), pip, cv2.LINE_AA, shift=3)
    noisy = cv2.GaussianBlur(image, (0, 0), 1.0).astype(np.float64) + rng.normal(size=image.shape) * 3
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


SIX_DICE = [
    (1, 180, 170, 10), (2, 360, 160, 35), (3, 560, 180, 62), (4, 200, 400, 80), (5, 390, 420, 22), (6, 600, 390, 50),
]  # fmt: skip


def lean_over(image: Image, tilt_deg: float) -> Image:
    """A flat scene as a camera sees it that leans back by `tilt_deg`."""
    c, s, f = np.cos(np.radians(tilt_deg)), np.sin(np.radians(tilt_deg)), 760.0
    to_middle = np.array([[1, 0, -400], [0, 1, -300], [0, 0, 1.0]])
    H_leaning_flat = np.linalg.inv(to_middle) @ np.array([[f, 0, 0], [0, f * c, 0], [0, -s, f]]) @ to_middle
    return np.asarray(cv2.warpPerspective(image, H_leaning_flat, (800, 600), borderValue=FELT), np.uint8)


@pytest.mark.parametrize(("body", "pip"), [(IVORY, BLACK), (BLACK, WHITE), (RED, WHITE)])
def test_all_six_faces_are_read_in_any_colours(body: tuple[int, int, int], pip: tuple[int, int, int]) -> None:
    reading = read_loose(draw(SIX_DICE, body=body, pip=pip))
    assert (reading.values, reading.status) == ((1, 2, 3, 4, 5, 6), "ok")


@pytest.mark.parametrize("edge_px", [34.0, 70.0, 120.0])
def test_dice_are_read_at_any_size(edge_px: float) -> None:
    assert read_loose(draw(SIX_DICE, edge_px)).values == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("tilt_deg", [20.0, 40.0])
def test_dice_are_read_by_a_camera_that_leans(tilt_deg: float) -> None:
    assert read_loose(lean_over(draw(SIX_DICE), tilt_deg)).values == (1, 2, 3, 4, 5, 6)


def test_a_die_is_reported_where_it_lies_in_pixels_of_the_photograph() -> None:
    die = read_loose(draw([(5, 300, 250, 30)])).dice[0]
    assert (die.x_px, die.y_px) == pytest.approx((300, 250), abs=2)
    assert die.size_px == pytest.approx(70, rel=0.1)
    assert die.angle_deg == pytest.approx(30, abs=3)


def test_a_wrong_number_of_dice_is_said() -> None:
    reading = read_loose(draw(SIX_DICE), expect=5)
    assert reading.status == "unsure"
    assert reading.reasons[0] == "6 of 5 dice"


def test_a_bare_table_is_empty() -> None:
    assert read_loose(draw([])).status == "empty"


def test_dominoes_are_doubted() -> None:
    halves = [(4, 200, 200, 0), (5, 270, 200, 0), (3, 500, 300, 0), (6, 570, 300, 0)]
    assert read_loose(draw(halves)).status == "unsure"


def test_the_calibration_board_is_no_dice() -> None:
    board = cv2.aruco.CharucoBoard((7, 5), 20.0, 15.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    picture = cv2.cvtColor(board.generateImage((800, 600), marginSize=40), cv2.COLOR_GRAY2BGR)
    assert read_loose(np.asarray(picture, np.uint8)).status != "ok"


def test_what_was_in_the_empty_tray_is_no_die() -> None:
    scene = draw(SIX_DICE)
    profile = TrayProfile(camera="drawn", width_px=800, height_px=600, empty_bgr=scene)
    assert read_loose(scene, profile).dice == ()
