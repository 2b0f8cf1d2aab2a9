"""The ChArUco board: what is printed, and where its corners are in a picture."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from hardware.ports import BGR
from vision.profile import Floats

MODULES_PER_SQUARE = 8
# A marker of the 4x4 dictionaries is six modules wide with its border, and a square two more: markers of 3/4 square.
MARKER_PER_SQUARE = 6 / MODULES_PER_SQUARE
MODULE_MARGIN = 0.3
ENOUGH_CORNERS = 8
BLUR_OF_SLOPE = 1 / np.sqrt(2 * np.pi)
BLURRED = 0.004
Grey = NDArray[np.uint8]

OTHER_DICTIONARIES = {
    "5x5": cv2.aruco.DICT_5X5_1000,
    "6x6": cv2.aruco.DICT_6X6_1000,
    "7x7": cv2.aruco.DICT_7X7_1000,
    "AprilTag 36h11": cv2.aruco.DICT_APRILTAG_36H11,
}


@dataclass(frozen=True, slots=True)
class Board:
    """The board as printed: DICT_4X4_50, `squares_xy` across and down, squares of `square_mm`, markers 3/4 of that."""

    squares_xy: tuple[int, int] = (7, 5)
    square_mm: float = 20.0

    def modules(self) -> NDArray[np.uint8]:
        """The board as the smallest picture that holds it: eight pixels a square, uint8, 0 black and 255 white."""
        size = (self.squares_xy[0] * MODULES_PER_SQUARE, self.squares_xy[1] * MODULES_PER_SQUARE)
        return _charuco(self).generateImage(size, marginSize=0).astype(np.uint8)

    @property
    def corners_mm(self) -> Floats:
        """The inner corners in the tray frame, N×2: x along the board's top edge, y UP, so y < 0 on it."""
        return np.asarray(_charuco(self).getChessboardCorners(), np.float64)[:, :2] * (1, -1)


@dataclass(frozen=True, slots=True)
class BoardView:
    """The board's corners seen in one picture: `corners_px` N×2 in the picture, `corners_mm` N×2 in the tray frame.

    `size_px` is the picture's width and height, `square_mm` the printed square, `edge_blur_px` the standard deviation
    by which the camera smears an edge, `white` the grey level 0..255 of the white squares.
    """

    corners_px: Floats
    corners_mm: Floats
    size_px: tuple[int, int]
    square_mm: float
    edge_blur_px: float = 0.0
    white: float = 0.0


@cache
def _charuco(board: Board) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard(board.squares_xy, board.square_mm, board.square_mm * MARKER_PER_SQUARE, dictionary)


def _detector(board: Board) -> cv2.aruco.CharucoDetector:
    markers = cv2.aruco.DetectorParameters()
    # Where paper is bright its light runs over the black beside it: a module's colour is asked of its middle.
    markers.perspectiveRemoveIgnoredMarginPerCell = MODULE_MARGIN
    return cv2.aruco.CharucoDetector(_charuco(board), cv2.aruco.CharucoParameters(), markers)


def find_board(image_bgr: BGR, board: Board, name: str = "the picture") -> BoardView:
    """The corners of the board in the picture, to a small fraction of a pixel; those outside it are left out.

    Raises CalibrationError that tells no board, too little of it, a blurred, bright, dark, mirrored or other board.
    """
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    corners, ids, _, marker_ids = _detector(board).detectBoard(grey)
    found = 0 if ids is None else len(ids)
    if found < ENOUGH_CORNERS:
        seen_ids = [] if marker_ids is None else [int(i) for i in np.asarray(marker_ids).ravel()]
        raise CalibrationError(f"{name}: {_why_not(grey, board, seen_ids)}")
    corners_px = np.asarray(corners, np.float64).reshape(-1, 2)
    corners_mm = board.corners_mm[np.asarray(ids).ravel()]
    blur_px, white = _edges(grey, corners_px, corners_mm, board.square_mm)
    view = BoardView(corners_px, corners_mm, (grey.shape[1], grey.shape[0]), board.square_mm, blur_px, white)
    if np.linalg.svd(corners_mm - corners_mm.mean(0), compute_uv=False)[1] < board.square_mm:
        raise CalibrationError(f"{name}: only a row of the board can be seen: move it until all of it is in view")
    return view


def _edges(grey: Grey, corners_px: Floats, corners_mm: Floats, square_mm: float) -> tuple[float, float]:
    """How far the edges between squares are smeared, in pixels, and the grey level of white.

    A step smeared by a Gaussian is steepest in its middle, by its height over the square root of 2 pi times the blur.
    """
    apart = np.linalg.norm(corners_mm[:, None] - corners_mm[None], axis=2)
    pairs = np.argwhere(np.triu(np.isclose(apart, square_mm)))
    start, along = corners_px[pairs[:, 0]], corners_px[pairs[:, 1]] - corners_px[pairs[:, 0]]
    across = np.stack([-along[:, 1], along[:, 0]], -1)
    t, s = np.linspace(0.25, 0.75, 9), np.linspace(-0.1, 0.1, 41)
    at = start[:, None, None] + along[:, None, None] * t[:, None, None] + across[:, None, None] * s[:, None]
    flat = at.astype(np.float32).reshape(len(pairs), -1, 2)
    step = cv2.remap(grey.astype(np.float32), flat[..., 0], flat[..., 1], cv2.INTER_LINEAR)
    step = step.reshape(len(pairs), len(t), len(s)).mean(1)
    apart_px = np.linalg.norm(along, axis=1) * (s[1] - s[0])
    steepest = np.abs(np.diff(step, axis=1)).max(1) / apart_px
    x, y, width, height = cv2.boundingRect(corners_px.astype(np.float32))
    black, white = np.percentile(grey[max(y, 0) : y + height, max(x, 0) : x + width], (5, 95))
    return float((white - black) * BLUR_OF_SLOPE / np.median(steepest)), float(white)


def _why_not(grey: Grey, board: Board, seen_ids: list[int]) -> str:
    """The likeliest reason why the board was not found, from the commonest mistakes; `seen_ids` are its markers."""
    lay_flat = "lay the printed board flat in the tray, all of it in view"
    print_it = "print the one of `mishimash calibrate sheet`"
    markers, all_markers = len(seen_ids), len(_charuco(board).getIds())
    if markers >= all_markers or max(seen_ids, default=0) >= all_markers:
        return f"markers of another board: {print_it} ({board.squares_xy[0]}x{board.squares_xy[1]} squares)"
    mirrored = _detector(board).detectBoard(cv2.flip(grey, 1))[3]
    if mirrored is not None and len(mirrored) > max(markers, 3):
        return "the picture is mirrored: switch the camera's flip off (hflip or vflip, not both)"
    for kind, dictionary in OTHER_DICTIONARIES.items():
        ids = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary)).detectMarkers(grey)[1]
        if ids is not None and len(ids) > max(markers, 3):
            return f"a board with {kind} markers: {print_it}"
    if (grey >= 250).mean() > 0.3:
        return "too bright to see the board: dim the lamp or shorten the exposure"
    if np.percentile(grey, 98) < 40:
        return "too dark to see the board: switch the lamp on or lengthen the exposure"
    if _blur_px(grey) > BLURRED * grey.shape[1]:
        return f"blurred, or no board in it: {lay_flat}, and turn the lens until it is sharp"
    if markers:
        return f"only {markers} of the board's {all_markers} markers can be seen: {lay_flat}, no hand over it"
    return f"no board: {lay_flat}, sharp and evenly lit"


def _blur_px(grey: Grey) -> float:
    """How far the picture's steepest edges are smeared, taking them for steps from its darkest to its brightest."""
    steep = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    dark, bright = np.percentile(grey, (2, 98))
    return float((bright - dark) * BLUR_OF_SLOPE / max(float(np.percentile(steep, 99.9)), 1e-9))
