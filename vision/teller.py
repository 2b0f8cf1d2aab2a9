"""Tells the top face of a die that was spotted: a small net that sees one place at a time, upright and at one size.

The net (`teller.onnx`) learned on the same invented scenes as the spotter, at the places that the latter took for dice,
rightly or not.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.nets import answer

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

SIDE_PX = 64
ACROSS = 2.0
"""Edges of a top face across a place: enough around it to tell a top face from one at the side."""
UNREADABLE, NO_TOP_FACE = 6, 7
"""The classes, after the six faces, of a die whose top face cannot be told and of a place where no top face is."""
LIKELIER = 3.0
"""So much likelier NO_TOP_FACE is, against the rest, among the places the spotter finds than among those learned from:
there it was a quarter (training.telling.SHARES), in photographs and on rigs it is half and more."""
RARER = 0.5
"""So much rarer is UNREADABLE: a third of the dice there lean or are hidden, in play hardly one (but that one must not
be read)."""


def tell(image_bgr: Image, xy_px: Floats, edge_px: Floats, angle_rad: Floats, ways_up: int = 2) -> Floats:
    """The chances (N, 8) of six faces, of an unreadable die and of NO_TOP_FACE at N places of a picture.

    A mirror shows the same face: with two `ways_up` the place is seen upside down in one too, and the log chances are
    averaged.
    """
    if not len(xy_px):
        return np.zeros((0, NO_TOP_FACE + 1), np.float32)
    places = []
    for (x, y), edge, angle in zip(xy_px, edge_px, angle_rad, strict=True):
        seen = place(image_bgr, float(x), float(y), float(edge), float(angle))
        places += [seen] if ways_up == 1 else [seen, np.asarray(cv2.flip(seen, 0), np.uint8)]
    logits = answer("teller", places).reshape(len(xy_px), ways_up, -1)
    means = (logits - np.logaddexp.reduce(logits, axis=2, keepdims=True)).mean(1)
    means[:, UNREADABLE] += np.log(RARER)
    means[:, NO_TOP_FACE] += np.log(LIKELIER)
    chance = np.exp(means - means.max(1, keepdims=True))
    return np.asarray(chance / chance.sum(1, keepdims=True), np.float32)


def place(image_bgr: Image, x_px: float, y_px: float, edge_px: float, angle_rad: float) -> Image:
    """What is seen around a point, (64, 64, 3), turned so that edges of this angle lie level, and ACROSS edges wide."""
    step_px = ACROSS * edge_px / SIDE_PX
    finer = max(1, int(np.ceil(step_px - 0.3)))  # so many samples for one, where the picture has more to show
    c, s = np.cos(angle_rad) * step_px / finer, np.sin(angle_rad) * step_px / finer
    half = (SIDE_PX * finer - 1) / 2
    A_image_place = np.array([[c, -s, x_px - (c - s) * half], [s, c, y_px - (c + s) * half]])
    size = (SIDE_PX * finer, SIDE_PX * finer)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(image_bgr, A_image_place, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(seen, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.uint8)
