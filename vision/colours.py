"""Names the colour of a die's body, so that the dice of a mixed set can be told apart."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Reading

Image = NDArray[np.uint8]

# Places on a face, in edges from its middle, that lie further than a pip's radius from wherever a pip may be.
_REACH, _STEPS, _PIP_SPACING, _CLEAR = 0.42, 15, 0.26, 0.14
# Value and saturation 0..1 of HSV. Between two bounds no name is sure: light, shadow and white balance move a colour.
_BLACK, _WHITE, _TOO_DARK = 0.30, 0.42, 0.18
_NO_COLOUR, _COLOUR, _COLOUR_IN_THE_DARK = 0.22, 0.32, 0.55
_PINK, _RED = 0.42, 0.55
_BROWN, _ORANGE = (0.50, 0.66), (0.60, 0.72)  # saturation and value: below either is brown, above both orange
# From and to which hue in degrees, counted from 15 to 375, each name is sure.
_HUES = {
    "orange": (19, 41), "yellow": (46, 68), "green": (76, 168), "blue": (184, 254), "purple": (264, 308),
    "pink": (316, 340), "red": (346, 374),
}  # fmt: skip


def with_colours(reading: Reading, image_bgr: Image) -> Reading:
    """The reading with the colour of each die's body as seen in the picture it is of, H×W×3 uint8."""
    if not reading.dice:
        return reading
    seen_bgr = bodies_bgr(image_bgr, np.array([die.corners_px for die in reading.dice]))
    dice = (replace(die, colour=colour_name(bgr)) for die, bgr in zip(reading.dice, seen_bgr, strict=True))
    return replace(reading, dice=tuple(dice))


def bodies_bgr(image_bgr: Image, corners_px: NDArray[np.float64]) -> NDArray[np.float64]:
    """N×3: the median blue, green and red, 0..255, of N top faces (corners N×4×2) where no pip can be."""
    height, width = image_bgr.shape[:2]
    x, y = np.moveaxis(np.rint(_BODY @ corners_px).astype(int), -1, 0)
    return np.asarray(np.median(image_bgr[y.clip(0, height - 1), x.clip(0, width - 1)], axis=1))


def colour_name(bgr: NDArray[np.float64]) -> str:
    """The plain English name of a colour (3,), 0..255; "" where light or white balance could make it another one."""
    pixel = np.asarray(bgr, np.float32).reshape(1, 1, 3) / 255
    hue_deg, saturation, value = (float(k) for k in cv2.cvtColor(pixel, cv2.COLOR_BGR2HSV)[0, 0])
    if value < _BLACK and (saturation < _COLOUR_IN_THE_DARK or value < _TOO_DARK):
        return "black"
    if saturation < _COLOUR:
        return "white" if saturation < _NO_COLOUR and value > _WHITE else ""
    if hue_deg < 15:
        hue_deg += 360
    name = next((name for name, (least, most) in _HUES.items() if least <= hue_deg <= most), "")
    if name == "orange":
        if saturation < _BROWN[0] or value < _BROWN[1]:
            return "brown"
        return "orange" if saturation > _ORANGE[0] and value > _ORANGE[1] else ""
    if name == "red" and saturation < _RED:
        return "pink" if saturation < _PINK and value > _ORANGE[1] else ""
    return name


def _body() -> NDArray[np.float64]:
    """Shares P×4 of a face's four corners in each of the P places on its body."""
    across = np.linspace(-_REACH, _REACH, _STEPS)
    xy = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    from_pips = np.hypot(*(xy - _PIP_SPACING * np.clip(np.rint(xy / _PIP_SPACING), -1, 1)).T)
    u, v = (xy[from_pips > _CLEAR] + 0.5).T
    return np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)


_BODY = _body()
