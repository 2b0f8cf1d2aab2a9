"""How the net learns from the examples: what it says is compared with what it should say, and it is bent that way."""

import time
from dataclasses import fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from torch.nn import functional

from training.command import TrainingError
from training.lessons import NO_FACE, Bytes, Wanted, example, share_of_dice, wanted
from training.net import CHANNELS, Spotter
from training.scenes import SIDE_PX

BATCH = 16
FIRST_RATE, LAST_SHARE, WARM_UP_STEPS = 2e-3, 0.02, 200
"""The rate of learning rises to the first in so many steps, then falls along a cosine to the last share of it."""
KEPT_PER_STEP = 0.998
"""What is written is a running mean of the net: this much of it stays at every step."""
STEEPEST = 5.0
CLASS_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6)
"""Faces matter more than dice that cannot be read."""
POSE_WEIGHTS = (2.0, 1.0, 1.0, 1.0, 1.0)
OPSET = 13
"""Of ONNX, old enough for every OpenCV that the project runs on."""


def learn(folder: Path, minutes: float, out: Path, start: Path | None = None) -> None:
    """Learns for so many minutes from the part-*.npz in a folder, also those that come meanwhile, and writes the net.

    A line a minute says how it goes, and `out` with the suffix .pt then keeps the state; `start` is such a state to go
    on from. TrainingError where there are no examples, or files that are none.
    """
    shelf, learner = Shelf(folder), Learner(start)
    out.parent.mkdir(parents=True, exist_ok=True)
    rng, began, next_word = np.random.default_rng(0), time.monotonic(), 0.0
    told = Means()
    while (gone := (time.monotonic() - began) / 60) < minutes:
        if gone >= next_word:
            shelf.look()
            if told.count:
                print(f"{gone:5.1f} min  {learner.steps} steps  {len(shelf.files)} files  {told}", flush=True)
                told = Means()
                learner.keep(out.with_suffix(".pt"))
            next_word = gone + 1
        told.add(learner.step(*batch(shelf.files, rng), done=gone / minutes))
    learner.keep(out.with_suffix(".pt"))
    write(learner.average.module, out)


class Shelf:
    """The files of examples in a folder; all of them stay in memory, 200 MB each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[dict[str, Bytes]] = []
        self.seen: set[Path] = set()
        self.look()
        if not self.files:
            raise TrainingError(
                f"no part-*.npz in {folder}: `make net` makes them, or `python -m training.examples "
                f"{folder / 'part-0.npz'} 0 500`"
            )

    def look(self) -> None:
        """Takes in what has come since."""
        for path in sorted(set(self.folder.glob("part-*[0-9].npz")) - self.seen):
            self.seen.add(path)
            try:
                with np.load(path) as file:
                    self.files.append({name: file[name] for name in ("images", "masks", "labels")})
            except (ValueError, KeyError, EOFError, BadZipFile) as error:
                raise TrainingError(f"{path} holds no examples: delete it and make it anew") from error


class Means:
    """Mean losses since the last word."""

    def __init__(self) -> None:
        self.count = 0
        self.sums: dict[str, float] = {}

    def add(self, losses: dict[str, float]) -> None:
        """Those of one step more."""
        self.count += 1
        self.sums = {name: self.sums.get(name, 0.0) + loss for name, loss in losses.items()}

    def __str__(self) -> str:
        return "  ".join(f"{name} {total / self.count:.3f}" for name, total in self.sums.items())


class Learner:
    """The net while it learns, and its running mean, which is what is kept."""

    def __init__(self, start: Path | None = None) -> None:
        """TrainingError where `start` is no kept state of this net."""
        self.net = Spotter().to(memory_format=torch.channels_last)
        if start:
            try:
                self.net.load_state_dict(torch.load(start, weights_only=True))
            except OSError:
                raise
            except Exception as error:  # torch.load raises whatever the unpickling did
                raise TrainingError(f"{start} is no state of this net: name a .pt that was kept of it") from error
        self.optimiser = torch.optim.AdamW(self.net.parameters(), FIRST_RATE, weight_decay=1e-3)
        mean = torch.optim.swa_utils.get_ema_multi_avg_fn(KEPT_PER_STEP)
        self.average = torch.optim.swa_utils.AveragedModel(self.net, multi_avg_fn=mean, use_buffers=True)
        self.steps = 0

    def step(
        self, pictures: torch.Tensor, dice: torch.Tensor, want: dict[str, torch.Tensor], done: float
    ) -> dict[str, float]:
        """One step with a batch when so much of the time is gone, 0..1; how far off each kind of answer was."""
        rise, fall = min(1, (self.steps + 1) / WARM_UP_STEPS), 0.5 * (1 + np.cos(np.pi * done))
        for group in self.optimiser.param_groups:
            group["lr"] = FIRST_RATE * rise * (LAST_SHARE + (1 - LAST_SHARE) * fall)
        with torch.autocast("cpu", torch.bfloat16):
            said = self.net(pictures.to(memory_format=torch.channels_last))
        parts = losses(said.float(), dice, want)
        self.optimiser.zero_grad()
        sum(parts.values()).backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), STEEPEST)
        self.optimiser.step()
        self.average.update_parameters(self.net)
        self.steps += 1
        return {name: float(part.detach()) for name, part in parts.items()}

    def keep(self, path: Path) -> None:
        """Writes the running mean's state."""
        torch.save(self.average.module.state_dict(), path)


def batch(
    files: list[dict[str, Bytes]], rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    """Pictures (n, 3, h, w) in 0..1; how much of each cell is dice (n, cells, cells); and what is wanted, stacked."""
    images, masks, rows = zip(*(example(files, rng) for _ in range(BATCH)), strict=True)
    pictures = torch.from_numpy(np.ascontiguousarray(np.stack(images))).permute(0, 3, 1, 2).float() / 255
    dice = torch.from_numpy(np.stack([share_of_dice(mask) for mask in masks])).float()
    cells = [wanted(labels) for labels in rows]
    want = {part.name: np.stack([getattr(cell, part.name) for cell in cells]) for part in fields(Wanted)}
    return pictures, dice, {name: torch.from_numpy(part) for name, part in want.items()}


def losses(said: torch.Tensor, dice: torch.Tensor, want: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
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
        "die": functional.binary_cross_entropy_with_logits(die[:, 0], dice),
        "pose": functional.smooth_l1_loss(pose * weights, want_pose * weights),
    }


def write(net: Spotter, out: Path) -> None:
    """The net as an ONNX file, for pictures of any size."""
    torch.onnx.export(
        net.eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, SIDE_PX, SIDE_PX),),
        str(out),
        input_names=["picture"],
        output_names=["said"],
        dynamic_axes={"picture": {2: "height", 3: "width"}, "said": {2: "rows", 3: "columns"}},
        opset_version=OPSET,
        dynamo=False,
    )
