"""The whole program, killed in the middle of play on a simulated tray, goes on where it was."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.history import export_rows
from companion.history_cli import read_games

pytestmark = pytest.mark.slow

KILLS = 8
PRESSES = "\n".join(["roll", "bank", "next"] * 200)


def play(folder):
    """The program at work; it plays by a script and tells events into a file."""
    options = {
        "--camera": "table", "--display": f"png:{folder}/screens", "--buttons": f"script:{folder}/presses",
        "--events": folder / "events", "--state-dir": folder / "state", "--target": 500, "--players": "Ana,Bo",
    }  # fmt: skip
    words = [str(word) for option in options.items() for word in option]
    program = "from companion.cli import main; raise SystemExit(main())"
    return subprocess.Popen([sys.executable, "-c", program, "play", *words], stderr=subprocess.DEVNULL)


def rows_told(folder):
    """What the program told, but for whose turn it is: a kill may fall between a record's rows."""
    file = folder / "events"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [row for row in rows if row["event"] in ("start", "roll", "keep", "undo")]


def rows_stored(folder):
    marks = ("game", "number", "at", "undone", "colours")
    rows = ({k: v for k, v in row.items() if k not in marks} for row in export_rows(read_games(folder / "state")))
    return [row for row in rows if row["event"] in ("start", "roll", "keep", "undo")]


def test_the_program_killed_again_and_again_keeps_every_row_it_told(tmp_path: Path):
    (tmp_path / "presses").write_text(PRESSES)
    chance = random.Random(4)
    told_of_all = []
    for _ in range(KILLS):
        told_before = len(rows_told(tmp_path))
        process = play(tmp_path)
        limit_s = time.monotonic() + 120
        while len(rows_told(tmp_path)) < told_before + 2 and process.poll() is None and time.monotonic() < limit_s:
            time.sleep(0.1)
        time.sleep(chance.uniform(0, 3))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        told_now, stored = rows_told(tmp_path)[told_before:], rows_stored(tmp_path)
        assert len(told_now) >= 2
        begun = len(told_of_all)
        assert stored[:begun] == told_of_all
        assert stored[begun:][: len(told_now)] == told_now
        assert len(stored) - begun - len(told_now) in (0, 1)
        told_of_all = stored
    assert sum(row["event"] == "start" for row in told_of_all) == 1
