"""Reading photographs without a profile: the simulated tray, drawn things that are no dice, and the two nets."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.known_tray import quick_tray, thrown
from vision import loose
from vision.explain import SQUARE
from vision.loose import read_loose
from vision.profile import TrayProfile
from vision.reading import Die
from vision.spotter import spot, spot_sized, squares
from vision.teller import NO_TOP_FACE, UNREADABLE, place, tell

Image = NDArray[np.uint8]
IVORY, BLACK, FELT = (215, 230, 235), (25, 25, 25), (50, 95, 40)
STYLES = ("ivory on green", "red on grey", "black on cream", "yellow on navy", "mixed on black", "close rows on blue")


def draw_face(image: Image, face: int, x: float, y: float, angle_deg: float = 0.0, edge_px: float = 70.0) -> None:
    """A square with pips, as printed on paper: no sides, no shadow."""
    sites = {1: "....o....", 2: "o.......o", 3: "o...o...o", 4: "o.o...o.o", 5: "o.o.o.o.o", 6: "ooo...ooo"}[face]
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    A = np.array([[c, -s], [s, c]]) * edge_px
    corners = SQUARE @ A.T + (x, y)
    cv2.fillConvexPoly(image, np.rint(corners).astype(np.int32), IVORY, cv2.LINE_AA)
    for k in (k for k, mark in enumerate(sites) if mark == "o"):
        at = np.array([k % 3 - 1, k // 3 - 1]) * 0.26 @ A.T + (x, y)
        cv2.circle(image, tuple(int(v) for v in np.rint(at)), round(0.1 * edge_px), BLACK, -1, cv2.LINE_AA)


def felt() -> Image:
    noise = np.random.default_rng(7).normal(size=(600, 800, 3)) * 3
    return np.asarray(np.clip(np.full((600, 800, 3), FELT) + noise, 0, 255), np.uint8)


@pytest.fixture(scope="module", params=STYLES)
def roll(request: pytest.FixtureRequest) -> tuple[Image, list[int], Image]:
    """Six dice at rest, what they show, and the empty tray."""
    tray = quick_tray(5, request.param)
    image, faces = thrown(tray)
    return image, faces, tray.empty_picture()


@pytest.fixture(scope="module")
def die_of() -> dict[int, tuple[Image, Die]]:
    """Of each face a picture with a die that shows it."""
    found: dict[int, tuple[Image, Die]] = {}
    for seed in range(8):
        image, faces = thrown(quick_tray(seed, STYLES[0]))
        reading = read_loose(image)
        if list(reading.values) == faces:
            found |= {die.face: (image, die) for die in reading.dice}
    return found


def test_six_dice_of_any_colour_are_read(roll: tuple[Image, list[int], Image]) -> None:
    reading = read_loose(roll[0])
    assert (list(reading.values), reading.status) == (roll[1], "ok"), reading.reasons


def test_the_empty_tray_is_empty(roll: tuple[Image, list[int], Image]) -> None:
    assert read_loose(roll[2]).status == "empty"


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_dice_are_read_at_any_size(scale: float) -> None:
    image, faces = thrown(quick_tray(5, STYLES[0]))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    picture = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=how), np.uint8)
    assert list(read_loose(picture).values) == faces


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_picture_upside_down_is_read_alike(turns: int) -> None:
    image, faces = thrown(quick_tray(5, STYLES[0]))
    assert list(read_loose(np.ascontiguousarray(np.rot90(image, turns))).values) == faces


def test_a_die_is_reported_where_it_lies_to_an_eighth_of_an_edge_in_pixels_of_the_photograph() -> None:
    tray = quick_tray(5, STYLES[0])
    image, _ = thrown(tray)
    moved = np.asarray(cv2.copyMakeBorder(image, 60, 0, 90, 0, cv2.BORDER_REPLICATE), np.uint8)
    here, there = (sorted((die.x_px, die.y_px) for die in read_loose(picture).dice) for picture in (image, moved))
    eighth_px = np.median([die.size_px for die in read_loose(image).dice]) / 8
    assert np.array(there) - np.array(here) == pytest.approx(np.tile([90.0, 60.0], (len(here), 1)), abs=eighth_px)


def test_a_wrong_number_of_dice_is_said() -> None:
    image, _ = thrown(quick_tray(5, STYLES[0]))
    reading = read_loose(image, expect=5)
    assert (reading.status, reading.reasons[0]) == ("unsure", "6 of 5 dice")


def test_what_was_in_the_empty_tray_is_no_die() -> None:
    scene, _ = thrown(quick_tray(5, STYLES[0]))
    height, width = scene.shape[:2]
    profile = TrayProfile(camera="simulated", width_px=width, height_px=height, empty_bgr=scene)
    assert read_loose(scene, profile).dice == ()


def test_dominoes_are_never_vouched_for_as_dice() -> None:
    picture = felt()
    for face, x, y in [(4, 200, 200), (5, 270, 200), (3, 500, 300), (6, 570, 300)]:
        draw_face(picture, face, x, y)
    assert read_loose(picture).status != "ok"


def test_printed_text_is_never_vouched_for_as_dice() -> None:
    picture = felt()
    for line, words in enumerate(["six dice, two buttons", "8:30 :: 100 % ...", "o o o  oo  o"]):
        cv2.putText(picture, words, (40, 120 + 150 * line), cv2.FONT_HERSHEY_SIMPLEX, 2.0, IVORY, 4, cv2.LINE_AA)
    assert read_loose(picture).status != "ok"


def test_the_calibration_board_is_no_dice() -> None:
    board = cv2.aruco.CharucoBoard((7, 5), 20.0, 15.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    picture = cv2.cvtColor(board.generateImage((800, 600), marginSize=40), cv2.COLOR_GRAY2BGR)
    assert read_loose(np.asarray(picture, np.uint8)).status != "ok"


def test_the_nets_alone_tell_the_faces_apart() -> None:
    image, faces = thrown(quick_tray(5, STYLES[0]))
    spots = spot(image)
    clear = (spots.centre > 0.5) & (spots.chance.argmax(1) < UNREADABLE)
    assert sorted((spots.chance[clear].argmax(1) + 1).tolist()) == faces


def test_what_looks_like_dice_though_none_is_spotted_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    image, _ = thrown(quick_tray(5, STYLES[0]))
    spots = spot(image)
    unseen = spots.take(np.zeros(len(spots), np.bool_))
    monkeypatch.setattr(loose, "spot", lambda _: unseen)
    assert read_loose(image).status == "unsure"


def test_no_die_is_spotted_twice() -> None:
    xy = spot(thrown(quick_tray(5, STYLES[4]))[0]).xy_px
    apart = [np.hypot(*(a - b)) for k, a in enumerate(xy) for b in xy[:k]]
    assert min(apart) > 10


def test_a_part_of_a_picture_has_its_dice_where_the_whole_has_them() -> None:
    image, _ = thrown(quick_tray(5, STYLES[0]))
    whole = spot(image)
    x, y = whole.xy_px[0]
    edge = float(whole.edge_px[0])
    left, top = max(0, int(x - 2 * edge)), max(0, int(y - 2 * edge))
    part = spot_sized(image[top : int(y + 2 * edge), left : int(x + 2 * edge)], edge).moved(left, top)
    assert np.hypot(*(part.xy_px - (x, y)).T).min() < 0.15 * edge


@pytest.mark.parametrize("face", range(1, 7))
def test_the_face_of_a_place_is_told_though_it_was_found_only_about_there(
    face: int, die_of: dict[int, tuple[Image, Die]]
) -> None:
    picture, die = die_of[face]
    at = np.array([[die.x_px + 0.05 * die.size_px, die.y_px - 0.05 * die.size_px]], np.float32)
    told, _, _ = tell(picture, at, squares(np.array([1.08 * die.size_px]), np.deg2rad([die.angle_deg + 6])))
    assert told.shape == (1, 8)
    assert told[0].argmax() + 1 == face


def test_every_look_sees_better_how_a_top_face_lies(die_of: dict[int, tuple[Image, Die]]) -> None:
    off: dict[int, list[float]] = {looks: [] for looks in range(3)}
    for picture, die in die_of.values():
        truly = np.array(die.corners_px)
        begin = np.array([[die.x_px + 0.08 * die.size_px, die.y_px - 0.06 * die.size_px]], np.float32)
        A = squares(np.array([1.2 * die.size_px]), np.deg2rad([die.angle_deg + 10]))
        for looks, far in off.items():
            _, (xy,), (A_image_face,) = tell(picture, begin, A, looks) if looks else (None, begin, A)
            corners = xy + SQUARE @ A_image_face.T
            apart = np.linalg.norm(corners[:, None] - truly, axis=2).min(1)
            far.append(float(apart.max() / die.size_px))
    spotted, once, twice = (float(np.mean(far)) for far in off.values())
    assert twice < once < 0.5 * spotted
    assert twice < 0.1


def test_where_no_die_lies_the_teller_tells_no_top_face() -> None:
    empty = quick_tray(5, STYLES[0]).empty_picture()
    at = np.array([[300, 250], [420, 300]], np.float32)
    told, _, _ = tell(empty, at, squares(np.full(2, 40), np.zeros(2)))
    assert told.argmax(1).tolist() == [NO_TOP_FACE] * 2


def test_no_place_is_told_of_none() -> None:
    nowhere = np.zeros((0, 2), np.float32), np.zeros((0, 2, 2), np.float32)
    assert [part.shape for part in tell(felt(), *nowhere)] == [(0, 8), (0, 2), (0, 2, 2)]


@pytest.mark.parametrize("edge_px", [20.0, 70.0, 210.0])
@pytest.mark.parametrize("high", [1.0, 0.7])
def test_a_place_is_seen_upright_square_and_at_one_size(edge_px: float, high: float) -> None:
    picture = felt()
    draw_face(picture, 2, 400, 300, angle_deg=30, edge_px=edge_px)
    slanted = np.asarray(cv2.resize(picture, None, fx=1, fy=high, interpolation=cv2.INTER_AREA), np.uint8)
    A = np.diag([1, high]) @ squares(np.array([edge_px]), np.deg2rad([30]))[0]
    seen = place(slanted, np.array([400, 300 * high]), A).astype(int).sum(2)
    darkest = np.argwhere(seen == seen[16:48, 16:48].min())
    # Pips of a Two lie on a diagonal, .26 edges from the middle; a place is two edges wide.
    assert np.abs(np.abs(darkest - 31.5) - 0.26 * 32).max() < 3.5
    assert ((darkest[:, 0] - 31.5) * (darkest[:, 1] - 31.5) > 0).all()
    assert seen[31, 31] > 500 > seen[4, 4]
