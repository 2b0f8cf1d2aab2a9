"""What every measure gives back, and the clock."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """One line of the table: `target` says what is asked for, "" where the number is only to be known."""

    what: str
    measured: str
    target: str = ""


def timed_ms(action: Callable[[], object]) -> float:
    """The processor time of one call, all threads together: on an idle machine the time it takes, on a busy one too."""
    began_s = time.process_time()
    action()
    return 1000 * (time.process_time() - began_s)


def median_p95(times_ms: Sequence[float]) -> str:
    """Both as text, in milliseconds."""
    return f"{np.median(times_ms):.2f} / {np.percentile(times_ms, 95):.2f} ms"
