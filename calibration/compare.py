"""Whether the camera still sees the tray as it was calibrated."""

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.ports import BGR
from vision.profile import TrayProfile

# Share of the picture's width that the picture may have moved by, and of brightness that may have changed.
MOVED = 0.003
DIMMED = 0.15
SURE = 0.08


def since(profile: TrayProfile, picture_bgr: BGR) -> str:
    """A sentence on what changed since the empty picture was taken; dice may lie in the picture (of the same size).

    The shift between the two pictures is the peak of their phase correlation (Kuglin and Hines, 1975).
    """
    if profile.empty_bgr is None:
        return "there is no picture of the empty tray to compare with: run `mishimash calibrate light`"
    then, now = _log_grey(profile.empty_bgr), _log_grey(picture_bgr)
    window = np.asarray(cv2.createHanningWindow((then.shape[1], then.shape[0]), cv2.CV_32F), np.float32)
    (dx, dy), sure = cv2.phaseCorrelate(then - then.mean(), now - now.mean(), window)
    moved_px = float(np.hypot(dx, dy))
    if sure < SURE:
        return "the picture is too unlike the empty tray to compare: is it the same tray, without board and hands?"
    if moved_px > MOVED * profile.width_px:
        return f"camera or tray moved by {moved_px:.0f} px: run `mishimash calibrate tray` and `light`"
    brighter = float(np.exp(np.median(now - then))) - 1
    if abs(brighter) > DIMMED:
        how = "brighter" if brighter > 0 else "darker"
        return f"the light is {abs(brighter):.0%} {how}: run `mishimash calibrate light`"
    return f"as calibrated (moved by {moved_px:.1f} px, {brighter:+.0%} light)"


def _log_grey(picture_bgr: BGR) -> NDArray[np.float32]:
    grey = np.asarray(cv2.cvtColor(picture_bgr, cv2.COLOR_BGR2GRAY), np.float32)
    return np.log(cv2.GaussianBlur(grey, (0, 0), 1.5) + 8).astype(np.float32)
