"""The spotter's course: whole pictures, of every cell of which it should say what is there."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from training.learning import Batch, Course, Files
from training.lessons import NO_FACE, Bytes, Wanted, example, share_of_dice, wanted
from training.net import CHANNELS, Spotter
from training.scenes import SIDE_PX

BATCH = 16
CLASS_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6)
"""Faces matter more than dice that cannot be read."""
POSE_WEIGHTS = (2.0, 1.0, 1.0, 1.0, 1.0)


def load(path: Path) -> dict[str, Bytes]:
    """What examples.write has written."""
    with np.load(path) as file:
        return {name: file[name] for name in ("images", "masks", "labels")}


def batch(files: Files, rng: np.random.Generator) -> Batch:
    """Pictures (n, 3, h, w) in 0..1, and what is wanted of each, stacked; `dice` (n, cells, cells): how much of each
    cell is dice.
    """
    images, masks, rows = zip(*(example(files, rng) for _ in range(BATCH)), strict=True)
    pictures = torch.from_numpy(np.ascontiguousarray(np.stack(images))).permute(0, 3, 1, 2).float() / 255
    cells = [wanted(labels) for labels in rows]
    want = {part.name: np.stack([getattr(cell, part.name) for cell in cells]) for part in fields(Wanted)}
    want["dice"] = np.stack([share_of_dice(mask) for mask in masks]).astype(np.float32)
    return pictures, {name: torch.from_numpy(part) for name, part in want.items()}


def losses(said: torch.Tensor, want: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """How far off each kind of answer (n, 14, cells, cells) is: of centre, face, die and pose."""
    centre, face, die, log_edge, turn, offset = torch.split(said, list(CHANNELS.values()), 1)
    # The focal loss of Zhou, Wang and Krähenbühl, Objects as Points (2019): near a centre a wrong yes costs less.
    p = torch.sigmoid(centre[:, 0]).clamp(1e-4, 1 - 1e-4)
    there = (want["centre"] == 1).float()
    missed, invented = (1 - p) ** 2 * p.log(), (1 - want["centre"]) ** 4 * p**2 * (1 - p).log()
    focal = there * missed + (1 - there) * invented
    own = want["face"] > NO_FACE
    faces, kinds = face.permute(0, 2, 3, 1)[own], want["face"][own]
    weights = torch.tensor(POSE_WEIGHTS)
    pose = torch.cat([log_edge, turn, offset], 1).permute(0, 2, 3, 1)[own]
    want_pose = want["pose"].permute(0, 2, 3, 1)[own]
    return {
        "centre": -(focal * want["asked"]).sum() / there.sum().clamp(min=1),
        "face": functional.cross_entropy(faces, kinds, weight=torch.tensor(CLASS_WEIGHTS), label_smoothing=0.01),
        "die": functional.binary_cross_entropy_with_logits(die[:, 0], want["dice"]),
        "pose": functional.smooth_l1_loss(pose * weights, want_pose * weights),
    }


SPOTTING = Course(
    net=Spotter,
    pattern="part-*[0-9].npz",
    made_by="`make net` makes them, or `python -m training.examples {folder}/part-0.npz 0 500`",
    load=load,
    batch=batch,
    losses=losses,
    shape=(1, 3, SIDE_PX, SIDE_PX),
    axes={"picture": {2: "height", 3: "width"}, "said": {2: "rows", 3: "columns"}},
)
