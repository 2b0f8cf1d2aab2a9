"""Draws a reading over its picture, so that a person sees at a glance what was read and what was doubted."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.loose import SURE
from vision.reading import Die, Reading

SURE_BGR, DOUBTED_BGR, COCKED_BGR = (90, 220, 60), (0, 190, 255), (60, 60, 255)
STATUS_BGR = {"ok": SURE_BGR, "empty": SURE_BGR, "unsure": DOUBTED_BGR}
STRIP_BGR, TEXT_BGR, OUTLINE_BGR = (32, 32, 32), (240, 240, 240), (0, 0, 0)
FONT = cv2.FONT_HERSHEY_SIMPLEX
LEAST_WIDTH_PX = 720


def annotate(image_bgr: NDArray[np.uint8], reading: Reading) -> NDArray[np.uint8]:
    """The picture with its dice outlined, and above it a strip with what the reader says: H'×W'×3 uint8.

    Each top face is outlined and has its face and its confidence in percent beside it: green when sure, amber when
    doubted, red when cocked. A small picture is enlarged by a whole factor, so that the writing can be read.
    """
    enlarged = -(-LEAST_WIDTH_PX // image_bgr.shape[1])
    picture = cv2.resize(image_bgr, None, fx=enlarged, fy=enlarged, interpolation=cv2.INTER_CUBIC).astype(np.uint8)
    dice = [_enlarge(die, enlarged) for die in reading.dice]
    scale = picture.shape[1] / 1000
    for die in dice:
        corners_px = np.rint(_corners_px(die)).astype(np.int32)
        for colour, width in ((OUTLINE_BGR, 4), (_colour(die), 2)):
            cv2.polylines(picture, [corners_px], True, colour, max(1, round(width * scale)), cv2.LINE_AA)
    for die in dice:
        _label(picture, die, _outwards(die, dice), scale)
    return np.vstack((_strip(picture.shape[1], reading, scale), picture))


def _enlarge(die: Die, by: int) -> Die:
    corners_px = tuple((by * x, by * y) for x, y in die.corners_px)
    return replace(die, x_px=by * die.x_px, y_px=by * die.y_px, size_px=by * die.size_px, corners_px=corners_px)


def _colour(die: Die) -> tuple[int, int, int]:
    # Only a colour: with a profile the reader's own verdict is more than a bound of this.
    return COCKED_BGR if die.cocked else SURE_BGR if die.confidence >= SURE else DOUBTED_BGR


def _corners_px(die: Die) -> NDArray[np.float64]:
    """The outline of the top face, 4×2; the square of its size and angle where the reader gave no corners."""
    if die.corners_px:
        return np.asarray(die.corners_px)
    turn = np.deg2rad(die.angle_deg)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    square = die.size_px / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    return np.asarray((die.x_px, die.y_px) + square @ R.T)


def _outwards(die: Die, dice: Sequence[Die]) -> NDArray[np.float64]:
    """The direction away from the die's nearest neighbours, a unit vector: where its label hides nothing."""
    away = np.zeros(2)
    for other in dice:
        apart = np.array([die.x_px - other.x_px, die.y_px - other.y_px])
        if away_px := float(np.hypot(*apart)):
            away += apart / away_px**3
    length = float(np.hypot(*away))
    return away / length if length else np.array([0.0, -1.0])


def _label(picture: NDArray[np.uint8], die: Die, outwards: NDArray[np.float64], scale: float) -> None:
    """Writes the face, and the confidence in percent under it, beside the die."""
    height_px, width_px = picture.shape[:2]
    lines = ((str(die.face), 1.0 * scale), (f"{int(100 * die.confidence)}%" + " cocked" * die.cocked, 0.45 * scale))
    sizes = [cv2.getTextSize(text, FONT, size, 1)[0] for text, size in lines]
    box = np.array([max(width for width, _ in sizes), sum(height for _, height in sizes) + 6 * scale])
    centre = np.array([die.x_px, die.y_px]) + outwards * (0.75 * die.size_px + box / 2)
    left, top = np.clip(centre - box / 2, 2, np.maximum(2, (width_px, height_px) - box - 2))
    for (text, size), (width, height) in zip(lines, sizes, strict=True):
        _write(picture, text, (left + (box[0] - width) / 2, top + height), size, _colour(die))
        top += height + 6 * scale


def _strip(width_px: int, reading: Reading, scale: float) -> NDArray[np.uint8]:
    """The strip with the status and the values, and a line for each reason."""
    size = 0.6 * scale
    letter_px = cv2.getTextSize("n", FONT, size, 1)[0][0]
    values = " ".join(map(str, reading.values)) or "no dice"
    lines = [f"{reading.status}: {values}" if reading.status != "empty" else "empty"]
    for reason in reading.reasons:
        lines += textwrap.wrap(
            reason, max(10, int(width_px / letter_px) - 4), initial_indent="- ", subsequent_indent="  "
        )
    line_px = round(26 * scale)
    strip = np.full((line_px * len(lines) + line_px // 2, width_px, 3), STRIP_BGR, np.uint8)
    for i, line in enumerate(lines):
        colour = TEXT_BGR if i else STATUS_BGR[reading.status]
        _write(strip, line, (10 * scale, line_px * (i + 0.95)), size, colour)
    return strip


def _write(
    picture: NDArray[np.uint8], text: str, corner_px: tuple[float, float], size: float, colour: tuple[int, int, int]
) -> None:
    """Writes from the lower left corner of the text, with a dark rim: readable on any picture."""
    left, bottom = (round(at) for at in corner_px)
    stroke, rim = max(1, round(1.5 * size)), max(1, round(1.5 * size))
    for right, down in product((-rim, 0, rim), repeat=2):
        cv2.putText(picture, text, (left + right, bottom + down), FONT, size, OUTLINE_BGR, stroke, cv2.LINE_AA)
    cv2.putText(picture, text, (left, bottom), FONT, size, colour, stroke, cv2.LINE_AA)
