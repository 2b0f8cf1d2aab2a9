"""The tray profile: everything the reader knows of one camera, tray and set of dice before it sees a roll."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Intrinsics of the camera: pinhole with one radial term (OpenCV's k1), for pictures of `width_px` × `height_px`."""

    width_px: int
    height_px: int
    focal_px: float
    centre_xy_px: tuple[float, float]
    k1: float = 0.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the camera is over the tray: `X_camera = R_camera_tray @ X_tray + t_camera_tray_mm`.

    Tray frame: millimetres, origin at the board's first corner, the floor is z = 0 and z points UP, towards the camera.
    """

    R_camera_tray: Floats
    t_camera_tray_mm: Floats


@dataclass(frozen=True, slots=True)
class DiceModel:
    """The owner's dice, lengths in die edges unless named otherwise. What is unknown is None."""

    edge_mm: float
    pip_radius: float | None = None
    pip_spacing: float | None = None
    one_radius: float | None = None


@dataclass(frozen=True, slots=True)
class TrayProfile:
    """One measured scene. Any part may be None: it was not calibrated, and less is claimed.

    `empty_bgr`: the empty tray, H×W×3 uint8, same size as the lens; `outline_mm`: the tray floor's corners, N×2.
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
