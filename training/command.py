"""What the commands share: whatever goes wrong is one line, and a file is there when it is whole."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class TrainingError(Exception):
    """Training cannot go on; the text says what is wrong, where, and what to do."""


def run(work: Callable[[], None]) -> None:
    """Does the work of a command; leaves with 0 done, 1 and a line on stderr, or 130 on Ctrl-C."""
    try:
        work()
    except ModuleNotFoundError as error:
        sys.exit(f"the Python package {error.name} is not installed: pip install -e '.[training]'")
    except TrainingError as error:
        sys.exit(" ".join(str(error).split()))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)


def write_whole(out: Path, **arrays: Any) -> None:
    """Writes an .npz file that others may be waiting for."""
    part = out.with_name(out.name + ".part")
    with part.open("wb") as file:
        np.savez(file, **arrays)
    part.replace(out)
