"""Measures and prints one table; `make bench` runs it.

A measure is a function without arguments that yields rows: write one and add it to MEASURES.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import cv2
from device_measures import button_edge_to_event, screen_to_bus, simulated_frames
from log_measures import log_kills, log_resuming, log_writing
from measure import Row
from processes import engine, memory_of_read
from program_measures import program_at_rest, program_starts
from readers import readers_compared, reading_speed
from settling import motion_check, settler_memory

from hardware.memory import keep_freed_memory

MEASURES: list[Callable[[], Iterable[Row]]] = [
    reading_speed,
    readers_compared,
    motion_check,
    settler_memory,
    memory_of_read,
    engine,
    log_writing,
    log_resuming,
    log_kills,
    simulated_frames,
    button_edge_to_event,
    screen_to_bus,
    program_starts,
    program_at_rest,
]


def main() -> None:
    """Runs the measures, or those whose names are given; prints each row as soon as it is known."""
    cv2.setNumThreads(1)
    keep_freed_memory()
    asked = set(sys.argv[1:])
    unknown = asked - {measure.__name__ for measure in MEASURES}
    if unknown:
        sys.exit(f"no measure {', '.join(sorted(unknown))}; there are: {', '.join(m.__name__ for m in MEASURES)}")
    for measure in MEASURES:
        if not asked or measure.__name__ in asked:
            for row in measure():
                print(f"{row.what:72} {row.measured:>24}   {row.target}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
