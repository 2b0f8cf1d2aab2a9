"""A power cut at any moment leaves every record that was told of: shown on a record of all writes, and on a real disk.

The first test notes every write and flush of a scripted game and cuts the power after each of them: what was flushed is
there, what was not may be there, be missing, or have spoilt the blocks it touched. The second copies the device below a
mounted ext4 file system in the middle of writing, and mounts the copy as after a cut.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from companion.log_file import FILE_NAME, copy_in_memory, entries, open_checked
from companion.timeline import replay
from tests.random_games import endless_records

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
MEMORY = Path("/dev/shm")
BLOCK_BYTES = 4096
RECORDS = 150
GAME = list(islice(endless_records(21), 100_000))
PLAYER = """
import os, sys
from itertools import islice
from pathlib import Path
from companion.log import Log
from tests.random_games import endless_records
log = Log.open(Path(sys.argv[1]))
for record in islice(endless_records(21), int(sys.argv[2])):
    log.append(record)
    os.write(1, b".")
"""
CALL = re.compile(
    r'\d+ +(?P<name>\w+)\((?:(?P<fd>\d+)<(?P<open>[^>]*)>|"(?P<path>[^"]*)")'
    r'(?:, "(?P<data>[^"]*)", \d+)?(?:, (?P<number>\d+))?\) = \d'
)


def player(state_dir, records, *before):
    command = [*before, sys.executable, "-c", PLAYER, str(state_dir), str(records)]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)


def assert_game_survived(state_dir, told):
    """The log in a folder holds exactly the records told of, and at most one more."""
    db, moment = open_checked(state_dir / FILE_NAME)
    db.close()
    with closing(copy_in_memory(state_dir / FILE_NAME)) as copy:
        found = [entry.record for entry in entries(copy)]
    assert told <= len(found) <= told + 1
    assert found == GAME[: len(found)]
    assert (moment and moment.game) == (replay(found) and replay(found).game)
    return len(found)


class Disk:
    """Files as a device has them: `safe` is what was flushed, `loose` the changes since, oldest first."""

    def __init__(self):
        self.safe: dict[str, bytearray] = {}
        self.loose: dict[str, list[tuple[int, bytes | None]]] = {}

    def change(self, name, offset, data):
        self.loose.setdefault(name, []).append((offset, data))

    def flush(self, name):
        for change in self.loose.pop(name, []):
            apply(self.safe.setdefault(name, bytearray()), change)

    def unlink(self, name):
        self.safe.pop(name, None)
        self.loose.pop(name, None)

    def after_cut(self, chance):
        """The files as a cut leaves them, by three kinds of luck: nothing loose survives, some does, blocks spoil."""
        yield self.safe
        for spoil in (False, True):
            files = {name: bytearray(content) for name, content in self.safe.items()}
            for name, changes in self.loose.items():
                for change in changes:
                    if chance.random() < 0.6:
                        apply(files.setdefault(name, bytearray()), change)
                    elif spoil:
                        spoil_blocks(files.setdefault(name, bytearray()), change, chance)
            yield files


def apply(content, change):
    offset, data = change
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
    else:
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + len(data)] = data


def spoil_blocks(content, change, chance):
    offset, data = change
    start = offset - offset % BLOCK_BYTES
    end = -(-(offset + len(data or b"")) // BLOCK_BYTES) * BLOCK_BYTES
    apply(content, (start, chance.randbytes(end - start)))


def calls(trace):
    """(name, file name, data, number) of every call in the record that strace wrote."""
    for line in trace.read_text("ascii").splitlines():
        found = CALL.match(line)
        if found:
            path = unescaped(found["open"] or found["path"] or "").decode()
            number = int(found["number"]) if found["number"] else 0
            yield found["name"], Path(path).name, found["fd"], unescaped(found["data"] or ""), number


def unescaped(text):
    return bytes.fromhex(text.replace("\\x", ""))


def test_the_power_may_fail_after_any_write_or_flush(tmp_path):
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("the record of writes needs strace")
    trace = tmp_path / "trace"
    only = "trace=pwrite64,write,ftruncate,fdatasync,fsync,unlink"
    process = player(tmp_path / "live", RECORDS, strace, "-f", "-y", "-xx", "-s", "9999", "-o", str(trace), "-e", only)
    process.communicate()
    if process.returncode:
        pytest.skip("strace may not trace here")

    chance = random.Random(5)
    disk, told, cuts, lost_in_flight = Disk(), 0, 0, 0
    for name, file, fd, data, number in calls(trace):
        if name == "write" and fd == "1":
            told += len(data)
        elif not file.startswith(FILE_NAME) or file.endswith("-shm"):
            continue
        elif name == "pwrite64":
            disk.change(file, number, data)
        elif name == "ftruncate":
            disk.change(file, number, None)
        elif name in ("fdatasync", "fsync"):
            disk.flush(file)
        elif name == "unlink":
            disk.unlink(file)
        if not told:
            continue
        for files in disk.after_cut(chance):
            # In memory where there is such a folder: thousands of cuts are looked at.
            with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else tmp_path) as state_dir:
                for file_name, content in files.items():
                    (Path(state_dir) / file_name).write_bytes(content)
                lost_in_flight += assert_game_survived(Path(state_dir), told) == told
            cuts += 1
    assert told == RECORDS
    print(f"\n{cuts} cuts survived; in {lost_in_flight} of them no record in flight was there")


@pytest.fixture
def loop_disk(tmp_path):
    """(image file, mount point) of an ext4 file system on a loop device, and a second mount point."""
    image, here, copy = tmp_path / "disk.img", tmp_path / "disk", tmp_path / "copy"
    here.mkdir()
    copy.mkdir()
    made = os.geteuid() == 0 and shutil.which("mke2fs") and subprocess.run(
        ["sh", "-c", f"truncate -s 64M {image} && mke2fs -q -t ext4 {image} && mount -o loop {image} {here}"],
        capture_output=True,
    )  # fmt: skip
    if not made or made.returncode:
        pytest.skip("a disk of its own needs the right to mount a loop device, and mke2fs")
    yield image, here, copy
    subprocess.run(["umount", "-l", str(here)], check=True)


def test_the_power_may_fail_below_a_mounted_file_system(loop_disk, tmp_path):
    image, here, copy = loop_disk
    chance = random.Random(6)
    process = player(here, len(GAME))
    os.set_blocking(process.stdout.fileno(), False)
    told, cuts = 0, 60
    try:
        while not told:
            time.sleep(0.05)
            told += len(process.stdout.read() or b"")
        for n in range(cuts):
            # A new file each time: mount goes on with a loop device that another mount namespace still holds on the
            # same file, and such a device shows the blocks of the cut before.
            cut = tmp_path / f"cut-{n}.img"
            time.sleep(chance.uniform(0, 0.05))
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            told += len(process.stdout.read() or b"")
            subprocess.run(["cp", "--sparse=always", str(image), str(cut)], check=True)
            process.send_signal(signal.SIGCONT)
            subprocess.run(["mount", "-o", "loop", str(cut), str(copy)], check=True)
            try:
                assert_game_survived(copy, told)
            finally:
                subprocess.run(["umount", str(copy)], check=True)
                cut.unlink()
    finally:
        process.kill()
        process.wait()
    print(f"\n{cuts} cuts survived, the last after {told} records")
