"""What the event log costs and what it survives, on the disk this repository lies on."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from measure import Row

from companion.game import Rolled
from companion.log import Log
from companion.timeline import Record
from tests.random_games import endless_records
from tests.test_log_kill import survive

ROOT = Path(__file__).parent.parent


def log_writing() -> Iterable[Row]:
    """A game of a thousand rolls: from a press to its record on disk, and what the process had the disk write."""
    with _on_disk() as state_dir:
        before = _bytes_written()
        with Log.open(state_dir) as log:
            times_ms = [_wall_ms(lambda record=record: log.append(record)) for record in _game_of_rolls(1000)]
        written = _bytes_written() - before
    yield Row("log: records accepted a second", f"{1000 * len(times_ms) / sum(times_ms):.0f}")
    p50, p99 = np.percentile(times_ms, (50, 99))
    yield Row("log: from press to disk, p50 / p99", f"{p50:.1f} / {p99:.1f} ms")
    yield Row(f"log: written for 1000 rolls ({len(times_ms)} records)", f"{written / 1e6:.1f} MB", "≤ 20 MB")


def log_resuming() -> Iterable[Row]:
    """Opening a log whose last game has 5,000 events: check, replay and all; nothing is flushed, so CPU is the cost."""
    with _on_disk() as state_dir:
        with Log.open(state_dir) as log:
            for record in islice(endless_records(1), 5000):
                log.append(record)
        wall_ms, cpu_ms, opened = [], [], []
        for _ in range(5):
            cpu_began_s = time.process_time()
            wall_ms.append(_wall_ms(lambda: opened.append(Log.open(state_dir))))
            cpu_ms.append(1000 * (time.process_time() - cpu_began_s))
            opened.pop().close()
    took = f"{np.median(cpu_ms):.0f} ms of CPU ({np.median(wall_ms):.0f} ms by the wall)"
    yield Row("log: resume a game of 5,000 events, median of 5", took, "≤ 300 ms")


def log_kills() -> Iterable[Row]:
    """SIGKILL at random moments of a scripted game, each time resumed and compared."""
    kills = 200
    with _on_disk() as state_dir:
        survive(state_dir, kills, seed=9)
    yield Row("log: SIGKILLs survived without a loss", f"{kills} of {kills}", "all")


def _wall_ms(action: Callable[[], object]) -> float:
    """The time one call takes on the wall's clock: what counts here is waiting for the disk."""
    began_s = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - began_s)


def _game_of_rolls(rolls: int) -> Iterator[Record]:
    for record in endless_records(3):
        yield record
        rolls -= isinstance(record, Rolled)
        if not rolls:
            return


def _bytes_written() -> int:
    """Bytes this process has had the block layer write so far (proc(5), write_bytes)."""
    counters = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counters["write_bytes"])


@contextmanager
def _on_disk() -> Iterator[Path]:
    """A folder that is not in memory, as /tmp is on many systems."""
    (ROOT / ".bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / ".bench") as folder:
        yield Path(folder)
