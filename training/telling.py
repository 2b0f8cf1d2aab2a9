"""The teller's course: single places that the spotter took for dice, rightly or not."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from training.labels import SAME_FACE, pose
from training.learning import Batch, Course, Files
from training.lessons import Bytes, relit
from training.net import Teller
from training.places import images_of, mostly_whole
from training.spoiled import blank, spoil
from vision.spotter import squares
from vision.teller import NO_TOP_FACE, SIDE_PX, UNREADABLE, place

Floats = NDArray[np.float64]

BATCH = 64
SHARES = (0.085, 0.085, 0.085, 0.085, 0.085, 0.085, 0.24, 0.25)
"""How often each class is shown: leaning dice are rare, but must not be read."""
SHIFT, SIZE, TURN_DEG = 0.07, 0.12, 7.0
"""How far off the spotter may be: edges, log units; standard deviations."""
AGAIN, SLANT, CLOSER = 0.5, 0.05, 0.4
"""How often a face is seen as it truly lies, as by a second look; how far off that is: its edges, and the share that
is left of what the spotter is off."""
POSE_WEIGHT = 10.0
"""How lying wrong is weighed against a wrong class: a tenth of an edge counts as one."""
WAY_OFF = 0.06
"""So many of the faces are shown from beside or at a wrong size: what is there is no top face of that size."""
BESIDE, SMALLER, LARGER = (0.5, 0.85), (0.3, 0.58), (1.75, 2.5)


def load(path: Path) -> dict[str, NDArray[Any]]:
    """The places of one file, of each class and of all `faces` those there are, and the pictures they are in."""
    rows = mostly_whole(np.load(path)["places"])
    faces = rows[rows[:, 5] < UNREADABLE]
    return {
        "images": images_of(path),
        "faces": faces,
        **{str(kind): rows[rows[:, 5] == kind] for kind in range(len(SHARES))},
    }


def batch(files: Files, rng: np.random.Generator) -> Batch:
    """Places (n, 3, 64, 64) in 0..1, and the class of each and how its face lies."""
    seen, kinds, poses = zip(*(_shown(files, rng) for _ in range(BATCH)), strict=True)
    pictures = torch.from_numpy(np.stack(seen)).permute(0, 3, 1, 2).float() / 255
    return pictures, {"kind": torch.tensor(kinds), "pose": torch.from_numpy(np.stack(poses)).float()}


def _shown(files: Files, rng: np.random.Generator) -> tuple[Bytes, int, Floats]:
    """Any place, seen as the spotter or the look before might have found it, mirrored or not, in any colours and light;
    its class, and how the face lies in it, as in vision.teller.SAID, NaN where none is.
    """
    rows: NDArray[Any] = np.empty(0)
    while not len(rows):
        kind, file = int(rng.choice(len(SHARES), p=SHARES)), files[int(rng.integers(len(files)))]
        rows = file[str(kind)]
    picture, x, y, edge, angle, _, *truly = rows[int(rng.integers(len(rows)))].astype(float)
    true_xy, true_A = np.array(truly[:2]), np.array(truly[2:]).reshape(2, 2)
    if rng.random() < AGAIN:
        is_face = kind < UNREADABLE
        xy, A = (true_xy, true_A) if is_face else (np.array([x, y]), _slant(file, rng) @ _square(edge, angle))
        A, off = A @ (np.eye(2) + SLANT * _within(rng, 2, 2)), CLOSER
    else:
        xy, A, off = np.array([x, y]), _square(edge, angle), 1.0
    if kind < UNREADABLE and rng.random() < WAY_OFF:
        kind = NO_TOP_FACE
        if rng.random() < 0.5:
            way = rng.uniform(0, 2 * np.pi)
            xy = xy + edge * rng.uniform(*BESIDE) * np.array([np.cos(way), np.sin(way)])
        else:
            A = A * rng.uniform(*(SMALLER if rng.random() < 0.5 else LARGER))
    else:
        xy = xy + edge * off * SHIFT * _within(rng, 2)
        A = A * float(np.exp(off * SIZE * _within(rng)))
    A = A @ _square(1, off * np.deg2rad(TURN_DEG) * rng.normal()) @ SAME_FACE[rng.integers(len(SAME_FACE))]
    seen = place(file["images"][int(picture)], xy, A)
    if rng.random() < 0.5:
        seen = seen[..., rng.permutation(3)]
    seen = spoil(relit(seen, rng), rng)
    if kind < UNREADABLE and blank(seen):
        kind = UNREADABLE
    return seen, kind, pose(xy, A, true_xy, true_A) if kind < UNREADABLE else np.full(6, np.nan)


def _square(edge: float, angle: float) -> Floats:
    """A_image_face (2, 2) of a square."""
    return np.asarray(squares(np.array([edge]), np.array([angle]))[0], float)


def _slant(file: dict[str, NDArray[Any]], rng: np.random.Generator) -> Floats:
    """How a camera saw some face slanted, (2, 2): what is no face must not be known by being seen otherwise."""
    faces = file["faces"]
    if not len(faces):
        return np.eye(2)
    U, lengths, _ = np.linalg.svd(faces[int(rng.integers(len(faces))), -4:].reshape(2, 2).astype(float))
    return np.asarray(U * (lengths / np.sqrt(lengths.prod())) @ U.T)


def _within(rng: np.random.Generator, *count: int) -> NDArray[np.float64]:
    """Normal, but never beyond two and a half deviations."""
    return np.clip(rng.normal(size=count), -2.5, 2.5)


def losses(said: torch.Tensor, want: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """How far off the answers (n, 14) are: of class and pose."""
    logits, lies = said[:, : NO_TOP_FACE + 1], said[:, NO_TOP_FACE + 1 :]
    known = want["pose"].isfinite().all(1)
    return {
        "kind": functional.cross_entropy(logits, want["kind"], label_smoothing=0.01),
        "pose": functional.smooth_l1_loss(POSE_WEIGHT * lies[known], POSE_WEIGHT * want["pose"][known]),
    }


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
