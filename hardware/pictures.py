"""Loads picture files of every kind into the one form the program knows: H×W×3 uint8 BGR."""

import warnings
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from hardware.ports import BGR, DeviceError

MAX_BYTES = 400_000_000
MAX_PIXELS = 150_000_000
# What OpenCV finds wrong with a file is said in our own sentence, not on standard error as well.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def load_picture(path: Path | str) -> BGR:
    """The picture in `path`, H×W×3 uint8 BGR, upright as its EXIF says; grey is spread, 16 bits scaled, alpha dropped.

    Raises DeviceError with one sentence when there is no such file or it is not a whole picture.
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DeviceError(f"{path}: {size / 1e6:.0f} MB is more than any photograph; give a smaller picture")
        data = path.read_bytes()
    except FileNotFoundError:
        raise DeviceError(f"{path}: no such file; check the name and the folder") from None
    except IsADirectoryError:
        raise DeviceError(f"{path}: is a folder, not a picture; name the files in it") from None
    except OSError as error:
        raise DeviceError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    if not data:
        raise DeviceError(f"{path}: the file is empty (0 bytes); copy it again")
    if _pixels(data) > MAX_PIXELS:
        raise DeviceError(f"{path}: more than {MAX_PIXELS / 1e6:.0f} megapixels fill the memory; give a smaller one")
    if why := _cut_short(data):
        raise DeviceError(f"{path}: {why}; copy it again")
    try:
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        decoded = None
    if decoded is None:
        raise DeviceError(f"{path}: not an image that OpenCV can read; give a JPEG or PNG")
    return np.asarray(decoded, np.uint8)


def _pixels(data: bytes) -> int:
    """How many pixels the header promises, without decoding them; 0 when it cannot be read."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data)) as header:
            return header.width * header.height
    except Image.DecompressionBombError:
        return MAX_PIXELS + 1
    except OSError:
        return 0


def _cut_short(data: bytes) -> str:
    """Why a JPEG or PNG is not whole, "" if it is; OpenCV would show the missing part grey and say nothing."""
    if data.startswith(b"\x89PNG") and b"IEND" not in data:
        return "the PNG is cut short"
    if data.startswith(b"\xff\xd8") and b"\xff\xd9" not in data[_jpeg_scan(data) :]:
        return "the JPEG is cut short"
    return ""


def _jpeg_scan(data: bytes) -> int:
    """Where the picture itself begins, behind the headers (one of which may hold a whole small JPEG of its own)."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return at
