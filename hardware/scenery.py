"""The still part of the simulated tray: camera, lamp, floor, walls and, on demand, the calibration board.

Tray frame: millimetres, origin at the centre of the floor, x to the right, y away, z up. Colours are B, G, R
reflectances 0..1 in linear light; pictures are uint8 after gamma.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.die_shape import Floats, rotation
from hardware.ports import BGR

Colour = tuple[float, float, float]
Singles = NDArray[np.float32]
Reals = NDArray[np.floating[Any]]

RIM_MM = 8.0
BOARD_SQUARES = (7, 5)
BOARD_SQUARE_MM, BOARD_MARKER_MM, BOARD_MARGIN_MM = 20.0, 15.0, 5.0
SHEET_MM = np.array(BOARD_SQUARES) * BOARD_SQUARE_MM + 2 * BOARD_MARGIN_MM
SHEET_PX_MM = 12
TEXTURE_PX, TEXTURE_PX_MM = 1024, 4.0
BAND_PX = 64

WHITE, BLACK, IVORY = (0.82, 0.82, 0.82), (0.02, 0.02, 0.02), (0.62, 0.70, 0.74)
RED, GREEN, BLUE, YELLOW = (0.03, 0.03, 0.50), (0.08, 0.30, 0.03), (0.45, 0.14, 0.05), (0.05, 0.55, 0.75)


@dataclass(frozen=True)
class View:
    """A fixed camera over the tray: pinhole with one radial term (OpenCV's k1), `tilt_deg` off the vertical."""

    width_px: int = 820
    height_px: int = 616
    focal_px: float = 840.0
    k1: float = -0.03
    height_mm: float = 240.0
    tilt_deg: float = 5.0
    turn_deg: float = 1.5

    @cached_property
    def turn_camera_tray(self) -> Floats:
        """3×3 rotation from tray axes to camera axes (x right, y down, z ahead)."""
        looking_down = np.diag([1.0, -1.0, -1.0])
        tilt = rotation(np.array([np.radians(self.tilt_deg), 0.0, 0.0]))
        return tilt @ looking_down @ rotation(np.array([0.0, 0.0, np.radians(self.turn_deg)]))

    @cached_property
    def eye_mm(self) -> Floats:
        """Where the camera is: it looks at a point just above the middle of the floor."""
        ahead = self.turn_camera_tray[2]
        return np.asarray(np.array([0.0, 0.0, 8.0]) + ahead * (self.height_mm / ahead[2]))

    @cached_property
    def centre_px(self) -> Floats:
        """The principal point: the middle of the picture."""
        return np.array([self.width_px, self.height_px]) / 2.0

    def project(self, points_mm: Floats) -> Floats:
        """Pixels N×2 of tray points N×3."""
        seen = (points_mm - self.eye_mm) @ self.turn_camera_tray.T
        flat = seen[:, :2] / seen[:, 2:]
        radial = 1.0 + self.k1 * _squared(flat)
        return np.asarray(flat * radial[:, None] * self.focal_px + self.centre_px)

    def rays(self, points_px: Singles) -> Singles:
        """Directions in the tray frame of the rays of pixels (…×2), …×3, scaled to z = -1."""
        distorted = (points_px - self.centre_px) / self.focal_px
        flat = distorted
        for _ in range(5):
            flat = distorted / (1.0 + self.k1 * _squared(flat))[..., None]
        rays = flat @ self.turn_camera_tray[:2] + self.turn_camera_tray[2]
        return np.asarray(rays / -rays[..., 2:], np.float32)

    def pixels(self, rows: slice = slice(None)) -> Singles:
        """x and y of every pixel of the rows, H×W×2."""
        x_px, y_px = np.arange(self.width_px, dtype=np.float32), np.arange(self.height_px, dtype=np.float32)[rows]
        return np.stack(np.meshgrid(x_px, y_px), axis=-1)

    def vignette(self, points_px: Reals, strength: float) -> Reals:
        """How much light of 1 is left at pixels (…×2): less towards the corners."""
        off = (points_px - self.centre_px) / self.centre_px
        return np.asarray(1.0 - strength * _squared(off) / 2.0)


@dataclass(frozen=True)
class Look:
    """What the tray and its dice look like: colours, light, and the shape of the pips in edges."""

    bodies: tuple[Colour, ...] = (IVORY,)
    pips: tuple[Colour, ...] = (BLACK,)
    floor: Colour = (0.045, 0.14, 0.03)
    grain: float = 0.3
    wall: Colour = (0.07, 0.14, 0.23)
    edge_mm: float = 16.0
    pip_radius: float = 0.095
    pip_spacing: float = 0.26
    six_rows: float = 1.0  # how far apart a Six's two rows are, over the pips of other faces
    rounding: float = 0.10
    floor_mm: tuple[float, float] = (190.0, 140.0)
    wall_mm: float = 24.0
    lamp_mm: tuple[float, float, float] = (-140.0, 170.0, 380.0)
    lamp_radius_mm: float = 45.0
    ambient: float = 0.45
    exposure: float = 1.0
    vignette: float = 0.25
    blur_px: float = 0.8
    noise: float = 3.0

    def light(self, points_mm: Reals, normals: Reals) -> tuple[Reals, Reals]:
        """(light of the lamp, light from all around) that falls on points (…×3) of a surface with `normals` (…×3)."""
        way = np.asarray(self.lamp_mm) - points_mm
        distance = np.linalg.norm(way, axis=-1)
        facing = np.maximum((way * normals).sum(axis=-1) / distance, 0.0)
        reference = float(np.linalg.norm(self.lamp_mm))
        return 0.75 * facing * (reference / distance) ** 2, self.ambient * (0.7 + 0.3 * normals[..., 2])


LOOKS: dict[str, Look] = {
    "ivory on green": Look(),
    "red on grey": Look(bodies=(RED,), pips=(WHITE,), floor=(0.36, 0.34, 0.33), grain=0.1, wall=(0.12, 0.12, 0.13)),
    "black on cream": Look(bodies=(BLACK,), pips=(WHITE,), floor=(0.42, 0.52, 0.58), grain=0.1),
    "white on wood": Look(
        bodies=(WHITE,), pips=(BLACK,), floor=(0.06, 0.13, 0.24), rounding=0.05, pip_radius=0.11, lamp_mm=(160, 60, 330)
    ),
    "yellow on navy": Look(bodies=(YELLOW,), pips=(BLACK,), floor=(0.10, 0.03, 0.02), pip_radius=0.08),
    "close rows on blue": Look(bodies=(WHITE,), pips=(BLACK,), floor=(0.30, 0.16, 0.08), six_rows=0.5),
    "mixed on black": Look(
        bodies=(BLUE, IVORY, RED, YELLOW, GREEN, WHITE),
        pips=(WHITE, BLACK, WHITE, BLACK, WHITE, BLACK),
        floor=(0.025, 0.025, 0.025),
    ),
}


def developed(linear: Reals, look: Look) -> Reals:
    """Camera values 0..255 (float) of linear light 0..1 and more: exposure, clipping, gamma."""
    return np.asarray(255.0 * np.clip(linear * look.exposure, 0.0, 1.0) ** (1 / 2.2))


@dataclass(frozen=True)
class Scenery:
    """The tray without dice: `image_bgr` H×W×3 uint8 without noise; `floor` H×W uint8, 255 where the floor is."""

    image_bgr: BGR
    floor: NDArray[np.uint8]


def build_scenery(view: View, look: Look, seed: int, board: bool = False) -> Scenery:
    """The tray as `view` sees it; with the calibration's board on the floor."""
    texture, sheet = _floor_texture(look, seed), _printed_board() if board else None
    image = np.empty((view.height_px, view.width_px, 3), np.uint8)
    floor = np.empty(image.shape[:2], np.uint8)
    # Band by band: all rays at once would take a hundred megabytes.
    for top in range(0, view.height_px, BAND_PX):
        rows = slice(top, top + BAND_PX)
        image[rows], floor[rows] = _cast(view, look, view.pixels(rows), texture, sheet)
    return Scenery(image, floor)


def _cast(
    view: View, look: Look, points_px: Singles, texture: Singles, sheet: NDArray[np.uint8] | None
) -> tuple[BGR, NDArray[np.uint8]]:
    """Casts one ray a pixel onto floor, walls, rim and the table around: their picture, and where the floor is."""
    half = (np.array(look.floor_mm) / 2).astype(np.float32)
    rays, eye = view.rays(points_px), view.eye_mm.astype(np.float32)
    low = eye + rays * eye[2]
    rim = low - rays * np.float32(look.wall_mm)
    over_rim, over_floor = _beyond(rim, half), _beyond(low, half)
    on_table = over_rim > RIM_MM
    on_rim = (over_rim > 0) & ~on_table
    on_wall = (over_rim <= 0) & (over_floor > 0)

    # Between the rim's height and the floor's, the ray crosses first the wall in x or the one in y.
    outwards = np.sign(low[..., :2])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (half - outwards * rim[..., :2]) / (outwards * (low - rim)[..., :2])
    share[np.abs(low[..., :2]) <= half] = np.inf
    in_x = share[..., 0] < share[..., 1]
    points = np.where(on_rim[..., None], rim, low)
    points[on_wall] = (rim + (low - rim) * np.where(in_x, share[..., 0], share[..., 1])[..., None])[on_wall]
    normals = np.zeros_like(points)
    normals[..., 2] = ~on_wall
    normals[..., 0] = -outwards[..., 0] * (on_wall & in_x)
    normals[..., 1] = -outwards[..., 1] * (on_wall & ~in_x)

    albedo = _floor_albedo(points, look, texture)
    albedo[on_wall | on_rim] = look.wall
    albedo[on_table] = 0.35 * np.array(look.wall)
    if sheet is not None:
        _lay_sheet(albedo, points, over_floor <= 0, sheet)
    light = _lit(points, normals, albedo, look, inside=over_rim <= 0)
    light *= view.vignette(points_px, look.vignette)[..., None]
    return developed(light, look).astype(np.uint8), np.where(over_floor <= 0, 255, 0).astype(np.uint8)


def _squared(vectors: Reals) -> Reals:
    """Squared length of vectors …×2. numpy's own sum over so short an axis takes three times as long."""
    return np.asarray(vectors[..., 0] ** 2 + vectors[..., 1] ** 2)


def _beyond(points: Reals, half: Reals) -> Reals:
    """How far points are outside the rectangle ±half, negative inside."""
    return np.asarray(np.maximum(np.abs(points[..., 0]) - half[0], np.abs(points[..., 1]) - half[1]))


def _lit(points: Reals, normals: Reals, albedo: Reals, look: Look, inside: NDArray[np.bool_]) -> Reals:
    """Linear light of surfaces, with the walls' soft shadow and the darker corners where floor and walls meet."""
    lamp, around = look.light(points, normals)
    half = np.array(look.floor_mm) / 2
    climb = np.clip((look.wall_mm - points[..., 2]) / (look.lamp_mm[2] - points[..., 2]), 0.0, 1.0)[..., None]
    crossing = points + (np.asarray(look.lamp_mm) - points) * climb
    penumbra = 1.0 + look.lamp_radius_mm * climb[..., 0]
    lamp = lamp * np.where(inside, np.clip(0.5 - _beyond(crossing, half) / penumbra, 0.0, 1.0), 1.0)
    to_wall = np.abs(_beyond(points, half))
    corner = np.where(normals[..., 2] > 0.5, to_wall, points[..., 2])
    return (lamp + around * (1.0 - 0.4 * np.exp(-corner / 10.0) * inside))[..., None] * albedo


def _floor_texture(look: Look, seed: int) -> Singles:
    """How bright the floor is beside its own colour, TEXTURE_PX squared with the floor's middle in its middle."""
    rng, size = np.random.default_rng(seed), (TEXTURE_PX, TEXTURE_PX)
    fine = cv2.GaussianBlur(rng.normal(size=size).astype(np.float32), (0, 0), 1.0)
    coarse = cv2.resize(rng.normal(size=(20, 20)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    return np.asarray(1.0 + look.grain * 0.5 * fine / fine.std() + 0.12 * coarse, np.float32)


def _floor_albedo(points: Reals, look: Look, texture: Singles) -> Reals:
    where = (points[..., :2] * TEXTURE_PX_MM + TEXTURE_PX / 2).astype(np.float32)
    value = cv2.remap(texture, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(np.maximum(value, 0.3)[..., None] * np.array(look.floor))


def _printed_board() -> NDArray[np.uint8]:
    """The sheet with the calibration's ChArUco board, as a printer leaves it, SHEET_PX_MM."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    board = cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, dictionary)
    width, height = (int(s * SHEET_PX_MM) for s in SHEET_MM)
    print_ = board.generateImage((width, height), marginSize=int(BOARD_MARGIN_MM * SHEET_PX_MM))
    return np.asarray(cv2.GaussianBlur(print_, (0, 0), SHEET_PX_MM * 0.1), np.uint8)


def _lay_sheet(albedo: Reals, points: Reals, on_floor: NDArray[np.bool_], sheet: NDArray[np.uint8]) -> None:
    """Paints the printed sheet, turned a little, over the floor's own colour."""
    turned = points @ rotation(np.array([0.0, 0.0, np.radians(-5.0)])).T
    # The sheet is printed with y down and lies with its top away from the player.
    where = ((turned[..., :2] * (1, -1) + SHEET_MM / 2) * SHEET_PX_MM - 0.5).astype(np.float32)
    seen = cv2.remap(sheet, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    covered = on_floor & (_beyond(turned, SHEET_MM / 2) < 0)
    albedo[covered] = (0.02 + 0.76 * seen[covered, None] / 255.0) * np.ones(3)
