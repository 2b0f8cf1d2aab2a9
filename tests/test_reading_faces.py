"""How the six faces are told apart by their pips."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.pips import PATTERN_FACES, PATTERNS, PIP_RADIUS, PIP_SPACING, SITES_XY, log_picture, place, score_faces

INKS = {
    "black on ivory": ((200, 220, 225), (25, 25, 25)),
    "white on red": ((40, 35, 190), (235, 235, 235)),
    "gold on purple": ((150, 40, 110), (90, 190, 225)),
    "white on pink": ((170, 150, 235), (240, 240, 240)),
    "red on white": ((235, 235, 235), (40, 30, 200)),
    "black on wood": ((90, 140, 180), (30, 35, 40)),
}


def drawn(pattern: int, ink: str, A: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A face, painted pip by pip on a 120 × 120 picture through the affine map A (2, 3), edges to pixels."""
    body, pip = INKS[ink]
    picture = np.full((120, 120, 3), body, np.uint8)
    around = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 40, endpoint=False)], np.float32)
    for site in SITES_XY[PATTERNS[pattern] > 0]:
        outline = place(A[None], site * np.float32(PIP_SPACING) + around * np.float32(PIP_RADIUS))[0]
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], pip, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8)


def upright(edge_px: float = 60.0) -> NDArray[np.float32]:
    return np.array([[edge_px, 0, 60], [0, edge_px, 60]], np.float32)


@pytest.mark.parametrize("ink", INKS)
@pytest.mark.parametrize("pattern", range(9))
def test_every_face_is_told_in_every_colour(pattern: int, ink: str):
    scores = score_faces(log_picture(drawn(pattern, ink, upright())), upright())
    assert scores.face[0] == PATTERN_FACES[pattern]
    assert scores.score[0] > 0.6
    assert scores.margin[0] > 0.3
    assert (scores.sites[0] == (PATTERNS[pattern] > 0)).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    pattern=st.integers(0, 8),
    angle=st.floats(0, 2 * np.pi),
    edge_px=st.floats(26, 75),
    squash=st.floats(0.6, 1),
    along=st.floats(0, np.pi),
)
def test_a_face_is_told_at_every_angle_size_and_slant(
    pattern: int, angle: float, edge_px: float, squash: float, along: float
):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    way = np.array([np.cos(along), np.sin(along)])
    flatten = np.eye(2) - (1 - squash) * np.outer(way, way)
    A = np.column_stack([edge_px * flatten @ turn, (60, 60)]).astype(np.float32)
    scores = score_faces(log_picture(drawn(pattern, "black on ivory", A)), A)
    assert scores.face[0] == PATTERN_FACES[pattern]
    assert scores.margin[0] > 0.2


def test_polarity_is_the_sign_of_the_step_from_body_to_pip():
    dark = score_faces(log_picture(drawn(5, "black on ivory", upright())), upright())
    light = score_faces(log_picture(drawn(5, "white on red", upright())), upright())
    assert (dark.polarity[0], light.polarity[0]) == (-1, 1)


def test_a_blank_patch_looks_like_no_face():
    blank = np.full((120, 120, 3), 128, np.uint8)
    assert score_faces(log_picture(blank), upright()).score[0] < 0.4


def test_a_grey_picture_is_judged_as_a_colour_one():
    grey = drawn(7, "black on ivory", upright())[..., 1]
    assert score_faces(log_picture(grey), upright()).face[0] == 6


def test_no_patches_give_no_scores():
    scores = score_faces(log_picture(np.zeros((20, 20, 3), np.uint8)), np.zeros((0, 2, 3)))
    assert scores.scores.shape == (0, 6)


def test_a_big_one_needs_its_own_radius_only():
    A = upright()
    picture = np.full((120, 120, 3), 220, np.uint8)
    cv2.circle(picture, (60, 60), 10, (20, 20, 180), -1, cv2.LINE_AA)
    assert score_faces(log_picture(picture), A, one_radius=0.17).face[0] == 1


@pytest.mark.parametrize("pattern", range(9))
def test_a_lamp_mirrored_in_the_flat_of_a_face_hides_no_pips(pattern: int):
    picture = drawn(pattern, "white on pink", upright())
    flat = picture[40:81, 40:81]
    cv2.add(flat, (35, 40, 15, 0), dst=flat)
    scores = score_faces(log_picture(picture), upright())
    assert scores.face == PATTERN_FACES[pattern]
    assert scores.score > 0.6
