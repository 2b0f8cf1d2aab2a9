"""How the net learns from the examples: what it says is compared with what it should say, and it is bent that way."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray

from training.command import TrainingError
from training.thaw import thaw

Files = list[dict[str, NDArray[Any]]]
Batch = tuple[torch.Tensor, dict[str, torch.Tensor]]
"""Pictures (n, 3, h, w) in 0..1, and what is wanted of each."""

NEW_RATE, GO_ON_RATE, LAST_SHARE, WARM_UP_STEPS = 2e-3, 1e-3, 0.02, 200
"""The rate of learning, of a new net or one that goes on, is reached in so many steps, then falls along a cosine to the
last share of it."""
KEPT_PER_STEP = 0.998
"""What is written is a running mean of the net: this much of it stays at every step."""
STEEPEST = 5.0
AHEAD = 4
"""So many batches are made while the net still learns from those before."""
THAW_BATCHES = 8
OPSET = 13
"""Of ONNX, old enough for every OpenCV that the project runs on."""


@dataclass(frozen=True)
class Course:
    """What one net learns, and how: which files hold its examples and what brings them about (`{folder}` is theirs),
    how they are loaded, batches made and answers judged; the shape of its input and which axes of it may be any length.
    """

    net: Callable[[], torch.nn.Module]
    pattern: str
    made_by: str
    load: Callable[[Path], dict[str, NDArray[Any]]]
    batch: Callable[[Files, np.random.Generator], Batch]
    losses: Callable[[torch.Tensor, dict[str, torch.Tensor]], dict[str, torch.Tensor]]
    shape: tuple[int, int, int, int]
    axes: dict[str, dict[int, str]]


def learn(course: Course, folder: Path, minutes: float, out: Path, start: Path | None = None) -> None:
    """Learns for so many minutes from the course's files in a folder, also those that come meanwhile; writes the net.

    A line a minute says how it goes, and `out` with the suffix .pt then keeps the state; `start` is such a state, or a
    written net, to go on from. TrainingError where there are no examples, or files that are none.
    """
    shelf = Shelf(course, folder)
    learner = Learner(course, _net(course, start, shelf.files), GO_ON_RATE if start else NEW_RATE)
    out.parent.mkdir(parents=True, exist_ok=True)
    began, next_word = time.monotonic(), 0.0
    told, batches = Means(), _batches(course, shelf)
    while (gone := (time.monotonic() - began) / 60) < minutes:
        if gone >= next_word:
            shelf.look()
            if told.count:
                print(f"{gone:5.1f} min  {learner.steps} steps  {len(shelf.files)} files  {told}", flush=True)
                told = Means()
                learner.keep(out.with_suffix(".pt"))
            next_word = gone + 1
        told.add(learner.step(*next(batches), done=gone / minutes))
    learner.keep(out.with_suffix(".pt"))
    write(course, learner.average.module, out)


def _net(course: Course, start: Path | None, files: Files) -> torch.nn.Module:
    """The course's net: new, or as it was kept or written; TrainingError where `start` is neither of such a net."""
    net = course.net()
    try:
        if start and start.suffix == ".onnx":
            rng = np.random.default_rng(1)
            thaw(net, start, torch.cat([course.batch(files, rng)[0] for _ in range(THAW_BATCHES)]))
        elif start:
            net.load_state_dict(torch.load(start, weights_only=True))
    except OSError:
        raise
    except Exception as error:  # torch.load and onnx.load raise whatever the unpacking did
        raise TrainingError(f"{start} is no state of this net: name a .pt or .onnx that was made of it") from error
    return net


def _batches(course: Course, shelf: "Shelf") -> Iterator[Batch]:
    """One batch after another, made beside the learning, always in the same order."""
    rng = np.random.default_rng(0)
    with ThreadPoolExecutor(max_workers=1) as beside:
        ready = deque(beside.submit(course.batch, shelf.files, rng) for _ in range(AHEAD))
        while True:
            yield ready.popleft().result()
            ready.append(beside.submit(course.batch, shelf.files, rng))


class Shelf:
    """The files of examples in a folder; all of them stay in memory, 200 MB each."""

    def __init__(self, course: Course, folder: Path) -> None:
        self.course = course
        self.folder = folder
        self.files: Files = []
        self.seen: set[Path] = set()
        self.look()
        if not self.files:
            raise TrainingError(f"no {course.pattern} in {folder}: {course.made_by.format(folder=folder)}")

    def look(self) -> None:
        """Takes in what has come since."""
        for path in sorted(set(self.folder.glob(self.course.pattern)) - self.seen):
            self.seen.add(path)
            try:
                self.files.append(self.course.load(path))
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

    def __init__(self, course: Course, net: torch.nn.Module, rate: float) -> None:
        self.losses, self.rate = course.losses, rate
        self.net = net.to(memory_format=torch.channels_last)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), rate, weight_decay=1e-3)
        mean = torch.optim.swa_utils.get_ema_multi_avg_fn(KEPT_PER_STEP)
        self.average = torch.optim.swa_utils.AveragedModel(self.net, multi_avg_fn=mean, use_buffers=True)
        self.steps = 0
        # Half as many bits are twice as fast where the processor reckons with them, and ten times as slow elsewhere.
        self.halves = torch.backends.cpu.get_cpu_capability().startswith("AVX512")

    def step(self, pictures: torch.Tensor, want: dict[str, torch.Tensor], done: float) -> dict[str, float]:
        """One step with a batch when so much of the time is gone, 0..1; how far off each kind of answer was."""
        rise, fall = min(1, (self.steps + 1) / WARM_UP_STEPS), 0.5 * (1 + np.cos(np.pi * done))
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * rise * (LAST_SHARE + (1 - LAST_SHARE) * fall)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.halves):
            said = self.net(pictures.to(memory_format=torch.channels_last))
        parts = self.losses(said.float(), want)
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


def write(course: Course, net: torch.nn.Module, out: Path) -> None:
    """The net as an ONNX file."""
    torch.onnx.export(
        net.eval().to(memory_format=torch.contiguous_format),
        (torch.zeros(course.shape),),
        str(out),
        input_names=["picture"],
        output_names=["said"],
        dynamic_axes=course.axes,
        opset_version=OPSET,
        dynamo=False,
    )
