"""The invented scenes that the net learns from; nothing is drawn here."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from training import labels
from training.command import TrainingError
from training.dice import NORMALS, flat_pose, overlap, top_face
from training.lessons import Floats as Labels
from training.lessons import varied, wanted
from training.looks import look
from training.places import CUT_OFF, known, mostly_whole, write
from training.scenes import SIDE_PX, Scene, invent
from training.spoiled import FAULTS, blank, spoil
from training.surfaces import SIZE_PX, SURFACES, Floats
from training.textures import table_texture
from training.things import THINGS
from vision import teller
from vision.spotter import Spots, squares
from vision.teller import NO_TOP_FACE

SEEDS = range(7)


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [invent(seed) for seed in SEEDS]


def test_the_same_seed_makes_the_same_scene(scenes: list[Scene]) -> None:
    again = invent(SEEDS[1])
    assert np.array_equal(again.table, scenes[1].table)
    assert np.array_equal(again.eye, scenes[1].eye)
    assert [die.at.tolist() for die in again.dice] == [die.at.tolist() for die in scenes[1].dice]
    assert not np.array_equal(again.table, scenes[2].table)


def test_dice_lying_flat_never_share_room(scenes: list[Scene]) -> None:
    pairs = [pair for scene in scenes for pair in combinations([die for die in scene.dice if die.flat], 2)]
    assert pairs
    assert not any(overlap(a, b) for a, b in pairs)


def test_the_lowest_point_of_every_flat_die_is_on_the_table(scenes: list[Scene]) -> None:
    heights = [die.at[2] / die.edge / die.sides[2] for scene in scenes for die in scene.dice if die.flat]
    assert heights == pytest.approx([0.5] * len(heights))


def test_some_scenes_have_boxes_that_are_no_dice() -> None:
    boxes = [die for seed in range(30) for die in invent(seed).dice if np.ptp(die.sides)]
    assert boxes
    assert all(box.block for box in boxes)


def test_the_uppermost_face_of_a_flat_pose_is_the_one_the_die_says(scenes: list[Scene]) -> None:
    rng = np.random.default_rng(1)
    die = replace(next(die for scene in scenes for die in scene.dice))
    seen = set()
    for _ in range(60):
        die.R_world_die = flat_pose(rng, rng.uniform(0, 2 * np.pi))
        assert die.R_world_die @ NORMALS[die.face] == pytest.approx([0, 0, 1])
        assert np.linalg.det(die.R_world_die) == pytest.approx(1)
        seen.add(die.face)
    assert seen == set(NORMALS)


def test_a_point_cast_from_its_pixel_back_onto_its_plane_is_itself(scenes: list[Scene]) -> None:
    rng = np.random.default_rng(2)
    for scene in scenes:
        point = np.append(rng.uniform(-2, 2, 2), 0.7)
        assert scene.on_plane(scene.to_px(point[None])[0], 0.7) == pytest.approx(point, abs=1e-9)


def test_opposite_faces_add_up_to_seven() -> None:
    assert all(tuple(-v for v in NORMALS[face]) == NORMALS[7 - face] for face in NORMALS)


def test_tables_stay_within_0_and_1() -> None:
    for seed in range(4):
        table = table_texture(np.random.default_rng(seed))
        assert (table.shape, table.dtype) == ((SIZE_PX, SIZE_PX, 3), np.float32)
        assert 0 <= table.min() <= table.max() <= 1


@pytest.mark.parametrize("thing", dict.fromkeys(THINGS))
def test_everything_that_may_lie_about_can_be_seen(
    thing: Callable[[np.random.Generator, Floats], Floats],
) -> None:
    bare = np.full((SIZE_PX, SIZE_PX, 3), 0.3)
    assert any((thing(np.random.default_rng(seed), bare.copy()) != bare).any() for seed in range(3))


def test_the_parts_of_all_surfaces_are_the_whole() -> None:
    assert sum(SURFACES.values()) == pytest.approx(1)


def test_pips_can_be_told_from_the_body() -> None:
    rng = np.random.default_rng(3)
    assert all(np.abs(a.pip - a.body).max() > 0.01 for a in (look(rng) for _ in range(100)))


def test_the_classes_are_those_the_reader_understands() -> None:
    assert labels.UNREADABLE == teller.UNREADABLE


def test_a_die_that_is_not_seen_at_all_is_not_asked_about(scenes: list[Scene]) -> None:
    nothing = np.zeros((SIDE_PX, SIDE_PX, 2), np.uint8)
    assert (labels.labels(scenes[1], nothing)[:, 4] == labels.UNDECIDED).all()


def test_a_top_face_is_as_large_in_the_picture_as_its_shape_says(scenes: list[Scene]) -> None:
    for scene in scenes:
        shapes = labels.shapes(scene)
        for i in labels.pipped(scene):
            middle, axes = top_face(scene.dice[i])
            square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * scene.dice[i].edge
            corners = scene.to_px(middle + square @ axes).astype(np.float32)
            assert abs(np.linalg.det(shapes[i])) == pytest.approx(cv2.contourArea(corners), rel=0.05)


@pytest.mark.parametrize("which", range(len(labels.SAME_FACE)))
def test_a_look_that_is_put_right_as_the_teller_should_say_sees_the_face_as_it_lies(which: int) -> None:
    xy, A = np.array([100.0, 80.0]), np.array([[30.0, 4.0], [-6.0, 24.0]])
    true_xy, true_A = np.array([103.0, 77.0]), np.array([[27.0, 3.0], [-2.0, 29.0]])
    said = labels.pose(xy, A @ labels.SAME_FACE[which], true_xy, true_A)
    right_A = A @ labels.SAME_FACE[which] @ (np.eye(2) + said[2:].reshape(2, 2))
    assert xy + A @ labels.SAME_FACE[which] @ said[:2] == pytest.approx(true_xy)
    assert np.abs(said).max() < 0.5
    assert min(np.abs(right_A - true_A @ same).max() for same in labels.SAME_FACE) < 1e-9


def test_the_net_should_name_a_die_where_its_face_is_centred() -> None:
    want = wanted(np.array([[101.0, 58.0, 24.0, 0.0, 4.0], labels.NOBODY], np.float32))
    assert np.argwhere(want.centre == 1).tolist() == [[14, 25]]
    assert want.face[14, 25] == 4
    assert want.pose[:, 14, 25] == pytest.approx([0, 1, 0, -0.25, 0])


def test_dice_stay_where_they_are_named_however_an_example_is_varied() -> None:
    rng, named = np.random.default_rng(4), 0
    for _ in range(60):
        image, mask, rows = _marked()
        _, mask, rows = varied(image, mask, rows, rng)
        for x, y, edge, _, kind in rows:
            if kind < labels.UNREADABLE and 0 <= x < SIDE_PX and 0 <= y < SIDE_PX:
                row, column = np.mgrid[:SIDE_PX, :SIDE_PX]
                own = mask.astype(bool) & (np.hypot(column - x, row - y) < edge)
                assert np.argwhere(own).mean(0) + 0.5 == pytest.approx([y, x], abs=1.0)
                named += 1
    assert named > 60


def _marked() -> tuple[np.ndarray, np.ndarray, Labels]:
    """A picture with two squares that count as dice."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    mask[90:110, 60:80] = mask[150:170, 180:200] = 1
    rows = np.array([[70, 100, 20, 0, 4], [190, 160, 20, 0, 2]], np.float32)
    return np.repeat(mask[..., None] * 200, 3, 2), mask, rows


def test_spots_are_known_by_the_dice_they_are_at() -> None:
    dice = np.array([[100, 100, 30, 0, 4], [200, 100, 30, 0, labels.UNDECIDED]], np.float32)
    xy = np.array([[104, 97], [118, 100], [111, 100], [205, 105], [40, 200]], np.float32)
    many = np.zeros(len(xy), np.float32)
    A = squares(many + 28, many)
    spots = Spots(xy, A, many, np.zeros((len(xy), 7), np.float32), np.zeros((2, 2), np.float32), 0.25)
    rows, of_die = known(spots, dice)
    assert rows[:, :2].tolist() == [[104, 97], [118, 100], [40, 200]]
    assert rows[:, 4].tolist() == [4, NO_TOP_FACE, NO_TOP_FACE]
    assert of_die.tolist() == [0, -1, -1]


def test_examples_of_an_older_kind_are_refused_in_words(tmp_path: Path) -> None:
    part = tmp_path / "part-0.npz"
    np.savez(part, images=np.zeros((0, SIDE_PX, SIDE_PX, 3)), labels=np.zeros((0, 16, 5)))
    with pytest.raises(TrainingError, match="make it anew"):
        write(part)


@pytest.mark.parametrize(
    ("x", "kind", "shown"),
    [
        (5, 3, 1),
        (128, labels.UNREADABLE, 1),
        (5, labels.UNREADABLE, 1 / CUT_OFF),
        (SIDE_PX - 5, NO_TOP_FACE, 1 / CUT_OFF),
    ],
)
def test_of_what_is_no_face_and_cut_off_little_is_shown(x: float, kind: int, shown: float) -> None:
    rows = np.tile(np.array([0, x, 128, 30, 0, kind], np.float32), (10 * CUT_OFF, 1))
    assert len(mostly_whole(rows)) == shown * len(rows)


@pytest.mark.parametrize("fault", [*FAULTS, spoil], ids=lambda fault: fault.__name__)
def test_pips_can_mostly_be_told_whatever_spoils_the_view_of_a_face(
    fault: Callable[[np.ndarray, np.random.Generator], np.ndarray],
) -> None:
    face = np.full((64, 64, 3), (200, 210, 215), np.uint8)
    pips = [(24, 24), (39, 39), (24, 39), (39, 24), (31, 31)]
    for x, y in pips:
        face[y - 2 : y + 3, x - 2 : x + 3] = (40, 30, 60)
    (x, y), rng, clear = np.array(pips).T, np.random.default_rng(5), 0
    for _ in range(100):
        seen = fault(face, rng)
        assert (seen.shape, seen.dtype) == (face.shape, np.uint8)
        clear += np.linalg.norm(seen[y, x].mean(0) - np.median(seen[21:43, 21:43], axis=(0, 1))) > 15
    assert clear > 90


@pytest.mark.parametrize(("pip", "nothing_seen"), [(250, True), (238, False)])
def test_a_face_is_blank_where_its_pips_are_lost_in_light(pip: int, nothing_seen: bool) -> None:
    face = np.full((64, 64, 3), 251, np.uint8)
    face[24:29, 24:29] = face[36:41, 36:41] = pip
    assert blank(face) == nothing_seen
