"""What becomes of memory that was used."""

import subprocess
import sys

FAULTS = """
import resource
import numpy as np
{first}
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def look():
    return [np.ones(600_000, np.uint8) for _ in range(8)]
look(), look()
before = faults()
for _ in range(20):
    look()
print(faults() - before)
"""


def page_faults(first: str) -> int:
    """Of a process that takes twenty pictures' worth of memory, one after the other."""
    run = subprocess.run([sys.executable, "-c", FAULTS.format(first=first)], capture_output=True, text=True, check=True)
    return int(run.stdout)


def test_freed_memory_is_used_again_without_asking_the_system() -> None:
    assert page_faults("from hardware.memory import keep_freed_memory; keep_freed_memory()") < 100
