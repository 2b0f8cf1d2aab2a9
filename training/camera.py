"""What a camera makes of light: exposure, blur, noise, tone, sharpening and JPEG, all as they may come."""

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Rng = np.random.Generator

DARKEST_MEDIAN = 1e-3
GAMMA = 2.2


def develop(light: Floats, rng: Rng) -> NDArray[np.uint8]:
    """A picture, (h, w, 3) uint8 BGR, of linear RGB light (h, w, 3)."""
    image = _exposed(light[..., ::-1] * rng.uniform(0.85, 1.15, 3), rng)
    image = _shaded(image, rng)
    image = _blurred(image, rng.uniform(0.25, 1.0) if rng.random() < 0.75 else rng.uniform(1, 1.9))
    if rng.random() < 0.05:
        image = _smeared(image, rng)
    image = _toned(_noisy(image, rng), rng)
    if rng.random() < 0.35:
        image = _colours_blurred(image, rng.uniform(0.6, 2.5))
    if rng.random() < 0.5:
        image = image + rng.uniform(0, 1.2) * (image - _blurred(image, rng.uniform(0.8, 2)))
    picture = (np.clip(image, 0, 1) * 255).round().astype(np.uint8)
    if rng.random() < 0.7:
        picture = packed(picture, int(rng.integers(45, 97)))
    return picture


def packed(picture: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """The picture, (h, w, 3) uint8, as a JPEG of this quality, 0..100, keeps it."""
    _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _exposed(image: Floats, rng: Rng) -> Floats:
    """Metered by the middle of all pixels, or by the bright ones."""
    if rng.random() < 0.7:
        return image * (rng.uniform(0.12, 0.55) / max(DARKEST_MEDIAN, float(np.median(image.mean(2)))))
    return image * (rng.uniform(0.25, 0.9) / float(np.percentile(image, 97)))


def _shaded(image: Floats, rng: Rng) -> Floats:
    """Brighter towards one side, as near a window."""
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width] / np.array([height, width]).reshape(2, 1, 1) - 0.5
    return np.asarray(image * (1 + rng.uniform(-0.6, 0.6) * x + rng.uniform(-0.6, 0.6) * y)[..., None])


def _blurred(image: Floats, sigma_px: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(image.astype(np.float32), (0, 0), sigma_px), np.float32)


def _colours_blurred(image: Floats, sigma_px: float) -> Floats:
    """With colours less sharp than brightness: so cameras hide the noise of colours."""
    grey = np.asarray(image, np.float32).mean(2, keepdims=True)
    return np.asarray(grey + _blurred(image - grey, sigma_px))


def _smeared(image: Floats, rng: Rng) -> Floats:
    """As by a camera that was moved a little."""
    length = int(rng.integers(3, 7))
    way = np.zeros((length, length), np.float32)
    cv2.line(way, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1.0)
    return np.asarray(cv2.filter2D(image, -1, way / way.sum()), np.float32)


def _noisy(image: Floats, rng: Rng) -> Floats:
    """With the noise of light, which grows with its root, and a little of the sensor's own."""
    noise = rng.uniform(0, 0.035) * rng.random()
    of_light = np.sqrt(np.clip(image, 0, 1)) * noise * rng.normal(size=image.shape)
    return np.asarray(image + of_light + 0.2 * noise * rng.normal(size=image.shape))


def _toned(image: Floats, rng: Rng) -> Floats:
    """From linear light to levels 0..1, with a harder or softer curve and stronger or weaker colours."""
    image = np.clip(image, 0, 1) ** (1 / GAMMA)
    curve = rng.uniform(-0.25, 0.35)
    image = image + curve * image * (1 - image) * (2 * image - 1) * 2
    grey = image.mean(2, keepdims=True)
    return np.asarray(grey + (image - grey) * rng.uniform(0.5, 1.35))
