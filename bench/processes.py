"""What whole commands cost, each in a process of its own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import cv2
from measure import Row
from scenes import scenes

from vision.profile_file import save_profile

ROOT = Path(__file__).parent.parent

SCORE_ALL = """
import time
began_s = time.process_time()
from itertools import product
from companion.rules import FACES, selections
for roll in product(FACES, repeat=6):
    selections(roll)
print(time.process_time() - began_s)
"""

# A process starts with the peak of the one that started it: a small one in between keeps this one's out.
PEAK_OF = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def engine() -> Iterable[Row]:
    """The rules alone: import them and find the selections of every roll of six dice."""
    run = subprocess.run([sys.executable, "-c", SCORE_ALL], capture_output=True, text=True, check=True, cwd=ROOT)
    yield Row("engine: import + score 46,656 six-dice rolls", f"{float(run.stdout):.2f} s")


def memory_of_read() -> Iterable[Row]:
    """Peak memory of `mishimash read` on one picture of 1024×768 with a profile."""
    scene = next(scene for scene in scenes() if scene.rolls[0].image_bgr.shape[:2] == (768, 1024))
    with tempfile.TemporaryDirectory() as folder:
        picture, profile = f"{folder}/roll.jpg", f"{folder}/profile.toml"
        cv2.imwrite(picture, scene.rolls[0].image_bgr)
        save_profile(scene.profile, profile)
        read = [Path(sys.executable).with_name("mishimash"), "read", picture, "--profile", profile]
        run = subprocess.run([sys.executable, "-c", PEAK_OF, *read], capture_output=True, text=True, check=True)
    yield Row("peak memory of `mishimash read`, 1024×768", f"{int(run.stdout) / 1024:.0f} MB", "≤ 120 MB")
