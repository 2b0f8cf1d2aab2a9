"""How fast and how right the reader is, and the simple one on the same pictures in the same run."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from measure import Row, median_p95, timed_ms
from numpy.typing import NDArray
from scenes import Roll, Scene, scenes
from simple_reader import read_simply

from vision.read import Reader
from vision.reading import Reading

Seen = Reading | tuple[int, ...]
WARM_UPS = 2


def reading_speed() -> Iterable[Row]:
    """The reader with a profile, on pictures of 1024×768."""
    times_ms = []
    for scene in scenes():
        reader = Reader(scene.profile)
        pictures = [roll.image_bgr for roll in scene.rolls if roll.image_bgr.shape[:2] == (768, 1024)]
        for image_bgr in pictures[:WARM_UPS]:
            reader.read(image_bgr)
        times_ms += [timed_ms(partial(reader.read, image_bgr)) for image_bgr in pictures]
    yield Row("a reading, 1024×768, with profile, median / p95", median_p95(times_ms), "≤ 25 / 40 ms, aim 10")


def readers_compared() -> Iterable[Row]:
    """Exact, flagged and silently wrong rolls of the reader with and without profile, and of the simple reader."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    times_ms: dict[str, list[float]] = defaultdict(list)
    for scene in scenes():
        for name, read in _readers(scene).items():
            for roll in scene.rolls:
                began_s = time.process_time()
                seen = read(roll.image_bgr)
                times_ms[name].append(1000 * (time.process_time() - began_s))
                kinds[f"{name}, {'one die cocked' if roll.cocked else 'flat dice'}"][_kind(roll, seen)] += 1
    for name, tally in sorted(kinds.items()):
        shares = ", ".join(f"{100 * tally[kind] / tally.total():.0f} %" for kind in ("exact", "flagged", "wrong"))
        yield Row(f"{name}, {tally.total()} rolls: exact, flagged, WRONG", shares)
    for name, each_ms in times_ms.items():
        yield Row(f"{name}: a reading, median / p95", median_p95(each_ms))


def _readers(scene: Scene) -> dict[str, Callable[[NDArray[np.uint8]], Seen]]:
    with_profile, without = Reader(scene.profile), Reader(None)
    sizes_px = [die.size_px for roll in scene.rolls for die in with_profile.read(roll.image_bgr).dice]
    die_px = float(np.median(sizes_px)) if sizes_px else 50.0
    return {
        "reader with profile": with_profile.read,
        "reader without profile": without.read,
        "simple reader": lambda image_bgr: read_simply(image_bgr, die_px),
    }


def _kind(roll: Roll, seen: Seen) -> str:
    if isinstance(seen, Reading) and seen.status == "unsure":
        return "flagged"
    values = seen.values if isinstance(seen, Reading) else seen
    return "exact" if values == roll.values else "wrong"
