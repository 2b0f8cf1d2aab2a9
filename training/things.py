"""Things that lie on tables and are no dice, most of them like dice in one way: round dots, squares, signs in rows.

Each takes the table's texture, (512, 512, 3) linear RGB, and gives it back with the thing on it somewhere. It may have
been drawn into the texture itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.surfaces import SIZE_PX, Floats, tint

RED, BLACK = np.array([0.6, 0.03, 0.03]), np.array([0.02, 0.02, 0.02])
SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIO0123456789.:;%&  "
PIP_PAIRS = (((-1, -1), (1, 1)), ((-1, 1), (1, -1)), ((-1, 0), (1, 0)))
"""A domino's pips come in pairs, in this order, and an odd number has one in the middle."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the texture, turned anyhow; its own coordinates are px from its middle."""

    middle: Floats
    R_texture_box: Floats
    corners: Floats

    def place(self, xy: Floats) -> Floats:
        """Points of the box (..., 2) on the texture: (..., 2) px."""
        return np.asarray(xy @ self.R_texture_box.T + self.middle)


def box(rng: np.random.Generator, width: float, height: float) -> Box:
    """A rectangle of this size (px) anywhere."""
    turn = rng.uniform(0, 2 * np.pi)
    R_texture_box = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = np.array(somewhere(rng), float)
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return Box(middle, R_texture_box, corners @ R_texture_box.T + middle)


def somewhere(rng: np.random.Generator) -> tuple[int, int]:
    """A place on the texture: x, y in px."""
    x, y = rng.integers(0, SIZE_PX, 2)
    return int(x), int(y)


def shadowed(rng: np.random.Generator, texture: Floats, outline: Floats) -> Floats:
    """The texture with the shadow on it of something flat, whose outline is (n, 2) px."""
    mask = np.zeros(texture.shape[:2], np.float32)
    cv2.fillPoly(mask, [_px(outline + rng.uniform(-6, 6, 2))], 1.0)
    return texture * (1 - rng.uniform(0, 0.7) * cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 4)))[..., None]


def fill(texture: Floats, outline: Floats, rgb: Floats) -> None:
    """Paints what is inside an outline (n, 2) px."""
    cv2.fillPoly(texture, [_px(outline)], rgb.tolist(), cv2.LINE_AA)


def dot(texture: Floats, at: Sequence[float] | Floats, radius: int, rgb: Floats) -> None:
    """Paints a round dot; px."""
    cv2.circle(texture, (int(at[0]), int(at[1])), radius, rgb.tolist(), cv2.FILLED, cv2.LINE_AA)


def _px(points: Floats) -> NDArray[np.int32]:
    return points.round().astype(np.int32)


def disc(rng: np.random.Generator, texture: Floats) -> Floats:
    """A coin, a counter, a plain lid or a button with holes."""
    at, r = somewhere(rng), int(rng.integers(8, 60))
    texture = shadowed(rng, texture, np.array(cv2.ellipse2Poly(at, (r, r), 0, 0, 360, 10), float))
    rgb = tint(rng)
    dot(texture, at, r, rgb)
    if rng.random() < 0.3:
        return texture
    rim = (rgb * rng.uniform(0.5, 1.5)).tolist()
    cv2.circle(texture, at, round(r * 0.85), rim, max(1, r // 12), cv2.LINE_AA)
    holes = int(rng.choice([0, 0, 1, 2, 4]))
    for k in range(holes):
        turn, away = 2 * np.pi * k / holes + 0.4, r * 0.25 * (holes > 1)
        hole = round(at[0] + away * np.cos(turn)), round(at[1] + away * np.sin(turn))
        dot(texture, hole, max(1, r // 9), rgb * 0.2)
    return texture


def words(rng: np.random.Generator, texture: Floats) -> Floats:
    """Print or handwriting, perhaps on a sheet of paper."""
    if rng.random() < 0.5:
        texture = _sheet(rng, texture, *rng.uniform(60, 300, 2))
    layer, size = np.zeros((SIZE_PX, SIZE_PX), np.uint8), rng.uniform(0.3, 2.5)
    for line in range(int(rng.integers(1, 7))):
        text = "".join(rng.choice(list(SIGNS), int(rng.integers(3, 24))))
        font, thickness = int(rng.integers(0, 8)), int(rng.integers(1, 4))
        cv2.putText(layer, text, (60, 80 + round(line * 32 * size)), font, size, 255, thickness, cv2.LINE_AA)
    M = np.asarray(cv2.getRotationMatrix2D((SIZE_PX / 2, SIZE_PX / 2), rng.uniform(0, 360), 1), float)
    M[:, 2] += rng.uniform(-150, 150, 2)
    return texture + cv2.warpAffine(layer, M, (SIZE_PX, SIZE_PX))[..., None] / 255 * (tint(rng) - texture)


def lines(rng: np.random.Generator, texture: Floats) -> Floats:
    """Cables, pencils, seams, the squares of a board."""
    rgb, width = tint(rng).tolist(), int(rng.integers(1, 16))
    if rng.random() < 0.3:
        for k in range(0, SIZE_PX, int(rng.integers(30, 120))):
            cv2.line(texture, (k, 0), (k, SIZE_PX), rgb, max(1, width // 4), cv2.LINE_AA)
            cv2.line(texture, (0, k), (SIZE_PX, k), rgb, max(1, width // 4), cv2.LINE_AA)
        return texture
    bends = rng.normal(0, 1, (40, 2)).cumsum(0) * rng.uniform(0, 3)
    points = np.cumsum(bends + rng.normal(0, 8, 2), 0) + somewhere(rng)
    cv2.polylines(texture, [_px(points)], False, rgb, width, cv2.LINE_AA)
    return texture


def card(rng: np.random.Generator, texture: Floats) -> Floats:
    """A playing card with signs in rows."""
    width = rng.uniform(50, 160)
    place = box(rng, width, 1.45 * width)
    texture = shadowed(rng, texture, place.corners)
    fill(texture, place.corners, rng.uniform(0.5, 0.85) * np.ones(3))
    ink = RED if rng.random() < 0.5 else BLACK
    for x in (-0.25, 0, 0.25):
        for y in np.linspace(-0.5, 0.5, int(rng.integers(2, 5))):
            if rng.random() < 0.7:
                r = width * rng.uniform(0.05, 0.075)
                radii = round(r), round(r * rng.uniform(0.8, 1.4))
                # With few corners an ellipse is a diamond or something like a heart.
                sign = np.array(cv2.ellipse2Poly((0, 0), radii, 0, 0, 360, int(rng.choice([45, 90, 120]))))
                fill(texture, place.place(sign + np.array([x, y]) * width), ink)
    return texture


def domino(rng: np.random.Generator, texture: Floats) -> Floats:
    """A domino: two halves with pips and a line between."""
    width = rng.uniform(24, 80)
    place = box(rng, width, 2 * width)
    texture = shadowed(rng, texture, place.corners)
    body = tint(rng) if rng.random() < 0.5 else rng.choice([0.02, 0.75]) * np.ones(3)
    ink = (0.03 if body.mean() > 0.25 else 0.8) * np.ones(3)
    fill(texture, place.corners, body)
    left, right = _px(place.place(np.array([[-0.4, 0], [0.4, 0]]) * width)).tolist()
    cv2.line(texture, left, right, ink.tolist(), max(1, round(width / 25)), cv2.LINE_AA)
    for half in (-0.5, 0.5):
        count = int(rng.integers(0, 7))
        pips = [pip for pair in PIP_PAIRS[: count // 2] for pip in pair] + [(0, 0)] * (count % 2)
        for x, y in pips:
            at = place.place(np.array([x * 0.26, half + y * 0.26]) * width)
            dot(texture, at.round(), max(1, round(width * 0.085)), ink)
    return texture


def spots(rng: np.random.Generator, texture: Floats) -> Floats:
    """Crumbs, screws, or the dots of a pattern in rows of six."""
    rgb, r, where = tint(rng), int(rng.integers(1, 12)), np.array(somewhere(rng))
    regular, step = rng.random() < 0.4, rng.uniform(2.5, 8)
    for k in range(int(rng.integers(2, 40))):
        at = where + (np.array([k % 6, k // 6]) * r * step if regular else rng.normal(0, 90, 2))
        dot(texture, at, r if regular else int(rng.integers(1, 9)), rgb)
    return texture


def patch(rng: np.random.Generator, texture: Floats) -> Floats:
    """Something square or long of one colour."""
    return _sheet(rng, texture, *rng.uniform(15, 200, 2))


def keys(rng: np.random.Generator, texture: Floats) -> Floats:
    """A keyboard: rows of squares with a sign on each."""
    size, gap = rng.uniform(12, 50), rng.uniform(1.05, 1.35)
    columns, rows = int(rng.integers(3, 9)), int(rng.integers(2, 6))
    board = box(rng, columns * size * gap + 6, rows * size * gap + 6)
    key, ink = tint(rng), tint(rng)
    fill(texture, board.corners, tint(rng))
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size / 2
    for i in range(columns):
        for j in range(rows):
            at = np.array([i - (columns - 1) / 2, j - (rows - 1) / 2]) * size * gap
            fill(texture, board.place(at + square), key)
            for _ in range(int(rng.integers(1, 4))):
                sign = board.place(at) + rng.normal(0, size * 0.12, (3, 2))
                cv2.polylines(texture, [_px(sign)], False, ink.tolist(), max(1, round(size / 14)), cv2.LINE_AA)
    return texture


def markers(rng: np.random.Generator, texture: Floats) -> Floats:
    """The calibration board, or another one like it."""
    columns, rows = int(rng.integers(4, 9)), int(rng.integers(3, 7))
    kind = cv2.aruco.getPredefinedDictionary(int(rng.choice([cv2.aruco.DICT_4X4_50, cv2.aruco.DICT_5X5_100])))
    board = cv2.aruco.CharucoBoard((columns, rows), 20.0, 15.0, kind)
    width, height = columns * 40, rows * 40
    drawn = board.generateImage((width, height), marginSize=10)
    paper = np.repeat(drawn[..., None], 3, 2).astype(np.float32) / 255 * rng.uniform(0.5, 0.85) + 0.02
    turn_deg, scale = rng.uniform(0, 360), rng.uniform(0.4, 1.6)
    M = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, scale), float)
    M[:, 2] += np.array(somewhere(rng)) - np.array([width, height]) / 2
    size = (SIZE_PX, SIZE_PX)
    there = cv2.warpAffine(np.ones((height, width), np.float32), M, size)[..., None]
    return np.asarray(texture * (1 - there) + cv2.warpAffine(paper, M, size) * there)


def _sheet(rng: np.random.Generator, texture: Floats, width: float, height: float) -> Floats:
    """A rectangle of one colour anywhere, with its shadow; px."""
    corners = box(rng, width, height).corners
    texture = shadowed(rng, texture, corners)
    fill(texture, corners, tint(rng))
    return texture


THINGS = (disc, disc, words, words, lines, lines, card, domino, spots, spots, patch, keys, markers)
"""All of them; those that are named twice lie about twice as often."""
