import numpy as np
import pytest

from vision import loose
from vision.overlay import COCKED_BGR, DOUBTED_BGR, SURE_BGR, annotate
from vision.reading import Die, Reading

GREY = np.full((600, 800, 3), 128, np.uint8)
SURE = Die(4, 0.998, 200, 150, 60, 20)


def shows(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((picture == np.array(colour, np.uint8)).all(axis=2).any())


@pytest.mark.parametrize(
    ("die", "colour"),
    [
        (SURE, SURE_BGR),
        (Die(4, 0.6, 200, 150, 60, 20), DOUBTED_BGR),
        (Die(4, loose.SURE - 0.01, 200, 150, 60, 20), DOUBTED_BGR),
        (Die(4, 0.998, 200, 150, 60, 20, cocked=True), COCKED_BGR),
        (Die(4, 0.998, 200, 150, 60, 20, corners_px=((180, 120), (230, 125), (225, 180), (175, 175))), SURE_BGR),
    ],
)
def test_the_outline_tells_sure_from_doubted_from_cocked(die: Die, colour: tuple[int, int, int]) -> None:
    below_strip = annotate(GREY, Reading((die,), "ok"))[-600:]
    assert [each for each in (SURE_BGR, DOUBTED_BGR, COCKED_BGR) if shows(below_strip, each)] == [colour]


def test_outline_and_label_leave_the_pips_free() -> None:
    below_strip = annotate(GREY, Reading((SURE,), "ok"))[-600:]
    assert (below_strip[130:170, 180:220] == 128).all()


def test_each_reason_has_a_line_of_its_own_and_a_long_one_is_wrapped() -> None:
    heights = [
        annotate(GREY, Reading((SURE,), "unsure", reasons)).shape[0]
        for reasons in ((), ("glare",), ("glare", "5 of 6 dice"), ("glare", "5 of 6 dice", "a die leans " * 15))
    ]
    line_px = heights[1] - heights[0]
    assert np.diff(heights).tolist() == [line_px, line_px, 3 * line_px]


@pytest.mark.parametrize("reading", [Reading((), "empty"), Reading((), "unsure", ("too dark",))])
def test_a_reading_without_dice_is_drawn_too(reading: Reading) -> None:
    assert annotate(GREY, reading).shape[0] > 600


def test_the_given_picture_is_left_as_it_was() -> None:
    annotate(GREY, Reading((SURE,), "ok"))
    assert (GREY == 128).all()


@pytest.mark.parametrize(("height_px", "width_px"), [(1, 1), (48, 64), (480, 640), (3000, 4000)])
def test_pictures_of_any_size_carry_readable_writing(height_px: int, width_px: int) -> None:
    drawn = annotate(np.zeros((height_px, width_px, 3), np.uint8), Reading((SURE, SURE), "ok", ("glare",)))
    assert drawn.shape[1] >= 720
    assert drawn.shape[1] % width_px == 0
