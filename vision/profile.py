"""The tray profile: everything the reader knows of one camera, tray and set of dice before it sees a roll."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Intrinsics of the camera: pinhole with one radial term (OpenCV's k1), for pictures of that width and height.

    `views`: to how many views of the board it was fitted; from one view alone the focal length may be assumed.
    """

    width_px: int
    height_px: int
    focal_px: float
    centre_xy_px: tuple[float, float]
    k1: float = 0.0
    views: int = 1


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the camera is over the tray: `X_camera = R_camera_tray @ X_tray + t_camera_tray_mm`.

    Tray frame: millimetres, origin at the board's first corner, the floor is z = 0 and z points UP, towards the camera.
    """

    R_camera_tray: Floats
    t_camera_tray_mm: Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity over the faces that showed it: `median`, one robust standard deviation `sd`, on how many `seen`."""

    median: float
    sd: float
    seen: int

    @property
    def error(self) -> float:
        """One standard error of the median, infinite where it was seen only once.

        That of a normal distribution's median is sqrt(pi / 2) times that of its mean.
        """
        return math.sqrt(math.pi / 2) * self.sd / math.sqrt(self.seen) if self.seen > 1 else math.inf


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour over the faces that showed it: median blue, green and red 0..255, `sd` of their brightness in levels."""

    bgr: tuple[float, float, float]
    sd: float
    seen: int


@dataclass(frozen=True, slots=True)
class DieKind:
    """Dice that look alike, lengths in die edges unless named otherwise; None where no face told.

    `count`: the most of them in one roll; `pip_step`: how much lighter the pips are than the body, as a natural
    logarithm, negative for dark pips; `corner_radius`: of the arcs in which the sides of a top face meet.
    """

    count: int
    body: Colour
    pips: Colour
    pip_step: Measured
    edge_mm: Measured
    corner_radius: Measured | None = None
    pip_spacing: Measured | None = None
    pip_radius: Measured | None = None
    one_radius: Measured | None = None


@dataclass(frozen=True, slots=True)
class DiceModel:
    """The owner's dice, lengths in die edges unless named otherwise. What is unknown is None.

    `pip_step` and `edge_step`: how much the picture usually changes from body to pip (in grey, see vision.pips) and
    across the border of a top face, as a natural logarithm; the reader holds every die against these. `shadow_step`:
    the same (negative) from the empty tray to the deepest shadow a die throws on it. `kinds`: the same kind by kind, as
    distributions; the reader needs none of them.
    """

    edge_mm: float
    pip_radius: float | None = None
    pip_spacing: float | None = None
    one_radius: float | None = None
    pip_step: float | None = None
    edge_step: float | None = None
    shadow_step: float | None = None
    kinds: tuple[DieKind, ...] = ()

    @property
    def largest(self) -> float:
        """The edge of the largest kind, in die edges: 1 or more."""
        return max([1.0, *(kind.edge_mm.median / self.edge_mm for kind in self.kinds)])


@dataclass(frozen=True, slots=True)
class BoardFit:
    """How well lens and pose explain the board that they were fitted to: the evidence to trust them or not.

    `corners_px` and `residuals_px` N×2: the corners as found and (found - predicted); `rms_mm` is the same error on
    the tray's floor; `edge_blur_px` how far the camera smears an edge (one standard deviation) and `white` the grey
    level 0..255 of the board's white squares; `tilt_deg` the angle between the camera's axis and the plumb line of the
    floor; `focal_measured` is false where the camera looks too straight down to tell the focal length.
    """

    square_mm: float
    rms_px: float
    worst_px: float
    rms_mm: float
    edge_blur_px: float
    white: float
    tilt_deg: float
    focal_measured: bool
    corners_px: Floats
    residuals_px: Floats


@dataclass(frozen=True, slots=True)
class Light:
    """The picture of the empty tray in numbers, over the tray's floor only.

    `median` and `noise` (standard deviation) in grey levels 0..255; `clipped` and `dark` the shares 0..1 of pixels
    that are white (>= 250) or black (<= 5); `glare_xyr_px` N×3 the bright spots: centre and radius in the picture.
    """

    median: float
    noise: float
    clipped: float
    dark: float
    glare_xyr_px: Floats | None = None


@dataclass(frozen=True, slots=True)
class Exposure:
    """The camera's settings that were locked: time in microseconds, analogue gain, gains of red and blue, focus."""

    exposure_us: int
    gain: float
    colour_gains: tuple[float, float]
    lens_position: float | None = None


@dataclass(frozen=True, slots=True)
class TrayProfile:
    """One measured scene. Any part may be None: it was not calibrated, and less is claimed.

    `camera` names the camera it was made with, "" when it was made from pictures and holds for any camera;
    `empty_bgr`: the empty tray, H×W×3 uint8, same size as the lens; `outline_mm`: the tray floor's corners, N×2;
    `lacks` says in plain words what was not calibrated; `open_sides` where the floor is taken up to the picture's edge
    because no wall was seen: right, bottom, left or top.
    """

    camera: str
    width_px: int
    height_px: int
    lens: Lens | None = None
    pose: Pose | None = None
    outline_mm: Floats | None = None
    dice: DiceModel | None = None
    empty_bgr: NDArray[np.uint8] | None = None
    lacks: tuple[str, ...] = ()
    board: BoardFit | None = None
    light: Light | None = None
    exposure: Exposure | None = None
    open_sides: tuple[str, ...] = ()
