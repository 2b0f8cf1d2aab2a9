"""Why dice cannot be read, where a person at the tray can help: too much light on them, or a blurred picture."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips import GREY_BGR, sample_faces
from vision.propose import GRID

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

MOST_GLARE = 0.3
_GLARE_LOG = float(np.log(215 + 6))
_EDGES_PERCENT = 99
_SOFT = 0.82


def glaring(log_image: Floats) -> Mask:
    """Where a log picture (H, W, 3) is so bright that light pips on it cannot be told from their surroundings."""
    return np.asarray(cv2.transform(log_image, GREY_BGR[None]) > _GLARE_LOG)


def glare_shares(log_image: Floats, A_image_face: Floats) -> Floats:
    """The share of each of N faces that glares: (N,) 0..1."""
    grey = sample_faces(log_image, A_image_face, GRID) @ GREY_BGR
    return np.asarray((grey > _GLARE_LOG).mean(1), np.float32)


def out_of_focus(log_image: Floats, log_empty: Floats, still: Mask) -> bool:
    """Whether the sharpest edges of what has not changed, in the mask `still`, are softer than in the empty picture."""
    inner = cv2.erode(still.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    if not inner.any():
        return False
    now, before = (
        np.percentile(np.abs(cv2.Laplacian(np.ascontiguousarray(log[..., 1]), cv2.CV_32F))[inner], _EDGES_PERCENT)
        for log in (log_image, log_empty)
    )
    return bool(now < _SOFT * before)
