"""What the companion needs of a machine, as a list of checks: each is well, or has the sentence that mends it."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hardware.gpio import Wiring
from hardware.panel import OledSettings

PYTHONS = ((3, 11), (3, 13))
PACKAGES = {"numpy": "numpy", "cv2": "opencv-python", "PIL": "pillow", "gpiozero": "gpiozero", "luma.oled": "luma.oled"}
LEAST_FREE_BYTES = 100_000_000
BUILT_YEAR = 2025
HOT_DEG_C = 75.0
OLD_PROFILE_DAYS = 180.0
# Bits of the Pi's firmware word on throttling: what is so now, and what has been since it was switched on.
THROTTLED = {0: "too little voltage now", 2: "slowed down now", 16: "too little voltage since the start"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `vital`: without it the main job cannot run. `command` mends it, where one command does."""

    name: str
    ok: bool
    says: str
    mend: str = ""
    command: str = ""
    vital: bool = False


@dataclass(frozen=True, slots=True)
class Wants:
    """What the main job would use; `root` is where the machine's files are, another folder in tests."""

    camera: str = "picamera2"
    display: str = "oled"
    buttons: str = "gpio"
    oled: OledSettings = field(default_factory=OledSettings)
    wiring: Wiring = field(default_factory=Wiring)
    profile: str = ""
    state_folder: Path = Path()
    root: Path = Path("/")
    now_s: Callable[[], float] = field(default=time.time)

    def path(self, absolute: str) -> Path:
        """A path of the machine."""
        return self.root / absolute.lstrip("/")


def failed(checks: Sequence[Check]) -> bool:
    """Whether the main job could not run."""
    return any(check.vital and not check.ok for check in checks)


def as_table(checks: Sequence[Check], fix_hints: bool = False) -> str:
    """A line a check, and under each that is not well the sentence that mends it; with `fix_hints` the commands too."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        mark = "ok" if check.ok else "FAILS" if check.vital else "look"
        lines.append(f"{mark:5}  {check.name:{width}}  {check.says}")
        indent = " " * (width + 9)
        if not check.ok and check.mend:
            lines.append(f"{indent}{check.mend}")
        if not check.ok and fix_hints and check.command:
            lines.append(f"{indent}$ {check.command}")
    bad = [check for check in checks if check.vital and not check.ok]
    lines.append(
        f"{len(bad)} of {len(checks)} stand in the way of a game" if bad else "nothing stands in the way of a game"
    )
    return "\n".join(lines)


def check_python() -> Check:
    """The interpreter's version."""
    running = sys.version_info[:2]
    first, last = (".".join(map(str, pair)) for pair in PYTHONS)
    return Check(
        "python",
        PYTHONS[0] <= running <= PYTHONS[1],
        ".".join(map(str, sys.version_info[:3])),
        f"this program is made for Python {first} to {last}; make its environment with one of these",
        vital=True,
    )


def check_packages() -> list[Check]:
    """Each package that is always needed: installed, and built for the others that are here."""
    return [check_package(module, name, vital=True) for module, name in PACKAGES.items()]


def check_package(module: str, name: str, vital: bool, command: str = "") -> Check:
    """One package: there, and built for the numpy that is here."""
    try:
        import_module(module)
        with suppress(PackageNotFoundError):
            return Check(name, True, version(name))
        return Check(name, True, "installed by the system")
    except ImportError as error:
        return Check(name, False, f"missing ({error})", "install it", command or f"pip install {name}", vital)
    except ValueError as error:
        # numpy's words for a module that was built for another numpy
        says = f"does not fit the other packages ({error})"
        return Check(name, False, says, "take numpy from the same place as this package", "pip uninstall numpy", vital)


def check_state(wants: Wants) -> Check:
    """The state folder: there, or can be made; writable; room on the disk."""
    folder = wants.state_folder
    there = next((parent for parent in (folder, *folder.parents) if parent.exists()), Path("/"))
    try:
        if not there.is_dir():
            raise NotADirectoryError(20, f"{there} is a file")
        probe = there / f".mishimash-{id(wants)}"
        probe.touch()
        probe.unlink()
        free = shutil.disk_usage(there).free
    except OSError as error:
        mend = "games could not be kept; give the folder to this user, or name another one in the config, [state] dir"
        return Check(
            "state folder", False, f"{folder}: {error.strerror}", mend, f"sudo chown -R $USER {there}", vital=True
        )
    says = f"{folder}, {free / 1e9:.1f} GB free"
    return Check(
        "state folder", free > LEAST_FREE_BYTES, says, "make room: a game is lost when the disk is full", "df -h"
    )


def check_profile(wants: Wants) -> Check:
    """The tray's profile and its age."""
    command = "mishimash calibrate"
    if not wants.profile:
        mend = "dice are read without one, but not as surely; calibrate once"
        return Check("profile", False, "none is named in the config or in the state folder", mend, command)
    try:
        days = (wants.now_s() - Path(wants.profile).stat().st_mtime) / 86_400
    except OSError as error:
        return Check(
            "profile", False, f"{wants.profile}: {error.strerror}", "calibrate, or correct its name", command, True
        )
    mend = "if the camera or the tray was moved since, calibrate again"
    return Check("profile", days < OLD_PROFILE_DAYS, f"{wants.profile}, {days:.0f} days old", mend, command)


def check_clock(wants: Wants) -> Check:
    """Whether the clock is right: a Pi without network begins in the past. Games are kept by date."""
    year = time.gmtime(wants.now_s()).tm_year
    synced = wants.path("/run/systemd/timesync/synchronized").exists()
    says = (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(wants.now_s()))} UTC{', set by the network' if synced else ''}"
    )
    mend = "games would be kept under a wrong date; connect the network once, or set it"
    return Check("clock", year >= BUILT_YEAR, says, mend, "sudo timedatectl set-ntp true")


def check_heat(wants: Wants) -> list[Check]:
    """Temperature and throttling, where the machine tells them."""
    found = []
    with suppress(OSError, ValueError):
        degrees = int(wants.path("/sys/class/thermal/thermal_zone0/temp").read_text()) / 1000
        found.append(
            Check("temperature", degrees < HOT_DEG_C, f"{degrees:.0f} °C", "give the Pi a heat sink or more air")
        )
    with suppress(OSError, ValueError):
        word = int(wants.path("/sys/devices/platform/soc/soc:firmware/get_throttled").read_text(), 16)
        wrong = [what for bit, what in THROTTLED.items() if word >> bit & 1]
        mend = "use the Pi's own power supply and a short, thick cable"
        found.append(Check("power", not wrong, ", ".join(wrong) or "enough", mend))
    return found
