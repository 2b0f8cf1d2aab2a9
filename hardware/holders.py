"""Which program holds a device, as far as this user may see."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def holder(prefixes: Sequence[str], proc: Path = Path("/proc")) -> str:
    """The first other program with an open file whose path begins with one of `prefixes`, as "name (pid 12)"; or ""."""
    for process in sorted(proc.glob("[0-9]*"), key=lambda path: int(path.name)):
        if int(process.name) == os.getpid():
            continue
        with suppress(OSError):
            for opened in (process / "fd").iterdir():
                if os.readlink(opened).startswith(tuple(prefixes)):
                    return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
    return ""
