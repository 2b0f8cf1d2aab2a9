"""The names of dice's colours: sure where a person would be, silent between, the same for a die wherever it lies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.colours import bodies_bgr, colour_name


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((250, 250, 250), "white"),
        ((232, 222, 198), "white"),
        ((120, 112, 105), "white"),
        ((20, 18, 22), "black"),
        ((60, 55, 50), "black"),
        ((200, 20, 30), "red"),
        ((110, 15, 20), "red"),
        ((255, 140, 10), "orange"),
        ((250, 210, 40), "yellow"),
        ((30, 140, 60), "green"),
        ((40, 90, 200), "blue"),
        ((120, 50, 180), "purple"),
        ((240, 90, 180), "pink"),
        ((250, 165, 170), "pink"),
        ((110, 70, 40), "brown"),
        ((158, 128, 98), "brown"),
    ],
)
def test_a_colour_has_its_plain_name(rgb: tuple[int, int, int], name: str) -> None:
    assert colour_name(np.array(rgb[::-1], float)) == name


@pytest.mark.parametrize("rgb", [(90, 90, 90), (255, 190, 185), (235, 190, 60), (60, 160, 160), (180, 120, 50)])
def test_a_colour_between_two_names_has_none(rgb: tuple[int, int, int]) -> None:
    assert colour_name(np.array(rgb[::-1], float)) == ""


@settings(derandomize=True, max_examples=200, deadline=None)
@given(bgr=st.tuples(*[st.integers(0, 255)] * 3), step=st.tuples(*[st.integers(-2, 2)] * 3))
def test_noise_never_turns_one_name_into_another(bgr: tuple[int, ...], step: tuple[int, ...]) -> None:
    near = np.clip(np.add(bgr, step), 0, 255)
    assert len({colour_name(np.array(bgr, float)), colour_name(near.astype(float))} - {""}) < 2


def test_pips_do_not_count_for_the_body_however_many() -> None:
    face = np.full((100, 100, 3), 240, np.uint8)
    y, x = np.mgrid[:100, :100]
    for column in (24, 50, 76):
        for row in (24, 50, 76):
            face[np.hypot(x - column, y - row) < 12.5] = 10
    corners = np.array([[[0, 0], [99, 0], [99, 99], [0, 99]]], float)
    assert bodies_bgr(face, corners).tolist() == [[240, 240, 240]]
