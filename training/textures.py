"""Table tops: a surface with things on it that are not dice."""

import numpy as np
from numpy.typing import NDArray

from training.surfaces import SURFACES, Floats, fractal, plain, tint
from training.things import THINGS

BLACKEST = 0.002
"""No cloth is blacker; linear light."""


def table_texture(rng: np.random.Generator) -> NDArray[np.float32]:
    """A square texture: (512, 512, 3) float32, linear RGB in 0..1."""
    kind = list(SURFACES)[int(rng.choice(len(SURFACES), p=list(SURFACES.values())))]
    base, other = tint(rng), tint(rng)
    mix = kind(rng)
    strength = rng.uniform(0, 0.2) if kind is plain else rng.uniform(0.05, 1)
    other = base + (other - base) * strength
    texture: Floats = base + (other - base) * mix[..., None]
    texture *= 1 + rng.uniform(0, 0.25) * (fractal(rng, 256, 1) - 0.5)[..., None]
    if rng.random() < 0.45:
        for _ in range(int(rng.integers(1, 9))):
            texture = THINGS[int(rng.integers(len(THINGS)))](rng, texture)
    return np.clip(texture, BLACKEST, 1).astype(np.float32)
