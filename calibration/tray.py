"""The outline of the tray's floor, found in the picture of the empty tray.

Seen from straight above, the walls of a tray stand on the floor in straight lines at right angles. Their direction is
the one in which a picture's steps add up the most; each wall's foot is then the innermost line, going outwards from
where the board lay, along which nearly the whole row steps alike. A line that only gets darker is a shadow's edge.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fit import floor_mm
from hardware.ports import BGR
from vision.profile import Floats, Lens, Pose
from vision.rectify import project

CELLS_PER_SQUARE = 20
REACH_SQUARES = 12.5
SIDES = ("right", "bottom", "left", "top")

# A line counts where it steps so many times further than the bare floor does, along so much of its length.
STEP_NOISES = 3.0
COVERAGE = 0.7
SHADOW_TINT, SHADOW_TINT_SHARE = 0.04, 0.1

Plane = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outline:
    """The floor's corners N×2 in the tray frame; `open_sides`: those up to the picture's edge, no wall was seen."""

    corners_mm: Floats
    open_sides: tuple[str, ...]


def picture_outline(lens: Lens, pose: Pose) -> Outline:
    """The part of the floor that the picture shows: the picture's corners and the middles of its edges."""
    right, bottom = lens.width_px - 1.0, lens.height_px - 1.0
    x, y = right / 2, bottom / 2
    edge = np.array([[0, 0], [x, 0], [right, 0], [right, y], [right, bottom], [x, bottom], [0, bottom], [0, y]])
    return Outline(floor_mm(lens, pose, edge), SIDES)


def find_outline(empty_bgr: BGR, lens: Lens, pose: Pose, board_mm: Floats, square_mm: float) -> Outline:
    """The floor's outline between the walls, or up to the picture's edge on the sides where no wall can be seen.

    `board_mm` N×2 are the corners of the board as it lay, certainly on the floor, `square_mm` its squares.
    """
    shown = picture_outline(lens, pose).corners_mm
    reach = REACH_SQUARES * square_mm
    middle = board_mm.mean(0)
    low, high = np.maximum(shown.min(0), middle - reach), np.minimum(shown.max(0), middle + reach)
    cell_mm = square_mm / CELLS_PER_SQUARE
    logs, seen = _from_above(empty_bgr, lens, pose, low, high, cell_mm)

    M = _turned(logs.shape, _direction_deg(logs, seen))
    size = _diagonal(logs.shape)
    logs = cv2.warpAffine(logs, M, (size, size)).astype(np.float32, copy=False)
    seen = cv2.warpAffine(seen.astype(np.uint8), M, (size, size), flags=cv2.INTER_NEAREST) > 0
    board = (board_mm - (low[0], high[1])) * (1, -1) / cell_mm @ M[:, :2].T + M[:, 2]

    feet, open_sides = [], []
    for side in range(4):
        foot = _wall(*_facing_right(side, logs, seen, board))
        if foot is None:
            open_sides.append(SIDES[side])
            ends = np.nonzero(seen.any(0 if side % 2 == 0 else 1))[0]
            foot = float(ends[-1]) if side < 2 else size - 1.0 - float(ends[0])
        feet.append(foot if side < 2 else size - 1 - foot)
    right, bottom, left, top = feet
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    cells = (corners - M[:, 2]) @ np.linalg.inv(M[:, :2]).T
    return Outline(cells * (1, -1) * cell_mm + (low[0], high[1]), tuple(open_sides))


def floor_mask(lens: Lens, pose: Pose, outline_mm: Floats) -> NDArray[np.uint8]:
    """Where the picture shows the floor: H×W uint8, 255 on the floor and 0 elsewhere."""
    mask = np.zeros((lens.height_px, lens.width_px), np.uint8)
    dense = np.concatenate([np.linspace(a, b, 20) for a, b in zip(outline_mm, np.roll(outline_mm, -1, 0), strict=True)])
    cv2.fillPoly(mask, [np.round(project(lens, pose, _on_floor(dense))).astype(np.int32)], (255,))
    return mask


def _on_floor(points_mm: Floats) -> Floats:
    return np.concatenate([points_mm, np.zeros((*points_mm.shape[:-1], 1))], axis=-1)


def _from_above(
    image_bgr: BGR, lens: Lens, pose: Pose, low: Floats, high: Floats, cell_mm: float
) -> tuple[Plane, Mask]:
    """The floor from above: log brightness and two log tints, h×w×3, and where the picture shows it."""
    width, height = np.ceil((high - low) / cell_mm).astype(int)
    x, y = np.meshgrid(low[0] + cell_mm * np.arange(width), high[1] - cell_mm * np.arange(height))
    at = project(lens, pose, _on_floor(np.stack([x, y], -1))).astype(np.float32)
    seen = np.asarray(((at >= 1) & (at < (lens.width_px - 2, lens.height_px - 2))).all(-1))
    soft = cv2.GaussianBlur(image_bgr, (0, 0), lens.width_px / 700)
    logs = np.log(cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32) + 8)
    mean = logs.mean(2)
    return np.stack([mean, 2 * (logs[..., 2] - mean), 2 * (logs[..., 0] - mean)], -1), seen


def _direction_deg(logs: Plane, seen: Mask) -> float:
    """The turn 0..90 that makes the walls upright and level."""
    half = (logs.shape[1] // 2, logs.shape[0] // 2)
    small = cv2.resize(logs, half, interpolation=cv2.INTER_AREA).astype(np.float32, copy=False)
    small_seen = cv2.resize(seen.astype(np.uint8), half, interpolation=cv2.INTER_NEAREST)
    size = _diagonal(small.shape)

    def straightness(deg: float) -> float:
        M = _turned(small.shape, deg)
        turned = cv2.warpAffine(small, M, (size, size)).astype(np.float32, copy=False)
        shown = cv2.warpAffine(small_seen, M, (size, size), flags=cv2.INTER_NEAREST)
        total = 0.0
        for axis in (0, 1):
            step, known = _steps(turned, shown > 0, axis=1 - axis, reach=2)
            total += float((np.abs((step * known[..., None]).sum(axis)).max(1) ** 2).sum())
        return total

    coarse = max(range(0, 90, 3), key=straightness)
    return max((coarse + fine for fine in (-2, -1, 0, 1, 2)), key=straightness)


def _wall(logs: Plane, seen: Mask, rows: slice, start: int) -> float | None:
    """The column, from `start` to the right, at which the wall to the right stands on the floor."""
    step, known = _steps(cv2.blur(logs[rows], (1, 9)).astype(np.float32, copy=False), seen[rows], axis=1, reach=2)
    size = np.linalg.norm(step, axis=2)
    bare = size[:, :start][known[:, :start]]
    if not bare.size:
        return None
    noise = float(np.median(bare))
    strength = np.zeros(logs.shape[1])
    for x in range(start, logs.shape[1]):
        if known[:, x].mean() < 0.5:
            break
        steps = step[known[:, x], x]
        usual = np.median(steps, axis=0)
        far = float(np.linalg.norm(usual))
        darker_only = usual[0] < 0 and np.abs(usual[1:]).max() < SHADOW_TINT - SHADOW_TINT_SHARE * usual[0]
        if far > STEP_NOISES * noise and not darker_only and (steps @ usual > far**2 / 2).mean() > COVERAGE:
            strength[x] = far
    peaks = (x for x in np.nonzero(strength)[0] if strength[x] >= strength[max(start, x - 3) : x + 4].max())
    return next((float(x) for x in peaks), None)


def _facing_right(side: int, logs: Plane, seen: Mask, board: Floats) -> tuple[Plane, Mask, slice, int]:
    """The same plane turned by quarters until `side` is on the right, the board's rows there, and its last column."""
    along, across = (board[:, 1], board[:, 0]) if side % 2 == 0 else (board[:, 0], board[:, 1])
    if side % 2:
        logs, seen = logs.transpose(1, 0, 2), seen.T
    start = int(across.max())
    if side >= 2:
        logs, seen, start = logs[:, ::-1], seen[:, ::-1], int(logs.shape[1] - 1 - across.min())
    return np.ascontiguousarray(logs), seen, slice(max(int(along.min()), 0), int(along.max()) + 1), start


def _steps(plane: Plane, seen: Mask, axis: int, reach: int) -> tuple[Plane, Mask]:
    """How far the plane steps at each cell, from `reach` before it to `reach` after, and where both are seen."""
    step = np.roll(plane, -reach, axis) - np.roll(plane, reach, axis)
    return step, seen & np.roll(seen, -reach, axis) & np.roll(seen, reach, axis)


def _turned(shape: tuple[int, ...], deg: float) -> Floats:
    """The 2×3 map that turns a plane about its middle into a square that holds all of it."""
    middle, half = (shape[1] / 2, shape[0] / 2), _diagonal(shape) / 2
    M = np.asarray(cv2.getRotationMatrix2D(middle, deg, 1), np.float64)
    M[:, 2] += (half - middle[0], half - middle[1])
    return M


def _diagonal(shape: tuple[int, ...]) -> int:
    return int(np.hypot(shape[0], shape[1])) + 2
