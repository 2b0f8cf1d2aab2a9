"""The two nets, run by OpenCV; `training` makes their files."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

NETS = ("spotter", "teller")


def prepare() -> None:
    """Loads both nets now, so that no reading has to wait for them."""
    for net in NETS:
        _load(net)


def answer(net: str, pictures_bgr: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """What the net of this name says of N pictures of one size, H×W×3 uint8: (N, …) float32."""
    asked = _load(net)
    asked.setInput(cv2.dnn.blobFromImages(pictures_bgr, 1 / 255))
    return np.asarray(asked.forward(), np.float32)


@cache
def _load(net: str) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(np.frombuffer(files("vision").joinpath(f"{net}.onnx").read_bytes(), np.uint8))
