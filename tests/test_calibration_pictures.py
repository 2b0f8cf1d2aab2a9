"""What the calibration finds in pictures: the board, the tray's walls, the light; and every bad picture is named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import Board, find_board
from calibration.compare import since
from calibration.errors import CalibrationError
from calibration.fit import floor_mm, tilt_deg
from calibration.from_images import profile_from_images
from calibration.light import flickers, measure_light
from calibration.make import add_board, add_empty, check_empty, new_profile
from calibration.sheet import draw_sheet
from calibration.verdict import doubts, lacks, place
from hardware.ports import BGR
from hardware.simulated import SimulatedTray
from vision.profile import TrayProfile
from vision.profile_file import load_profile, save_profile


@pytest.fixture(scope="module")
def tray() -> SimulatedTray:
    return SimulatedTray(seed=3)


@pytest.fixture(scope="module")
def board_bgr(tray: SimulatedTray) -> BGR:
    return tray.board_picture()


@pytest.fixture(scope="module")
def empty_bgr(tray: SimulatedTray) -> BGR:
    return tray.empty_picture()


@pytest.fixture(scope="module")
def profile(board_bgr: BGR, empty_bgr: BGR) -> TrayProfile:
    height, width = board_bgr.shape[:2]
    return add_empty(add_board(new_profile("", (width, height)), board_bgr, Board()), [empty_bgr])


def test_the_simulated_camera_is_found_as_it_is(tray: SimulatedTray, profile: TrayProfile):
    assert profile.lens is not None
    assert profile.pose is not None
    assert profile.lens.focal_px == pytest.approx(tray.view.focal_px, rel=0.02)
    assert profile.lens.k1 == pytest.approx(tray.view.k1, abs=0.01)
    assert tilt_deg(profile.pose) == pytest.approx(tray.view.tilt_deg, abs=0.3)
    assert profile.board is not None
    assert profile.board.rms_px < 0.2
    assert lacks(profile) == ("dice: their size and pips are unknown",)
    assert doubts(profile) == ()


def test_millimetres_on_the_floor_are_those_of_the_tray(tray: SimulatedTray, profile: TrayProfile):
    assert profile.lens is not None
    assert profile.pose is not None
    places_mm = np.array([[x, y, 0.0] for x in (-60.0, 0.0, 60.0) for y in (-45.0, 0.0, 45.0)])
    found_mm = floor_mm(profile.lens, profile.pose, tray.view.project(places_mm))
    apart = np.linalg.norm(places_mm[:, None] - places_mm[None], axis=2)
    found_apart = np.linalg.norm(found_mm[:, None] - found_mm[None], axis=2)
    assert np.abs(apart - found_apart).max() < 0.5


def test_the_outline_follows_the_walls(tray: SimulatedTray, profile: TrayProfile):
    assert profile.outline_mm is not None
    sides_mm = np.linalg.norm(np.diff(profile.outline_mm, axis=0), axis=1)
    assert sides_mm[:2] == pytest.approx(tray.look.floor_mm, abs=4)


def test_the_sheet_has_the_board_at_its_true_scale():
    sheet = np.asarray(draw_sheet(Board(square_mm=25), "a4")).astype(np.uint8) * 255
    grey = cv2.resize(sheet, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    view = find_board(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR).astype(np.uint8), Board(square_mm=25))
    px_per_mm = 0.25 * 600 / 25.4
    across_mm = (view.corners_px[:, None] - view.corners_px[None]) * (1, -1) / px_per_mm
    assert len(view.corners_px) == 24
    np.testing.assert_allclose(across_mm, view.corners_mm[:, None] - view.corners_mm[None], atol=0.1)


def test_a_board_too_large_for_the_paper_is_refused_with_the_largest_that_fits():
    with pytest.raises(CalibrationError, match="the largest that do are 32 mm"):
        draw_sheet(Board(square_mm=40), "a4")


def covered(picture: BGR) -> BGR:
    picture = picture.copy()
    picture[:, picture.shape[1] * 2 // 5 :] = 60
    return picture


def test_a_board_is_found_though_its_white_runs_over_the_black():
    """As in a picture that is bright, or a little out of focus."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    drawn = cv2.aruco.CharucoBoard((7, 5), 20.0, 15.0, dictionary).generateImage((392, 280), marginSize=20)
    bloomed = cv2.GaussianBlur(cv2.dilate(drawn, np.ones((3, 3), np.uint8)), (0, 0), 0.8)
    framed = cv2.copyMakeBorder(bloomed, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=110)
    picture = np.asarray(cv2.cvtColor(framed, cv2.COLOR_GRAY2BGR), np.uint8)
    assert len(find_board(picture, Board()).corners_px) == 24


def larger_board(picture: BGR) -> BGR:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    drawn = cv2.aruco.CharucoBoard((8, 6), 20.0, 15.0, dictionary).generateImage((800, 600), marginSize=30)
    return cv2.cvtColor(drawn, cv2.COLOR_GRAY2BGR).astype(np.uint8)


def other_board(picture: BGR) -> BGR:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_250)
    drawn = cv2.aruco.CharucoBoard((7, 5), 20.0, 15.0, dictionary).generateImage((700, 500), marginSize=30)
    return cv2.cvtColor(drawn, cv2.COLOR_GRAY2BGR).astype(np.uint8)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda p: np.full_like(p, 90), "no board: lay the printed board"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 25), "blurred, or no board in it"),
        (lambda p: cv2.GaussianBlur(p, (0, 0), 5), "blurred"),
        (lambda p: np.full_like(p, 255), "too bright"),
        (lambda p: p // 30, "too dark"),
        (covered, "of the board's 17 markers can be seen"),
        (lambda p: cv2.flip(p, 1), "mirrored"),
        (other_board, "a board with 6x6 markers"),
        (larger_board, "markers of another board"),
    ],
)
def test_a_picture_without_a_usable_board_says_why(board_bgr: BGR, spoil: Callable[[BGR], BGR], said: str):
    with pytest.raises(CalibrationError) as caught:
        find_board(spoil(board_bgr).astype(np.uint8), Board(), "board.jpg")
    assert str(caught.value).startswith("board.jpg: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_half_a_board_serves(board_bgr: BGR):
    half = board_bgr.copy()
    half[:, board_bgr.shape[1] // 2 :] = 60
    assert 8 <= len(find_board(half, Board()).corners_px) < 20


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda p: cv2.GaussianBlur(p, (0, 0), 2.7), "edges are smeared"),
        (lambda p: cv2.convertScaleAbs(p, alpha=1.6), "the board is overexposed"),
    ],
)
def test_a_poor_board_picture_is_used_and_doubted(board_bgr: BGR, spoil: Callable[[BGR], BGR], said: str):
    height, width = board_bgr.shape[:2]
    poor = add_board(new_profile("", (width, height)), spoil(board_bgr).astype(np.uint8), Board())
    assert said in "; ".join(doubts(poor))


def test_a_bent_board_is_refused_and_a_slightly_bent_one_doubted(board_bgr: BGR):
    height, width = board_bgr.shape[:2]
    y, x = np.indices((height, width), np.float32)
    little, much = (
        cv2.remap(board_bgr, x, y + by_px * np.sin(x / width * 9).astype(np.float32), cv2.INTER_LINEAR).astype(np.uint8)
        for by_px in (3.0, 16.0)
    )
    nothing = new_profile("", (width, height))
    assert "off a flat board" in "; ".join(doubts(add_board(nothing, little, Board())))
    with pytest.raises(CalibrationError, match=r"board.jpg: the corners .* off a flat board: press it flat"):
        add_board(nothing, much, Board(), name="board.jpg")


def test_light_on_the_floor_in_numbers(empty_bgr: BGR):
    floor = np.full(empty_bgr.shape[:2], 255, np.uint8)
    glary = empty_bgr.copy()
    cv2.circle(glary, (200, 300), 20, (255, 255, 255), -1)
    light = measure_light([glary], floor)
    assert light.glare_xyr_px is not None
    np.testing.assert_allclose(light.glare_xyr_px, [[200, 300, 20]], atol=0.7)
    assert light.clipped == pytest.approx(np.pi * 400 / floor.size, rel=0.1)
    assert measure_light([empty_bgr // 60], floor).dark > 0.9


def test_noise_between_pictures_is_the_noise_that_was_added():
    rng = np.random.default_rng(5)
    grain = rng.integers(60, 160, (120, 160, 1)).repeat(3, axis=2)
    noisy = [np.clip(grain + rng.normal(0, 4, grain.shape[:2])[..., None], 0, 255).astype(np.uint8) for _ in range(9)]
    assert measure_light(noisy, np.full((120, 160), 255, np.uint8)).noise == pytest.approx(4, rel=0.1)


def test_glare_is_doubted_with_its_place(profile: TrayProfile, empty_bgr: BGR):
    glary = empty_bgr.copy()
    cv2.circle(glary, (250, 180), 20, (255, 255, 255), -1)
    assert "glare at the upper left: move the lamp" in "; ".join(doubts(add_empty(profile, [glary])))


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (10, 10, "at the upper left"),
        (400, 10, "at the upper edge"),
        (400, 300, "in the middle"),
        (800, 300, "at the right edge"),
    ],
)
def test_places_are_named(profile: TrayProfile, x: float, y: float, said: str):
    assert place(profile, x, y) == said


def test_flicker_is_told_from_noise(tray: SimulatedTray):
    still = [tray.empty_picture() for _ in range(5)]
    assert not flickers(still)
    gains = (1.0, 1.1, 0.9, 1.1, 0.9)
    assert flickers([cv2.convertScaleAbs(p, alpha=a).astype(np.uint8) for p, a in zip(still, gains, strict=True)])


def rolls_of(tray: SimulatedTray, count: int) -> list[BGR]:
    rolls = []
    for _ in range(count):
        tray.throw()
        tray.frame()
        while not tray.at_rest():
            tray.frame()
        rolls.append(tray.frame().image_bgr)
    return rolls


@pytest.fixture(scope="module")
def rolls() -> list[BGR]:
    return rolls_of(SimulatedTray(seed=3), 4)


def test_an_empty_tray_passes_and_one_with_a_thing_in_it_is_refused_with_its_place(
    profile: TrayProfile, empty_bgr: BGR, rolls: list[BGR]
):
    check_empty(profile, rolls, "empty.jpg")
    die = rolls[0].copy()
    with pytest.raises(CalibrationError, match=r"empty.jpg: something lies in the empty tray, .* clear the tray"):
        check_empty(replace(profile, empty_bgr=die), rolls[1:], "empty.jpg")
    hand = empty_bgr.copy()
    cv2.ellipse(hand, (410, 560), (90, 160), 10, 0, 360, (120, 150, 200), -1)
    with pytest.raises(CalibrationError, match="something lies in the empty tray"):
        check_empty(replace(profile, empty_bgr=hand), rolls, "empty.jpg")


def test_dice_in_the_empty_tray_are_refused_at_once(profile: TrayProfile, rolls: list[BGR]):
    with pytest.raises(CalibrationError, match=r"empty.jpg: dice lie in the empty tray \([1-6 ]+\): clear it"):
        add_empty(profile, [rolls[0]], "empty.jpg")


@pytest.mark.parametrize(("level", "said"), [(2, "black: switch the lamp on"), (255, "white all over: dim the lamp")])
def test_an_empty_tray_in_which_nothing_can_be_seen_is_refused(
    profile: TrayProfile, empty_bgr: BGR, level: int, said: str
):
    with pytest.raises(CalibrationError, match=f"empty.jpg: {said}"):
        add_empty(profile, [np.full_like(empty_bgr, level)], "empty.jpg")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p, "as calibrated"),
        (lambda p: cv2.warpAffine(p, np.array([[1.0, 0, 6], [0, 1, -3]]), p.shape[1::-1]), "camera or tray moved by"),
        (lambda p: cv2.convertScaleAbs(p, alpha=0.7), "darker: run `mishimash calibrate light`"),
        (lambda p: cv2.flip(p, 0), "too unlike the empty tray"),
    ],
)
def test_what_changed_since_is_seen_although_dice_lie_there(
    profile: TrayProfile, rolls: list[BGR], change: Callable[[BGR], BGR], said: str
):
    assert said in since(profile, change(rolls[0]).astype(np.uint8))


def write_pictures(folder: Path, pictures: dict[str, BGR]) -> Path:
    for name, picture in pictures.items():
        cv2.imwrite(str(folder / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return folder


def test_whatever_is_missing_is_named_and_the_rest_is_used(
    tmp_path: Path, board_bgr: BGR, empty_bgr: BGR, rolls: list[BGR]
):
    pictures = {"board": board_bgr, "empty": empty_bgr, "roll-1": rolls[0], "roll-2": rolls[1], "roll-3": rolls[2]}
    for mask in range(1, 8):
        names = [name for name in pictures if mask & {"board": 1, "empty": 2}.get(name, 4)]
        folder = tmp_path / str(mask)
        folder.mkdir()
        made = profile_from_images(write_pictures(folder, {name: pictures[name] for name in names}), Board())
        assert (made.pose is not None) == ("board" in names)
        assert (made.empty_bgr is not None) == ("empty" in names)
        assert (made.dice is not None) == ("board" in names and "roll-1" in names)
        lacking = {sentence.partition(":")[0] for sentence in made.lacks}
        assert ("board" in lacking) == ("board" not in names)
        assert ("empty tray" in lacking) == ("empty" not in names)
        save_profile(made, folder / "profile.toml")
        assert load_profile(folder / "profile.toml").lacks == made.lacks


def test_pictures_of_different_sizes_are_refused(tmp_path: Path, board_bgr: BGR, empty_bgr: BGR):
    small = cv2.resize(empty_bgr, (640, 480)).astype(np.uint8)
    folder = write_pictures(tmp_path, {"board": board_bgr, "empty": small})
    with pytest.raises(CalibrationError, match=r"empty.jpg: 640x480, the profile or .* are 820x616: take all"):
        profile_from_images(folder, Board())


@pytest.mark.parametrize(("make", "said"), [(True, "holds none of board.jpg"), (False, "is no folder")])
def test_a_folder_without_pictures_is_refused(tmp_path: Path, make: bool, said: str):
    folder = tmp_path / "pictures"
    if make:
        folder.mkdir()
    with pytest.raises(CalibrationError, match=said):
        profile_from_images(folder, Board())
