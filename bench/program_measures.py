"""What the whole program costs at the simulated tray: its start, a time nobody touches anything, dice that tumble."""

import os
import pty
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import Row

from companion import cli
from companion.demo import calibrated
from hardware.simulated import SimulatedTray
from vision.profile_file import save_profile

REST_S = float(os.environ.get("REST_S", "30"))
SETTLED_S = 10.0
TUMBLE_S, THROW_EACH_S = 20.0, 1.0
PATIENCE_S = 60.0
TICKS_S = os.sysconf("SC_CLK_TCK")


class Program:
    """`mishimash play` at a terminal of its own; times are (wall, processor) in seconds from its start."""

    def __init__(self, folder: Path, *more: str) -> None:
        self._folder = folder
        self._ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ready.bind(str(folder / "notify"))
        self._ready.settimeout(PATIENCE_S)
        self._keys, terminal = pty.openpty()
        words = ["--camera", "table", "--display", f"png:{folder / 'screens'}", "--buttons", "keyboard"]
        self._began_s = time.monotonic()
        self._process = subprocess.Popen(
            [Path(sys.executable).with_name("mishimash"), "play", *words, "--state-dir", folder, *more],
            stdin=terminal,
            stdout=terminal,
            stderr=subprocess.DEVNULL,
            # As a service it says when it is ready: the first screen is shown and the first picture looked at.
            env=os.environ | {"NOTIFY_SOCKET": str(folder / "notify")},
        )
        os.close(terminal)

    def at_first_screen(self) -> tuple[float, float]:
        """Waits for the first screen."""
        while not (self._folder / "screens" / "0001.png").exists():
            assert self._process.poll() is None
            time.sleep(0.002)
        return self._times_s()

    def at_ready(self) -> tuple[float, float]:
        """Waits until the program says that it is ready; what it says later goes nowhere."""
        while b"READY=1" not in self._ready.recv(256):
            pass
        self._ready.close()
        return self._times_s()

    def share_over(self, seconds: float, act: Callable[[], object] = lambda: None, each_s: float = 1.0) -> float:
        """The processor share of one core over a time in which `act` is done again and again."""
        (since_s, used_s), began_s = self._times_s(), time.monotonic()
        while time.monotonic() - began_s < seconds:
            act()
            time.sleep(each_s)
        now_s, now_used_s = self._times_s()
        return (now_used_s - used_s) / (now_s - since_s)

    def strike(self, key: str) -> None:
        """Presses a key."""
        os.write(self._keys, key.encode())

    def peak_mb(self) -> float:
        """The most memory it had at once."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def quit(self) -> None:
        """Ends it as a person does."""
        self.strike("q")
        self._process.wait(timeout=PATIENCE_S)
        os.close(self._keys)

    def _times_s(self) -> tuple[float, float]:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        # User and system time, and both of children that have ended: the calibration is one.
        return time.monotonic() - self._began_s, sum(map(int, fields[11:15])) / TICKS_S


@contextmanager
def _playing(profile: bool) -> Iterator[Program]:
    with tempfile.TemporaryDirectory() as name:
        more = []
        if profile:
            save_profile(calibrated(SimulatedTray(), cli.make_profile), f"{name}/tray.toml")
            more = ["--profile", f"{name}/tray.toml"]
        program = Program(Path(name), *more)
        try:
            yield program
        finally:
            program.quit()


def program_starts() -> Iterable[Row]:
    """From the command to the first screen and to the first picture looked at, with a profile and without one."""
    with _playing(profile=True) as program:
        yield Row("play: start to the first screen, wall / processor", _times(program.at_first_screen()), "≤ 1.0 s")
        yield Row("play: start to ready, wall / processor", _times(program.at_ready()), "≤ 1.5 s")
    with _playing(profile=False) as program:
        yield Row("play: the same, the simulated tray calibrated on the way", _times(program.at_ready()))
        yield Row("play: peak memory at such a start", f"{program.peak_mb():.0f} MB", "≤ 200 MB")


def program_at_rest() -> Iterable[Row]:
    """The simulated camera at full rate, nobody touches anything for REST_S seconds; then dice that tumble on."""
    with _playing(profile=True) as program:
        program.at_ready()
        time.sleep(SETTLED_S)
        idle = program.share_over(REST_S, each_s=REST_S / 100)
        yield Row(f"play: processor share while nobody plays, {REST_S:.0f} s", f"{idle:.1%} of a core", "≤ 8 %")
        busy = program.share_over(TUMBLE_S, lambda: program.strike(" "), THROW_EACH_S)
        yield Row("play: processor share while dice tumble and are drawn", f"{busy:.0%} of a core")
        yield Row("play: peak memory", f"{program.peak_mb():.0f} MB", "≤ 200 MB")


def _times(wall_processor_s: tuple[float, float]) -> str:
    return "{:.2f} / {:.2f} s".format(*wall_processor_s)
