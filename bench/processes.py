"""What whole commands cost, each in a process of its own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable

import cv2
from measure import Row
from scenes import scenes

from vision.profile_file import save_profile

SCORE_ALL = """
import time
began_s = time.perf_counter()
from itertools import product
from companion.rules import FACES, selections
for roll in product(FACES, repeat=6):
    selections(roll)
print(time.perf_counter() - began_s)
"""


def engine() -> Iterable[Row]:
    """The rules alone: import them and find the selections of every roll of six dice."""
    run = subprocess.run([sys.executable, "-c", SCORE_ALL], capture_output=True, text=True, check=True)
    yield Row("engine: import + score 46,656 six-dice rolls", f"{float(run.stdout):.2f} s")


def memory_of_read() -> Iterable[Row]:
    """Peak memory of `mishimash read` on one picture of 1024×768 with a profile."""
    scene = next(scene for scene in scenes() if scene.rolls[0].image_bgr.shape[:2] == (768, 1024))
    with tempfile.TemporaryDirectory() as folder:
        picture, profile = f"{folder}/roll.jpg", f"{folder}/profile.toml"
        cv2.imwrite(picture, scene.rolls[0].image_bgr)
        save_profile(scene.profile, profile)
        command = [sys.executable, "-m", "companion.cli", "read", picture, "--profile", profile]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    failed = f" (exit {os.waitstatus_to_exitcode(status)})" * bool(status)
    yield Row("peak memory of `mishimash read`, 1024×768", f"{usage.ru_maxrss / 1024:.0f} MB{failed}", "≤ 120 MB")
