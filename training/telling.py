"""The teller's course: single places that the spotter took for dice, rightly or not."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from training.learning import Batch, Course, Files
from training.lessons import Bytes, relit
from training.net import Teller
from training.places import images_of, mostly_whole
from training.spoiled import blank, spoil
from vision.teller import NO_TOP_FACE, SIDE_PX, UNREADABLE, place

BATCH = 64
SHARES = (0.085, 0.085, 0.085, 0.085, 0.085, 0.085, 0.24, 0.25)
"""How often each class is shown: leaning dice are rare, but must not be read."""
SHIFT, SIZE, TURN_DEG = 0.07, 0.12, 7.0
"""How far off the spotter may be: edges, log units; standard deviations."""
WAY_OFF = 0.06
"""So many of the faces are shown from beside or at a wrong size: what is there is no top face of that size."""
BESIDE, SMALLER, LARGER = (0.5, 0.85), (0.3, 0.58), (1.75, 2.5)


def load(path: Path) -> dict[str, NDArray[Any]]:
    """The places of one file, of each class those there are, and the pictures they are in."""
    rows = mostly_whole(np.load(path)["places"])
    return {"images": images_of(path), **{str(kind): rows[rows[:, 5] == kind] for kind in range(len(SHARES))}}


def batch(files: Files, rng: np.random.Generator) -> Batch:
    """Places (n, 3, 64, 64) in 0..1, and the class of each."""
    seen, kinds = zip(*(_shown(files, rng) for _ in range(BATCH)), strict=True)
    pictures = torch.from_numpy(np.stack(seen)).permute(0, 3, 1, 2).float() / 255
    return pictures, {"kind": torch.tensor(kinds)}


def _shown(files: Files, rng: np.random.Generator) -> tuple[Bytes, int]:
    """Any place, seen as the spotter might have found it, mirrored or not, in any colours and light."""
    rows: NDArray[Any] = np.empty(0)
    while not len(rows):
        kind, file = int(rng.choice(len(SHARES), p=SHARES)), files[int(rng.integers(len(files)))]
        rows = file[str(kind)]
    picture, x, y, edge, angle, _ = rows[int(rng.integers(len(rows)))].astype(float)
    if kind < UNREADABLE and rng.random() < WAY_OFF:
        kind = NO_TOP_FACE
        if rng.random() < 0.5:
            way, off = rng.uniform(0, 2 * np.pi), edge * rng.uniform(*BESIDE)
            x, y = x + off * np.cos(way), y + off * np.sin(way)
        else:
            edge *= rng.uniform(*(SMALLER if rng.random() < 0.5 else LARGER))
    else:
        x, y = np.array([x, y]) + edge * SHIFT * _within(rng, 2)
        edge *= float(np.exp(SIZE * _within(rng)))
    angle += np.deg2rad(TURN_DEG) * rng.normal() + rng.integers(4) * np.pi / 2
    seen = place(file["images"][int(picture)], x, y, edge, angle)
    if rng.random() < 0.5:
        seen = seen[:, ::-1]
    if rng.random() < 0.5:
        seen = seen[..., rng.permutation(3)]
    seen = spoil(relit(seen, rng), rng)
    if kind < UNREADABLE and blank(seen):
        kind = UNREADABLE
    return seen, kind


def _within(rng: np.random.Generator, *count: int) -> NDArray[np.float64]:
    """Normal, but never beyond two and a half deviations."""
    return np.clip(rng.normal(size=count), -2.5, 2.5)


def losses(said: torch.Tensor, want: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """How far off the answers (n, 8) are."""
    return {"kind": functional.cross_entropy(said, want["kind"], label_smoothing=0.01)}


TELLING = Course(
    net=Teller,
    pattern="places-*[0-9].npz",
    made_by="`make net` makes them, or `python -m training.places {folder}`",
    load=load,
    batch=batch,
    losses=losses,
    shape=(1, 3, SIDE_PX, SIDE_PX),
    axes={"picture": {0: "places"}, "said": {0: "places"}},
)
