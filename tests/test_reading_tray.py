"""The reader on the simulated tray: right on every roll that lies flat, and never wrong without saying so."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from hardware.scenery import LOOKS
from hardware.simulated import SimulatedTray
from tests.known_tray import Image, quick_tray, thrown, true_profile
from vision import learn
from vision.learn import learn_dice
from vision.profile import TrayProfile
from vision.read import Reader
from vision.scene import Sight, look, look_again, scene_of
from vision.spotter import Spots, squares

Known = tuple[SimulatedTray, TrayProfile]


@pytest.fixture(params=["ivory on green", "mixed on black"])
def known(request: pytest.FixtureRequest) -> Known:
    return new_tray(request.param), learned(request.param)


@pytest.fixture
def ivory() -> Known:
    return new_tray("ivory on green"), learned("ivory on green")


def new_tray(style: str) -> SimulatedTray:
    """The same tray for every test, with the same rolls: no test hangs on those before it."""
    return quick_tray(seed=11, style=style)


@cache
def learned(style: str) -> TrayProfile:
    tray = new_tray(style)
    profile = true_profile(tray)
    return replace(profile, dice=learn_dice([thrown(tray)[0] for _ in range(2)], profile))


def test_the_dice_are_learned_from_unlabelled_rolls(known: Known):
    tray, profile = known
    assert profile.dice is not None
    assert profile.dice.edge_mm == pytest.approx(tray.look.edge_mm, rel=0.05)
    spacing_mm = (profile.dice.pip_spacing or 0) * profile.dice.edge_mm
    assert spacing_mm == pytest.approx(tray.look.pip_spacing * tray.look.edge_mm, rel=0.02)


def test_dice_are_learned_though_their_borders_mislead(monkeypatch: pytest.MonkeyPatch):
    """As glare on wide round edges does: then the nets tell how large the dice are."""
    monkeypatch.setattr(learn, "half_width", lambda *_: 0.43)
    tray = new_tray("ivory on green")
    dice = learn_dice([thrown(tray)[0] for _ in range(2)], true_profile(tray))
    assert dice.edge_mm == pytest.approx(tray.look.edge_mm, rel=0.05)


def test_dice_that_lie_flat_are_read_exactly(known: Known):
    tray, profile = known
    reader = Reader(profile)
    for n in (6, 4, 1):
        image, faces = thrown(tray, n)
        reading = reader.read(image)
        assert (reading.status, list(reading.values), reading.reasons) == ("ok", faces, ())


def test_a_die_is_where_the_picture_shows_it(ivory: Known):
    tray, profile = ivory
    reading = Reader(profile).read(thrown(tray)[0])
    true_xy = np.array([die.xy_px for die in tray.truth()])
    for die in reading.dice:
        assert np.linalg.norm(true_xy - (die.x_px, die.y_px), axis=1).min() < 4
        assert np.mean(die.corners_px, axis=0) == pytest.approx((die.x_px, die.y_px))
        assert 0 <= die.angle_deg < 90
        assert 0.9 < die.confidence <= 1


def test_the_empty_tray_is_empty(known: Known):
    tray, profile = known
    tray.clear()
    assert Reader(profile).read(tray.frame().image_bgr).status == "empty"


@pytest.mark.parametrize("lean_deg", [5, 10, 20, 30, 40])
def test_a_leaning_die_is_read_right_or_doubted(known: Known, lean_deg: float):
    tray, profile = known
    image, faces = thrown(tray, 4, lean_deg)
    reading = Reader(profile).read(image)
    assert reading.status == "unsure" or list(reading.values) == faces


def test_a_die_that_leans_by_40_degrees_is_doubted_in_words(ivory: Known):
    tray, profile = ivory
    reading = Reader(profile).read(thrown(tray, 4, 40)[0])
    assert reading.status == "unsure"
    assert any("lean" in reason or "lying flat" in reason for reason in reading.reasons)


def test_another_number_of_dice_than_expected_is_said(ivory: Known):
    tray, profile = ivory
    reading = Reader(profile).read(thrown(tray, 5)[0], expect=6)
    assert reading.status == "unsure"
    assert "5 of 6 dice" in reading.reasons


def hand(image: Image) -> None:
    cv2.ellipse(image, (700, 700), (150, 330), 20, 0, 360, (120, 150, 205), -1, cv2.LINE_AA)


def coin(image: Image) -> None:
    cv2.circle(image, (400, 380), 48, (90, 150, 180), -1, cv2.LINE_AA)
    cv2.circle(image, (400, 380), 40, (70, 120, 150), 2, cv2.LINE_AA)


def card(image: Image) -> None:
    cv2.rectangle(image, (380, 240), (580, 520), (235, 235, 235), -1)
    for x, y in ((430, 300), (530, 300), (480, 380), (430, 460), (530, 460)):
        cv2.circle(image, (x, y), 9, (30, 30, 200), -1, cv2.LINE_AA)


def domino(image: Image) -> None:
    cv2.rectangle(image, (380, 300), (480, 500), (225, 235, 235), -1)
    cv2.line(image, (385, 400), (475, 400), (40, 40, 40), 3)
    for x, y in ((405, 325), (455, 375), (405, 425), (455, 425), (405, 475), (455, 475)):
        cv2.circle(image, (x, y), 9, (30, 30, 30), -1, cv2.LINE_AA)


def writing(image: Image) -> None:
    cv2.rectangle(image, (300, 300), (720, 440), (240, 240, 240), -1)
    cv2.putText(image, "oo 80 : ...", (320, 400), cv2.FONT_HERSHEY_DUPLEX, 2.2, (20, 20, 20), 5, cv2.LINE_AA)


@pytest.mark.parametrize("thing", [hand, coin, card, domino, writing], ids=lambda thing: thing.__name__)
def test_what_is_no_die_is_never_vouched_for(ivory: Known, thing):
    tray, profile = ivory
    tray.clear()
    image = tray.frame().image_bgr.copy()
    thing(image)
    assert Reader(profile).read(image).status == "unsure"


def test_the_calibration_board_is_no_roll(ivory: Known):
    tray, profile = ivory
    assert Reader(profile).read(tray.board_picture()).status == "unsure"


@pytest.mark.parametrize("gain", [0.75, 1.2])
def test_a_change_of_brightness_changes_no_value(ivory: Known, gain: float):
    tray, profile = ivory
    image, faces = thrown(tray)
    reading = Reader(profile).read(cv2.convertScaleAbs(image, alpha=gain))
    assert (reading.status, list(reading.values)) == ("ok", faces)


def test_a_blurred_picture_is_said_to_be_out_of_focus(ivory: Known):
    tray, profile = ivory
    reading = Reader(profile).read(np.asarray(cv2.GaussianBlur(thrown(tray)[0], (0, 0), 7), np.uint8))
    assert reading.status == "unsure"
    assert any("out of focus" in reason for reason in reading.reasons)


def test_a_die_that_is_all_white_is_said_to_glare(ivory: Known):
    tray, profile = ivory
    image = thrown(tray, 3)[0].copy()
    x, y = tray.truth()[0].xy_px
    cv2.circle(image, (round(x), round(y)), 30, (255, 255, 255), -1, cv2.LINE_AA)
    reading = Reader(profile).read(image)
    assert reading.status == "unsure"
    assert any("glare" in reason for reason in reading.reasons)


def test_what_the_empty_tray_shows_already_is_no_die(ivory: Known):
    """A die printed on the floor, on which less light falls now."""
    tray, profile = ivory
    edge_px = Reader(profile).read(thrown(tray, 1)[0]).dice[0].size_px
    printed = tray.empty_picture().copy()
    middle = np.array([512, 384])
    low, high = (tuple(np.round(middle + side * edge_px / 2).astype(int).tolist()) for side in (-1, 1))
    cv2.rectangle(printed, low, high, (200, 220, 225), -1)
    for step in (-0.26, 0.0, 0.26):
        x, y = np.round(middle + step * edge_px).astype(int).tolist()
        cv2.circle(printed, (x, y), round(0.09 * edge_px), (20, 20, 20), -1, cv2.LINE_AA)
    shaded = printed.copy()
    shaded[250:500, 400:640] = cv2.convertScaleAbs(printed[250:500, 400:640], alpha=0.75)
    assert not Reader(replace(profile, empty_bgr=printed)).read(shaded).dice


def test_without_the_empty_picture_no_value_is_wrong_in_silence(ivory: Known):
    tray, profile = ivory
    reader = Reader(replace(profile, empty_bgr=None))
    for _ in range(3):
        image, faces = thrown(tray)
        reading = reader.read(image)
        assert reading.status == "unsure" or list(reading.values) == faces


def test_a_picture_of_half_the_size_is_read_with_the_same_profile(ivory: Known):
    tray, profile = ivory
    image, faces = thrown(tray)
    small = np.asarray(cv2.resize(image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA), np.uint8)
    reading = Reader(profile).read(small)
    assert list(reading.values) == faces
    assert max(die.x_px for die in reading.dice) < small.shape[1]


def test_dice_cannot_be_learned_without_the_place_of_the_camera(ivory: Known):
    tray, profile = ivory
    with pytest.raises(ValueError, match="board"):
        learn_dice([thrown(tray)[0]], replace(profile, pose=None))


def test_dice_cannot_be_learned_from_an_empty_tray(ivory: Known):
    tray, profile = ivory
    with pytest.raises(ValueError, match="no dice found"):
        learn_dice([tray.empty_picture()], profile)


def shaded_spots(image: Image, x_px: int, y_px: int, offsets: list[tuple[int, int]]) -> Image:
    """The picture with a soft shadow on the bare floor, and faint dark spots of a pip's size in it."""
    light = np.ones(image.shape[:2], np.float32)
    cv2.circle(light, (x_px, y_px), 50, 0.8, cv2.FILLED)
    light = cv2.GaussianBlur(light, (0, 0), 6)
    for x, y in offsets:
        spot = np.zeros(image.shape[:2], np.float32)
        cv2.circle(spot, (x_px + x, y_px + y), 5, 1, cv2.FILLED, cv2.LINE_AA)
        light *= 1 - 0.55 * spot
    return np.asarray(image * light[..., None], np.uint8)


def test_several_faint_pips_beside_the_dice_are_doubted_and_a_pair_of_specks_is_not(ivory: Known):
    tray, profile = ivory
    reader, (image, faces) = Reader(profile), thrown(tray, 2)
    x_px, y_px = bare_place(reader, image)
    row = [(-14, 0), (0, 0), (14, 0)]
    assert reader.read(shaded_spots(image, x_px, y_px, row[:2])).status == "ok"
    doubted = reader.read(shaded_spots(image, x_px, y_px, row))
    assert (list(doubted.values), doubted.status) == (faces, "unsure")


@pytest.mark.parametrize("pips", [[(-14, -14), (0, 0), (14, 14)], [(-14, -14), (14, 14), (-14, 14), (14, -14)]])
def test_spots_that_lie_as_pips_on_bare_floor_are_no_die_but_are_not_passed_over(ivory: Known, pips):
    tray, profile = ivory
    reader, (image, faces) = Reader(profile), thrown(tray, 2)
    x_px, y_px = bare_place(reader, image)
    reading = reader.read(shaded_spots(image, x_px, y_px, pips))
    assert (list(reading.values), reading.status) == (faces, "unsure")
    assert any("belongs to no die" in reason for reason in reading.reasons)


def three_seen(known: Known) -> Sight:
    tray, profile = known
    scene = scene_of(profile)
    assert scene is not None
    return look(scene, thrown(tray, 3)[0])


def spots_at(seen: Sight, aside_px: float = 0, other: int = 0) -> Spots:
    """The dice that were seen as the nets would spot them, beside where they are, or `other` faces."""
    sure, nowhere = np.ones(len(seen.best), np.float32), np.zeros((1, 1), np.float32)
    chance = np.eye(7, dtype=np.float32)[(seen.faces - 1 + other) % 6]
    A = squares(sure * seen.view.plane.px_per_edge, seen.poses[:, 2])
    return Spots(seen.poses[:, :2] + aside_px, A, sure, chance, nowhere, 1.0)


@pytest.mark.parametrize(("aside_px", "other", "doubted"), [(0, 0, False), (0, 1, True), (9, 0, True)])
def test_a_face_that_hardly_leads_is_doubted_unless_it_was_spotted_there_too(
    ivory: Known, aside_px: int, other: int, doubted: bool
):
    seen = three_seen(ivory)
    faces = replace(seen.found.faces, margin=np.full_like(seen.found.faces.margin, 0.1))
    hardly = replace(seen, found=replace(seen.found, faces=faces))
    doubts = look_again(hardly, spots_at(seen, aside_px, other)).doubts
    assert [any("could be" in doubt for doubt in of_one) for of_one in doubts] == [doubted] * 3


@pytest.mark.parametrize(("evidence", "value"), [("scale", 0.91), ("second_side", 0.1)])
def test_close_pips_or_two_unseen_sides_are_not_doubted_where_the_same_face_was_spotted(
    ivory: Known, evidence: str, value: float
):
    seen = three_seen(ivory)
    odd = replace(seen, found=replace(seen.found, **{evidence: np.full_like(seen.found.scale, value)}))
    again = look_again(odd, spots_at(seen))
    assert not any(doubts for face, doubts in zip(again.faces, again.doubts, strict=True) if face > 1)


@pytest.mark.parametrize(
    ("evidence", "value", "doubt"),
    [("outline", 0.15, "no clear outline"), ("second_side", 0.1, "no clear outline"), ("scale", 0.91, "too close")],
)
def test_each_kind_of_weak_evidence_makes_every_die_doubted(ivory: Known, evidence: str, value: float, doubt: str):
    seen = three_seen(ivory)
    weak = replace(seen, found=replace(seen.found, **{evidence: np.full_like(seen.found.outline, value)}))
    none = spots_at(seen).take(np.zeros(0, np.intp))
    assert all(any(doubt in reason for reason in of_one) for of_one in look_again(weak, none).doubts)
    assert not any(look_again(seen, none).doubts)


def test_a_die_that_is_seen_larger_than_one_on_the_floor_is_doubted(ivory: Known):
    """As one that lies on another die is, nearer to the camera."""
    tray, profile = ivory
    reader, (image, faces) = Reader(profile), thrown(tray, 3)
    die = reader.read(image).dice[0]
    x, y, half = round(die.x_px), round(die.y_px), round(0.9 * die.size_px)
    nearer = cv2.resize(image[y - half : y + half, x - half : x + half], None, fx=1.09, fy=1.09)
    more = (len(nearer) - 2 * half) // 2
    image = image.copy()
    image[y - half : y + half, x - half : x + half] = nearer[more : more + 2 * half, more : more + 2 * half]
    reading = reader.read(image)
    assert (list(reading.values), reading.status) == (faces, "unsure")
    assert any("larger than a die lying flat" in reason for reason in reading.reasons)


def bare_place(reader: Reader, image: Image) -> tuple[int, int]:
    """A place in the middle of the floor, far from all dice."""
    height, width = image.shape[:2]
    dice = [(die.x_px, die.y_px) for die in reader.read(image).dice]
    places = [(x, y) for x in range(width // 4, 3 * width // 4, 20) for y in range(height // 3, 2 * height // 3, 20)]
    return max(places, key=lambda place: min(np.hypot(place[0] - x, place[1] - y) for x, y in dice))


def test_sixes_whose_rows_lie_close_are_read_or_doubted():
    tray, profile = new_tray("close rows on blue"), learned("close rows on blue")
    reader = Reader(profile)
    rolls = [(reader.read(image), faces) for image, faces in (thrown(tray) for _ in range(6))]
    assert sum(6 in faces for _, faces in rolls) >= 4
    assert all(list(reading.values) == faces for reading, faces in rolls if reading.status == "ok")
    assert sum(reading.status == "ok" for reading, _ in rolls) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("style", [style for style, look in LOOKS.items() if look.six_rows == 1])
def test_every_look_of_the_tray_is_read(style: str):
    tray, profile = new_tray(style), learned(style)
    reader = Reader(profile)
    for _ in range(6):
        image, faces = thrown(tray)
        assert list(reader.read(image).values) == faces


def test_a_doubted_face_that_is_as_dark_as_a_shadow_stays_where_the_nets_see_it_too(ivory: Known):
    seen = three_seen(ivory)
    assert seen.view.front is not None
    front = replace(seen.view.front, solid=np.zeros_like(seen.view.front.solid))
    found = replace(seen.found, scale=np.full_like(seen.found.scale, 1.2), worth=seen.found.worth + 0.5)
    dark = replace(seen, view=replace(seen.view, front=front), found=found)
    nobody = spots_at(dark).take(np.zeros(3, np.bool_))
    assert [len(look_again(dark, spots).best) for spots in (spots_at(dark), nobody)] == [3, 0]


@pytest.mark.parametrize(
    ("face", "second_side", "high", "doubted"),
    [(1, 0.19, 0.8, True), (1, 0.24, 0.8, False), (1, 0.19, 1.0, False), (2, 0.16, 0.8, False), (2, 0.1, 0.8, True)],
)
def test_a_one_must_show_its_sides_unless_the_nets_see_it_square(
    ivory: Known, face: int, second_side: float, high: float, doubted: bool
):
    """A die that leans on a wall may turn its One to the camera, which then sees it slanted."""
    seen = three_seen(ivory)
    faces = replace(seen.found.faces, face=np.full_like(seen.found.faces.face, face))
    sides = np.full_like(seen.found.second_side, second_side)
    found = replace(seen.found, faces=faces, second_side=sides, worth=seen.found.worth + 0.5)
    weak = replace(seen, found=found)  # and worth more than what is spotted, so that it is judged
    spots = spots_at(weak)
    slanted = replace(spots, A_image_face=np.diag([1, high]).astype(np.float32) @ spots.A_image_face)
    doubts = look_again(weak, slanted).doubts
    assert [any("outline" in doubt for doubt in of_one) for of_one in doubts] == [doubted] * 3
