"""The bitmap fonts of the screens: Terminus Font (SIL OFL 1.1) and the X11 fixed font (public domain)."""

import gzip
from functools import cache
from importlib.resources import files
from io import BytesIO

from PIL import ImageFont

HEIGHTS_PX = {
    "fixed-5x8": 8,
    "ter-u12n": 12,
    "ter-u12b": 12,
    "ter-u16b": 16,
    "ter-u20b": 20,
    "ter-u24b": 24,
    "ter-u32b": 32,
}


@cache
def font(name: str) -> ImageFont.FreeTypeFont:
    """A font by its file's name; a character is half as wide as high, 5 px of 8 for the smallest."""
    packed = (files(__name__) / f"{name}.pcf.gz").read_bytes()
    return ImageFont.truetype(BytesIO(gzip.decompress(packed)), HEIGHTS_PX[name])
