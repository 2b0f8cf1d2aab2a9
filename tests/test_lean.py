"""A die that leans shows its sides otherwise than those that lie flat: drawn as what looks like dice, nothing else."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.lean import leans
from vision.loose import stray
from vision.spotter import Spots

EDGE_PX, SCALE = 40.0, 0.5
SIZE = 640, 480
PLACES = np.array([(120, 100), (320, 90), (520, 120), (150, 360), (330, 300), (500, 380)], float)
ANYWHERE = [(320.0, 240.0), (-200.0, 240.0), (500.0, 900.0)]


def seen(below_xy: tuple[float, float], odd: int | None = None, by: tuple[float, float] = (0, 0)) -> Spots:
    """Six dice under a camera 25 edges above `below_xy`; the foot of one is seen `by` so many edges farther off."""
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
    return Spots(xy_px, same * EDGE_PX, same * 0, same, np.zeros((len(PLACES), 7), np.float32), die, SCALE)


@pytest.mark.parametrize("below_xy", ANYWHERE)
def test_dice_lying_flat_agree_wherever_the_camera_is(below_xy: tuple[float, float]) -> None:
    assert leans(seen(below_xy)).max() < 1.5


@pytest.mark.parametrize("below_xy", ANYWHERE)
@pytest.mark.parametrize("odd", range(6))
@pytest.mark.parametrize("by", [(0.8, 0), (-0.7, 0.8)])
def test_a_die_that_leans_strays_most(below_xy: tuple[float, float], odd: int, by: tuple[float, float]) -> None:
    found = leans(seen(below_xy, odd, by))
    assert found.argmax() == odd
    assert found.max() > 2 > leans(seen(below_xy)).max()


def test_a_die_of_which_hardly_anything_shows_is_not_said_to_lean() -> None:
    dice = seen(ANYWHERE[0])
    dice.die[30:70, 40:80] = 0
    assert leans(dice)[0] == 0


@pytest.mark.parametrize(("surely", "doubted"), [(0.95, True), (0.8, False)])
def test_what_surely_looks_like_a_die_that_was_not_read_is_not_passed_over(surely: float, doubted: bool) -> None:
    dice = seen(ANYWHERE[0])
    dice.die[190:210, 110:130] = surely
    assert stray(dice) == doubted


def test_no_dice_do_not_lean() -> None:
    nobody: NDArray[np.bool_] = np.zeros(len(PLACES), np.bool_)
    assert leans(seen(ANYWHERE[0]).take(nobody)).shape == (0,)
