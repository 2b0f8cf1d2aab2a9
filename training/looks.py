"""How dice are made: shape, colours, pips, gloss. The ranges are wide on purpose: a real set should lie within them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONTRASTS = (0.13, 0.2, 0.3, 0.45)
"""How far apart pips and body are at least, one of these by chance; steps of brightness plus a quarter of colour."""
LARGEST_PIP = 0.47
"""Radius over what is from pip to pip: those in the row of a Six hardly touch."""
LARGEST_ONE = 0.24
"""Radius in edges; a larger One would run over the rim."""


@dataclass
class Look:
    """How one kind of dice is made; lengths in its edges, colours (3,) linear RGB."""

    radius: float
    """Of the rounded edges."""
    sphere: float
    """Radius of the ball that the cube was cut with, 0 for none."""
    pip_r: float
    one_r: float
    spread: float
    """From pip to pip."""
    six: float
    """How far apart the rows of a Six are, over those of other faces: of many dice they are as near as their pips."""
    depth: float
    """Of the pips, 0 where they are printed."""
    body: Floats
    cloud: Floats
    """The second colour of a marbled body."""
    cloud_scale: float
    pip: Floats
    one: Floats
    """The colour of the One."""
    gloss: float
    """How much is mirrored, 0..1."""
    rough: float
    """How far what is mirrored is blurred, 0..1."""
    clear: float
    """How much of the table shines through, 0..1."""
    turned: int
    """Bit face - 1 is set where that face's pips are turned by a right angle."""
    ring: float
    """Inner radius of pips drawn as rings, in pip radii; 0 for full ones."""
    grain: float
    """How uneven the body is, 0..1."""
    petals: float
    """Of a One that is a flower or a star, 0 for a round one."""
    sink: float
    """How steeply a face falls at the rim of its pips, 0 where it is plane."""
    wavy: float
    """How uneven its surface is, as a slope: gloss then mirrors lamps as crooked lines."""


def look(rng: np.random.Generator) -> Look:
    """A kind of dice."""
    body = colour(rng)
    pip = _pip(rng, body)
    cloud = _cloud(rng, body)
    spread, printed = rng.uniform(0.215, 0.31), rng.random() < 0.3
    pip_r = min(rng.uniform(0.06, 0.15), LARGEST_PIP * spread)
    sharp, polished = rng.random() < 0.4, rng.random() < 0.35
    return Look(
        radius=rng.uniform(0.02, 0.06) if sharp else rng.uniform(0.06, 0.2),
        sphere=rng.uniform(0.67, 0.8) if rng.random() < 0.35 else 0.0,
        pip_r=pip_r,
        one_r=min(LARGEST_ONE, pip_r * rng.uniform(1.2, 2.2)) if rng.random() < 0.3 else pip_r,
        spread=spread,
        six=rng.uniform(0.48, 0.85) if rng.random() < 0.55 else 1.0,
        depth=0.0 if printed else rng.uniform(0.01, 0.07),
        body=body,
        cloud=cloud,
        cloud_scale=rng.uniform(1.5, 6),
        pip=pip,
        one=np.array([0.6, 0.03, 0.03]) if rng.random() < 0.12 and brightness(body) > 0.5 else pip,
        gloss=rng.uniform(0.5, 1) if polished else rng.uniform(0, 1) ** 2 * 0.8,
        rough=rng.uniform(0.02, 0.1) if polished else rng.uniform(0.04, 0.4),
        clear=rng.uniform(0.2, 0.75) if rng.random() < 0.12 else 0.0,
        turned=int(rng.integers(64)),
        ring=rng.uniform(0.4, 0.65) if rng.random() < 0.02 else 0.0,
        grain=rng.uniform(0, 0.5) if rng.random() < 0.2 else 0.0,
        petals=float(rng.integers(3, 7)) if rng.random() < 0.05 else 0.0,
        sink=rng.uniform(0, 0.5) if rng.random() < 0.5 and not printed else 0.0,
        wavy=rng.uniform(0, 0.35) if rng.random() < 0.4 else 0.0,
    )


def colour(rng: np.random.Generator) -> Floats:
    """A colour of a die or of paint, (3,) linear RGB: often white or black, else of any hue."""
    kind = rng.random()
    if kind < 0.22:
        return rng.uniform(0.45, 0.9) * np.array([1, rng.uniform(0.88, 1), rng.uniform(0.65, 1)])
    if kind < 0.4:
        return rng.uniform(0.01, 0.07) * rng.uniform(0.7, 1.3, 3)
    hue, strength, value = rng.uniform(0, 6), rng.uniform(0.3, 1), rng.uniform(0.08, 0.85)
    wheel = np.clip(np.abs((hue + np.array([0, 4, 2])) % 6 - 3) - 1, 0, 1)
    return np.asarray(value * (1 - strength * (1 - wheel)) ** 1.7)


def brightness(rgb: Floats) -> float:
    """Luma of linear RGB, 0..1, in about the steps the eye sees."""
    return float((rgb @ [0.25, 0.65, 0.1]) ** 0.45)


def _pip(rng: np.random.Generator, body: Floats) -> Floats:
    """A colour of pips that can be told from the body: white, black or any other, often on a dark body."""
    dark = brightness(body) < 0.35
    while True:
        if dark and rng.random() < 0.35:
            pip = colour(rng)
        elif rng.random() < 0.35:
            pip = rng.uniform(0.6, 0.9) * np.ones(3)
        elif rng.random() < 0.5:
            pip = rng.uniform(0.01, 0.05) * np.ones(3)
        else:
            pip = colour(rng)
        apart = abs(brightness(pip) - brightness(body)) + 0.25 * float(np.abs(pip**0.45 - body**0.45).max())
        if apart > rng.choice(CONTRASTS):
            return pip


def _cloud(rng: np.random.Generator, body: Floats) -> Floats:
    """The body's second colour: mostly none, else one near it or any other."""
    if rng.random() < 0.7:
        return body
    if rng.random() < 0.8:
        return np.clip(body + 0.5 * (colour(rng) - body), 0, 1)
    return colour(rng)
