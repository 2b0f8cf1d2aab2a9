"""A die that leans shows its sides otherwise than those that lie flat: drawn as what looks like dice, nothing else."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.lean import leans
from vision.loose import stray
from vision.spotter import Spots, squares

EDGE_PX, SCALE = 40.0, 0.5
SIZE = 640, 480
PLACES = np.array([(120, 100), (320, 90), (520, 120), (150, 360), (330, 300), (500, 380)], float)
CLEAR = np.ones(len(PLACES), np.bool_)
ANYWHERE = [(320.0, 240.0), (-200.0, 240.0), (500.0, 900.0)]


def seen(
    below_xy: tuple[float, float], odd: int | None = None, by: tuple[float, float] = (0, 0), slant: float = 0.0
) -> Spots:
    """Six dice under a camera 25 edges above `below_xy`; the foot of one is seen `by` so many edges farther off,
    and its top face longer by the share `slant` than it is wide.
    """
    die = np.zeros((round(SIZE[1] * SCALE), round(SIZE[0] * SCALE)), np.float32)
    for k, top in enumerate(PLACES):
        foot = top + (np.array(below_xy) - top) / 25
        if k == odd:
            foot = foot + np.array(by) * EDGE_PX
        square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * EDGE_PX
        outline = cv2.convexHull(np.concatenate([top + square, foot + square]).astype(np.float32))
        cv2.fillConvexPoly(die, np.rint(outline * SCALE).astype(np.int32), 1.0)
    same = np.ones(len(PLACES), np.float32)
    xy_px = PLACES.astype(np.float32)
    A = squares(same * EDGE_PX, np.linspace(0, 1, len(PLACES), dtype=np.float32))
    if odd is not None:
        A[odd] = np.diag([1 - slant / 2, 1 + slant / 2]) @ A[odd]
    return Spots(xy_px, A, same, np.zeros((len(PLACES), 7), np.float32), die, SCALE)


@pytest.mark.parametrize("below_xy", ANYWHERE)
def test_dice_lying_flat_agree_wherever_the_camera_is(below_xy: tuple[float, float]) -> None:
    assert leans(seen(below_xy), CLEAR).min() > 0.2


@pytest.mark.parametrize("below_xy", ANYWHERE)
@pytest.mark.parametrize("odd", range(6))
@pytest.mark.parametrize("by", [(0.8, 0), (-0.7, 0.8)])
def test_a_die_that_leans_strays_most(below_xy: tuple[float, float], odd: int, by: tuple[float, float]) -> None:
    found = leans(seen(below_xy, odd, by), CLEAR)
    assert found.argmin() == odd
    assert found.min() < 0.1


@pytest.mark.parametrize("odd", range(6))
def test_a_die_whose_top_face_is_slanted_otherwise_strays_most(odd: int) -> None:
    found = leans(seen(ANYWHERE[0], odd, slant=0.25), CLEAR)
    assert found.argmin() == odd
    assert found.min() < 0.003


def test_dice_that_a_camera_sees_slanted_alike_do_not_stray() -> None:
    dice = seen(ANYWHERE[0])
    aside = replace(dice, A_image_face=np.diag([1, 0.75]) @ dice.A_image_face)
    assert leans(aside, CLEAR).min() > 0.2


def test_what_is_not_clear_tells_nothing_of_the_others() -> None:
    dice = seen(ANYWHERE[0], odd=2, slant=0.9)
    found = leans(dice, np.arange(6) != 2)
    assert found[2] == 1
    assert found.min() > 0.2


def test_a_die_of_which_hardly_anything_shows_is_judged_by_its_top_face_alone() -> None:
    for slant, strays in ((0.0, False), (0.25, True)):
        dice = seen(ANYWHERE[0], odd=0, by=(0.8, 0), slant=slant)
        dice.die[30:70, 40:100] = 0
        assert (leans(dice, CLEAR)[0] < 0.01) == strays


@pytest.mark.parametrize(("surely", "doubted"), [(0.95, True), (0.8, False)])
def test_what_surely_looks_like_a_die_that_was_not_read_is_not_passed_over(surely: float, doubted: bool) -> None:
    dice = seen(ANYWHERE[0])
    dice.die[190:210, 110:130] = surely
    assert stray(dice) == doubted


def test_no_dice_do_not_lean() -> None:
    nobody: NDArray[np.bool_] = np.zeros(len(PLACES), np.bool_)
    assert leans(seen(ANYWHERE[0]).take(nobody), nobody).shape == (0,)
