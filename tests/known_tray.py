"""The simulated tray together with the profile that a perfect calibration would give."""

from itertools import count

import numpy as np
from numpy.typing import NDArray

from hardware.simulated import SimulatedTray
from vision.profile import Lens, Pose, TrayProfile

Image = NDArray[np.uint8]


def quick_tray(seed: int, style: str) -> SimulatedTray:
    """A tray whose clock leaps ahead with every picture, so that no dice are drawn while they move."""
    return SimulatedTray(seed=seed, style=style, clock=count(step=5.0).__next__, sleep=lambda _: None)


def true_profile(tray: SimulatedTray) -> TrayProfile:
    """Lens and pose as they are, and the empty picture; the dice are left to be learned."""
    view = tray.view
    centre_x, centre_y = view.centre_px
    lens = Lens(view.width_px, view.height_px, view.focal_px, (float(centre_x), float(centre_y)), view.k1)
    pose = Pose(view.turn_camera_tray, -view.turn_camera_tray @ np.asarray(view.eye_mm))
    empty = tray.empty_picture()
    return TrayProfile("simulated", view.width_px, view.height_px, lens=lens, pose=pose, empty_bgr=empty)


def thrown(tray: SimulatedTray, n: int = 6, lean_deg: float = 0.0) -> tuple[Image, list[int]]:
    """A roll at rest and what it shows, sorted."""
    tray.throw(n, lean_deg)
    while not tray.at_rest():
        tray.frame()
    return tray.frame().image_bgr, sorted(die.face for die in tray.truth())
