"""What the doctor tries with real devices: a picture with its sharpness, a test card, an echo of presses."""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hardware.ports import BGR, Button, Key, Pressed, Stuck

DARK, BRIGHT = 40.0, 215.0
BLURRED_PX = 3.0


def judged(image: BGR) -> tuple[str, bool]:
    """Sharpness and exposure of a picture in one sentence, and whether dice could be read from it."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    level = float(np.median(grey))
    burnt = float((grey >= 250).mean())
    width_px = edge_width_px(grey)
    faults = []
    if level < DARK:
        faults.append("too dark, give more light")
    if level > BRIGHT or burnt > 0.1:
        faults.append("too bright, give less light or shade the lamp")
    if width_px > BLURRED_PX:
        faults.append("not sharp, turn the lens until edges are as narrow as can be")
    height, width = grey.shape
    facts = f"{width}×{height}, brightness {level:.0f} of 255, {burnt:.1%} burnt out, edges {width_px:.1f} px wide"
    return f"{facts}: {' and '.join(faults) or 'good'}", not faults


def edge_width_px(grey: NDArray[np.uint8]) -> float:
    """How wide the sharpest edges are, as the standard deviation of their blur in pixels; 0 when there are none.

    An edge of height h blurred by s has the slope h / (s √2π) in its middle.
    """
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.0).astype(np.float32)
    slope = cv2.magnitude(cv2.Scharr(smooth, cv2.CV_32F, 1, 0), cv2.Scharr(smooth, cv2.CV_32F, 0, 1)) / 32.0
    steep = slope >= max(np.percentile(slope, 99.7), 1.0)
    if not steep.any():
        return 0.0
    around = np.ones((15, 15), np.uint8)
    step = cv2.dilate(smooth, around) - cv2.erode(smooth, around)
    return float(np.median(step[steep] / slope[steep]) / np.sqrt(2 * np.pi))


def card_of_size(size_px: tuple[int, int]) -> Image.Image:
    """A mode "1" picture that shows every fault of a panel: edges, diagonals, grey by dots, and which way is up."""
    width, height = size_px
    card = Image.new("1", size_px)
    draw = ImageDraw.Draw(card)
    draw.rectangle((0, 0, width - 1, height - 1), outline=1)
    draw.line((0, 0, width - 1, height - 1), fill=1)
    draw.line((0, height - 1, width - 1, 0), fill=1)
    dots = np.indices((height // 4, width // 4)).sum(axis=0) % 2 == 0
    card.paste(Image.fromarray(dots), (width // 8, height // 2 - height // 8))
    draw.rectangle((width // 2 - 25, 3, width // 2 + 25, 15), fill=0)
    draw.text((width // 2 - 22, 4), f"UP {width}x{height}", fill=1)
    return card


def echoed(presses: list[Pressed]) -> Iterator[str]:
    """A line for each press, as a person would say it."""
    for one in presses:
        if isinstance(one, Key):
            yield " ".join([one.name, *map(str, one.numbers)])
        elif isinstance(one, Stuck):
            yield f"{one.button.name} {'is up again' if one.freed else 'is stuck: it has been down for long'}"
        else:
            name = "BANK and ROLL together" if one.button is Button.BOTH else one.button.name
            yield f"{name}{', held' if one.held else ''}"
