"""What tables are made of: cloth, carpet, wood, stone. Each kind is a map of where its second colour shows."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

SIZE_PX = 512
"""Edge of a table's texture."""

Floats = NDArray[np.floating]
"""A colour (3,), linear RGB; a map (512, 512) in about 0..1; or a texture (512, 512, 3), linear RGB."""


def tint(rng: np.random.Generator) -> Floats:
    """A colour of a table or of a thing on it, hardly ever a strong one."""
    value = rng.uniform(0.01, 0.12) if rng.random() < 0.35 else rng.uniform(0.1, 0.8)
    return value * (1 + rng.uniform(0, 0.6) * rng.uniform(-1, 1, 3))


def fractal(rng: np.random.Generator, finest: int, coarsest: int, aspect: float = 1.0) -> Floats:
    """A map of noise, 0..1, from `coarsest` to `finest` cells along a side; `aspect`: cells across to cells down."""
    total, cells = np.zeros((SIZE_PX, SIZE_PX), np.float32), coarsest
    while cells <= finest:
        layer = rng.normal(size=(max(2, cells + 1), max(2, round(cells * aspect) + 1))).astype(np.float32)
        total += cv2.resize(layer, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_CUBIC) / cells**0.6
        cells *= 2
    return np.asarray((total - total.min()) / (np.ptp(total) + 1e-6))


def plain(rng: np.random.Generator) -> Floats:
    """Cloth or paint with hardly a grain."""
    grain = rng.random((SIZE_PX, SIZE_PX)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.6, 2.5)), np.float32)


def clouds(rng: np.random.Generator) -> Floats:
    """Blotches."""
    return fractal(rng, 128, int(rng.choice([2, 4, 8])))


def wood(rng: np.random.Generator) -> Floats:
    """Grain along one way, with rings, some of it in planks."""
    along = fractal(rng, 128, 4, 0.06)
    y, _ = _yx()
    rings = 0.5 + 0.5 * np.sin((y * rng.uniform(4, 25) + fractal(rng, 8, 2) * rng.uniform(1, 6)) * 2 * np.pi)
    planks = (np.floor(y * rng.integers(2, 9)) % 2) * rng.uniform(0, 0.4) if rng.random() < 0.4 else 0
    return np.asarray(np.clip(0.5 * along + rng.uniform(0, 0.5) * rings + planks, 0, 1), np.float32)


def weave(rng: np.random.Generator) -> Floats:
    """Threads over and under, a little uneven."""
    threads = rng.integers(30, 130)
    y, x = _yx()
    x, y = x + rng.uniform(0, 0.02) * fractal(rng, 64, 4), y + rng.uniform(0, 0.02) * fractal(rng, 64, 4)
    upright, level = np.abs(np.sin(np.pi * threads * x)), np.abs(np.sin(np.pi * threads * y))
    over = (np.floor(threads * x) + np.floor(threads * y)) % 2
    return np.asarray(np.where(over > 0, upright, level) * (0.6 + 0.4 * fractal(rng, 256, 16)), np.float32)


def carpet(rng: np.random.Generator) -> Floats:
    """Loops of yarn: soft bumps with dark gaps, in rows or anyhow."""
    loops, jitter = int(rng.integers(28, 90)), rng.uniform(0.05, 0.5)
    cell_px = SIZE_PX / loops
    bumps = np.zeros((SIZE_PX, SIZE_PX), np.float32)
    for row in range(loops + 1):
        for column in range(loops + 1):
            at = (np.array([column + 0.5 * (row % 2), row]) + rng.normal(0, jitter, 2)) * cell_px
            radii = [max(1, round(cell_px * rng.uniform(*share))) for share in ((0.35, 0.7), (0.2, 0.4))]
            turn = rng.uniform(0, 360) if jitter > 0.3 else 20
            height = float(rng.uniform(0.4, 1))
            cv2.ellipse(bumps, at.round().astype(int).tolist(), radii, turn, 0, 360, height, cv2.FILLED)
    return np.asarray(cv2.GaussianBlur(bumps, (0, 0), cell_px * rng.uniform(0.08, 0.3)), np.float32)


def stone(rng: np.random.Generator) -> Floats:
    """Speckles, some of them large."""
    grain = fractal(rng, 256, int(rng.choice([16, 32, 64])))
    return (grain > rng.uniform(0.35, 0.65)).astype(np.float32)


def stripes(rng: np.random.Generator) -> Floats:
    """Stripes or checks."""
    y, x = _yx()
    count = rng.uniform(3, 40)
    upright = (np.sin(2 * np.pi * count * x) > rng.uniform(-0.5, 0.8)).astype(np.float32)
    checked = rng.random() < 0.5
    return np.asarray(np.abs(upright - (np.sin(2 * np.pi * count * y) > 0))) if checked else upright


def _yx() -> Floats:
    """Down and across of each texel, 0..1: (2, 512, 512)."""
    return np.mgrid[:SIZE_PX, :SIZE_PX].astype(np.float32) / SIZE_PX


SURFACES: dict[Callable[[np.random.Generator], Floats], float] = {
    plain: 0.28, clouds: 0.16, wood: 0.18, weave: 0.12, carpet: 0.14, stone: 0.06, stripes: 0.06,
}  # fmt: skip
"""Every kind, and how large a part of all tables it is."""
