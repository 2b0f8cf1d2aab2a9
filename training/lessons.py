"""Examples as they are put before the net: never twice the same, and with what it should say of each cell.

A cell is a square of STRIDE_PX pixels, of which the net says one thing.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.labels import LEAST_SEEN, SAMPLES, UNDECIDED
from training.scenes import SIDE_PX
from training.spoiled import OF_PICTURES, spoil
from vision.spotter import STRIDE_PX, USUAL_EDGE_PX

CELLS = SIDE_PX // STRIDE_PX
NO_FACE = -1
NEAREST = 4.0
"""So many times larger a part of an example may be seen: this is how small dice look once they are enlarged."""
LARGEST_PX, TOO_LARGE_PX = 62.0, 80.0
"""Edges up to which dice should be named, and from which on they should not: their pips are no dice either."""

Bytes = NDArray[np.uint8]
Floats = NDArray[np.floating]
Example = tuple[Bytes, Bytes, Floats]
"""A picture (side, side, 3) BGR; which of its pixels are dice (side, side), 0 or 1; and a row for each die (n, 5):
x, y, edge (px), angle of an edge (rad), class."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should be said of each of the cells of one picture; float32 but for the classes."""

    centre: Floats
    """(cells, cells): 1 where a top face is centred, less around it."""
    asked: Floats
    """(cells, cells): 0 where nothing is asked, else 1."""
    face: NDArray[np.int64]
    """(cells, cells): the class of the die whose middle is here, else NO_FACE."""
    pose: Floats
    """(5, cells, cells), where there is a class: log edge, turn and offset as the net's CHANNELS."""


def example(files: list[dict[str, Bytes]], rng: np.random.Generator) -> Example:
    """Any example of all the files, as examples.write has them, varied."""
    file = files[int(rng.integers(len(files)))]
    k = int(rng.integers(len(file["images"])))
    mask = np.unpackbits(file["masks"][k]).reshape(SIDE_PX, SIDE_PX)
    return varied(file["images"][k], mask, np.asarray(file["labels"][k], np.float32), rng)


def varied(image: Bytes, mask: Bytes, labels: Floats, rng: np.random.Generator) -> Example:
    """The example turned by a right angle or mirrored, in other colours, seen from nearer, with other light."""
    labels = labels.copy()
    for _ in range(int(rng.integers(4))):
        image, mask = np.rot90(image), np.rot90(mask)
        labels[:, 0], labels[:, 1] = labels[:, 1].copy(), SIDE_PX - labels[:, 0]
        labels[:, 3] -= np.pi / 2
    if rng.random() < 0.5:
        image, mask = image[:, ::-1], mask[:, ::-1]
        labels[:, 0], labels[:, 3] = SIDE_PX - labels[:, 0], -labels[:, 3]
    if rng.random() < 0.5:
        image = image[..., rng.permutation(3)]
    if rng.random() < 0.45:
        image, mask, labels = _nearer(image, mask, labels, rng)
    image = spoil(relit(image, rng), rng, OF_PICTURES)
    if rng.random() < 0.15:
        image, labels = _under_a_finger(image, labels, rng)
    return image, mask, labels


def wanted(labels: Floats) -> Wanted:
    """What should be said of a picture with these rows of dice."""
    y_px, x_px = (np.mgrid[:CELLS, :CELLS] + 0.5) * STRIDE_PX
    centre, asked = np.zeros((CELLS, CELLS)), np.ones((CELLS, CELLS))
    face, pose = np.full((CELLS, CELLS), NO_FACE), np.zeros((5, CELLS, CELLS))
    nearest = np.full((CELLS, CELLS), np.inf)
    for x, y, edge, angle, kind in labels:
        far = np.hypot(x_px - x, y_px - y)
        if kind == UNDECIDED:
            asked[far < 0.7 * edge] = 0
            continue
        centre = np.maximum(centre, np.exp(-0.5 * (far / max(2.6, 0.11 * edge)) ** 2))
        own = (far < np.maximum(3.0, 0.22 * edge)) & (far < nearest)
        nearest[own] = far[own]
        face[own] = int(kind)
        lies = np.log(edge / USUAL_EDGE_PX), np.cos(4 * angle), np.sin(4 * angle)
        offset = (x - x_px) / STRIDE_PX, (y - y_px) / STRIDE_PX
        pose[:, own] = np.stack([np.broadcast_to(part, far.shape) for part in (*lies, *offset)])[:, own]
        # The Gauss bell reaches 1 in no cell, and the loss looks for the centre itself.
        row, column = (int(np.clip(v // STRIDE_PX, 0, CELLS - 1)) for v in (y, x))
        if far[row, column] < STRIDE_PX:
            centre[row, column] = 1
    return Wanted(centre.astype(np.float32), asked.astype(np.float32), face, pose.astype(np.float32))


def share_of_dice(mask: Bytes) -> Floats:
    """How much of each cell is dice, 0..1: (cells, cells)."""
    return np.asarray(mask.reshape(CELLS, STRIDE_PX, CELLS, STRIDE_PX).mean((1, 3)))


def _nearer(image: Bytes, mask: Bytes, labels: Floats, rng: np.random.Generator) -> Example:
    """A part of it enlarged, mostly one with a die."""
    zoom = np.exp(rng.uniform(0, np.log(NEAREST)))
    side_px = SIDE_PX / zoom
    known = labels[labels[:, 4] < UNDECIDED]
    middle = rng.uniform(0, SIDE_PX, 2)
    if len(known) and rng.random() < 0.75:
        middle = known[rng.integers(len(known)), :2] + rng.uniform(-0.45, 0.45, 2) * side_px
    corner = np.clip(middle - side_px / 2, 0, SIDE_PX - side_px)
    M = np.column_stack([np.eye(2), -corner]) * zoom
    M[:, 2] += (zoom - 1) / 2  # pixels have their middles at whole numbers
    size = (SIDE_PX, SIDE_PX)
    image, mask = np.ascontiguousarray(image), np.ascontiguousarray(mask)
    enlarged = cv2.warpAffine(image, M, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    labels = labels.copy()
    labels[:, :2], labels[:, 2] = (labels[:, :2] - corner) * zoom, labels[:, 2] * zoom
    c, s = np.cos(labels[:, 3]), np.sin(labels[:, 3])
    tops = labels[:, None, :2] + labels[:, 2, None, None] * (SAMPLES @ np.stack([c, s, -s, c], 1).reshape(-1, 2, 2))
    cut = ((tops >= 0) & (tops < SIDE_PX)).all(2).mean(1) < LEAST_SEEN
    labels[cut | (labels[:, 2] > LARGEST_PX), 4] = UNDECIDED
    large = cv2.warpAffine(mask, M, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(enlarged, np.uint8), np.asarray(large, np.uint8), labels[labels[:, 2] < TOO_LARGE_PX]


def relit(image: Bytes, rng: np.random.Generator) -> Bytes:
    """With another gamma, brightness and black."""
    gamma = np.exp(rng.normal(0, 0.25))
    levels = np.clip((np.arange(256) / 255) ** gamma * rng.uniform(0.7, 1.15) + rng.normal(0, 0.03), 0, 1)
    return np.asarray(cv2.LUT(np.ascontiguousarray(image), (levels * 255).astype(np.uint8)), np.uint8)


def _under_a_finger(image: Bytes, labels: Floats, rng: np.random.Generator) -> tuple[Bytes, Floats]:
    """With something like a finger over it; nothing is asked of the dice near it."""
    over = np.zeros(image.shape[:2], np.uint8)
    points = rng.uniform(-40, SIDE_PX + 40, (2, 2)) + np.cumsum(rng.normal(0, 14, (5, 1, 2)), 0)
    line, width = points.reshape(-1, 2).round().astype(np.int32), int(rng.integers(15, 60))
    cv2.polylines(over, [line], False, 255, width, cv2.LINE_AA)
    alpha = cv2.GaussianBlur(over, (0, 0), 1.2)[..., None] / 255.0
    round_ = 0.7 + 0.3 * cv2.GaussianBlur(over, (0, 0), 8)[..., None] / 255
    skin = rng.uniform(40, 240) * np.array([0.65, 0.78, 1]) * round_
    free = cv2.distanceTransform((over < 20).astype(np.uint8), cv2.DIST_L2, 3)
    x, y = np.clip(labels[:, :2], 0, SIDE_PX - 1).astype(int).T
    labels[free[y, x] < 0.85 * labels[:, 2], 4] = UNDECIDED
    return (image * (1 - alpha) + skin * alpha).astype(np.uint8), labels
