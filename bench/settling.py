"""What watching costs: the motion check, and the memory of a settler that runs for long."""

import tracemalloc
from collections.abc import Iterable
from itertools import cycle

import numpy as np
from measure import Row, median_p95, timed_ms

from vision.motion import Stillness, thumbnail
from vision.reading import Die, Reading
from vision.settle import Settler

FRAMES, CHECKS = 10_000, 2_000


def motion_check() -> Iterable[Row]:
    """One check of a 320×240 luma picture, noise and all."""
    rng = np.random.default_rng(1)
    scene = rng.integers(20, 200, (240, 320))
    lumas = [np.clip(scene + rng.normal(0, 3, scene.shape), 0, 255).astype(np.uint8) for _ in range(50)]
    stillness = Stillness()
    times_ms = [
        timed_ms(lambda: stillness.update(thumbnail(luma), number / 15))  # noqa: B023 - called at once
        for luma, number in zip(cycle(lumas), range(CHECKS), strict=False)
    ]
    yield Row("the motion check, 320×240, median / p95", median_p95(times_ms), "≤ 0.5 ms")


class SeesTwo:
    """A reader that costs nothing: what grows is the settler's own."""

    def read(self, image_bgr: object, expect: int | None = None) -> Reading:
        """Two dice, always the same."""
        return Reading((Die(1, 1, 50, 50, 20, 0), Die(6, 1, 150, 50, 20, 0)), "ok")


def settler_memory() -> Iterable[Row]:
    """Growth of memory over ten thousand frames in which things move and rest by turns, after as many to warm up."""
    rng = np.random.default_rng(1)
    pictures = [rng.integers(0, 255, (240, 320, 3), np.uint8) for _ in range(2)]
    settler = Settler(SeesTwo())
    kilobytes = []
    tracemalloc.start()
    for i in range(2 * FRAMES):
        settler.update(pictures[i // 20 % 2], i / 15)
        if i % FRAMES == FRAMES - 1:
            kilobytes.append(tracemalloc.get_traced_memory()[0] / 1024)
    tracemalloc.stop()
    yield Row(
        f"the settler's memory grows in {FRAMES:,} frames by", f"{kilobytes[1] - kilobytes[0]:.1f} KB", "no growth"
    )
