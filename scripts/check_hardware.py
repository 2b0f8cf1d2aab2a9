"""Runs the program's own device adapters on the real libraries below them, without a Raspberry Pi.

    sudo .venv/bin/python scripts/check_hardware.py

Camera: picamera2 on libcamera's virtual camera, in a Debian root. Display: luma.oled and smbus2 on the kernel's I2C bus
with a stub chip, in User-Mode Linux. What it needs is kept in a cache folder and used again. A part that cannot run on
this machine is told with its reason and counted; only a check that fails makes this fail.
"""

import contextlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mishimash-check-hardware"
SUITE = "trixie"
PACKAGES = (
    "python3,python3-venv,python3-pip,python3-dev,python3-libcamera,python3-prctl,ca-certificates,libgl1,"
    "libglib2.0-0t64,libcap-dev,gcc,libc6-dev,kmod"
)
WHEELS = ("picamera2", "opencv-python", "numpy<2.5", "luma.oled", "gpiozero")
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
SIZE_PX = (1280, 720)
ROLLS = 4
PROJECT = "srv/project"
CAMERA = f"""\
%YAML 1.1
---
"Virtual0":
  supported_formats:
  - width: {SIZE_PX[0]}
    height: {SIZE_PX[1]}
    frame_rates:
    - 30
  frames:
    path: "/{PROJECT}/rolls/"
  location: "CameraLocationExternal"
  model: "Virtual Video Device"
"""
# libcamera 0.4's virtual camera reads memory it never wrote; what malloc leaves there decides if it works or hangs.
WORKS, HANGS = "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0", "glibc.malloc.perturb=1"
CAMERA_CHECKS = {"frames": WORKS, "busy": WORKS, "size": WORKS, "doctor": WORKS, "hang": HANGS}
INIT = f"""\
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in i2c-core i2c-dev; do insmod /srv/modules/$module.ko; done
insmod /srv/modules/i2c-stub.ko chip_addr=0x3c
/opt/venv/bin/python /{PROJECT}/i2c_stub.py /{PROJECT} 2>&1
echo o > /proc/sysrq-trigger; sleep 5
"""


class NotHereError(Exception):
    """A part cannot run on this machine; the text says why."""


def run(words: Sequence[str | Path], timeout_s: float = 900, **more: object) -> str:
    """What a command prints; NotHereError when it cannot be run, fails or hangs."""
    try:
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, timeout=timeout_s, check=False, **more
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotHereError(f"{words[0]}: {error}") from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise NotHereError(f"{' '.join(map(str, words[:3]))} … failed: {last}")
    return done.stdout


def debian_root() -> Path:
    """A Debian with libcamera and picamera2, made once."""
    if os.geteuid():
        raise NotHereError("it needs root: sudo make check-hardware")
    if not shutil.which("mmdebstrap"):
        say("installing mmdebstrap")
        run(["apt-get", "install", "-y", "-q", "mmdebstrap"])
    root = CACHE / SUITE
    if not root.is_dir():
        part = CACHE / f"{SUITE}.part"
        shutil.rmtree(part, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        say(f"making a Debian {SUITE} with libcamera and picamera2 in {root} (once, some minutes, 1.2 GB)")
        run(["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", f"--include={PACKAGES}", SUITE, part])
        shutil.copy("/etc/resolv.conf", part / "etc/resolv.conf")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", part / "etc/host-certificates.crt")
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and "/" not in value}
        environment = {**kept, "PATH": SYSTEM_PATH, "PIP_CERT": "/etc/host-certificates.crt", "HOME": "/root"}
        run(["chroot", part, "python3", "-m", "venv", "--system-site-packages", "/opt/venv"], env=environment)
        run(["chroot", part, "/opt/venv/bin/pip", "install", "--quiet", *WHEELS], env=environment)
        part.rename(root)
    return root


def take_project(root: Path) -> None:
    """Copies what is checked into the root, with rolls of the simulated tray and a profile made of its pictures."""
    project = root / PROJECT
    shutil.rmtree(project, ignore_errors=True)
    for package in ("hardware", "vision"):
        shutil.copytree(ROOT / package, project / package, ignore=shutil.ignore_patterns("__pycache__"))
    for script in ("virtual_camera.py", "i2c_stub.py"):
        shutil.copy(ROOT / "scripts" / script, project)


def take_rolls(project: Path) -> None:
    """Puts pictures of rolls, their truth and a profile into the project's folder."""
    import cv2

    from companion.cli import main
    from hardware.scenery import View
    from hardware.simulated import SimulatedTray

    tray = SimulatedTray(3, view=View(*SIZE_PX, focal_px=980.0))
    (project / "rolls").mkdir()
    truth = []
    with tempfile.TemporaryDirectory() as folder:
        pictures = {"board": tray.board_picture(), "empty": tray.empty_picture()}
        for number in range(ROLLS):
            pictures[f"roll-{number}"] = tray.roll_picture()
            truth.append(sorted(die.face for die in tray.truth()))
        for name, picture in pictures.items():
            cv2.imwrite(f"{folder}/{name}.jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
        with contextlib.redirect_stdout(io.StringIO()):
            failed = main(["calibrate", "from-images", folder, "--out", str(project / "tray.profile")])
        if failed:
            raise NotHereError("the profile of the simulated tray could not be made")
        for number in range(ROLLS):
            shutil.copy(f"{folder}/roll-{number}.jpg", project / "rolls" / f"{number}.jpg")
    (project / "truth.json").write_text(json.dumps(truth))


def check_camera(name: str) -> str:
    """One check of virtual_camera.py inside the root; its line."""
    root = debian_root()
    inside = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    program = ["/opt/venv/bin/python", f"/{PROJECT}/virtual_camera.py", f"/{PROJECT}", name]
    environment = {
        "PATH": SYSTEM_PATH,
        "GLIBC_TUNABLES": CAMERA_CHECKS[name],
        "LIBCAMERA_LOG_LEVELS": "*:ERROR",
    }
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", inside, root, *program],
        capture_output=True, text=True, timeout=120, check=False, env=environment,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError((done.stderr.strip() or "no reason given").splitlines()[-1])
    return done.stdout.strip().splitlines()[-1]


def user_mode_linux() -> Path:
    """The folder with Debian's User-Mode Linux, unpacked and not installed."""
    if platform.machine() != "x86_64":
        raise NotHereError(f"there is no User-Mode Linux for {platform.machine()}")
    folder = CACHE / "uml"
    if not (folder / "usr/bin/linux.uml").exists():
        say(f"fetching user-mode-linux into {folder} (once, 41 MB)")
        folder.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "download", "-q", "user-mode-linux"], cwd=folder)
        for package in folder.glob("user-mode-linux_*.deb"):
            run(["dpkg", "-x", package, folder])
    return folder


def check_display() -> list[str]:
    """All checks of i2c_stub.py in a User-Mode Linux; their lines."""
    root, folder = debian_root(), user_mode_linux()
    (root / "srv/modules").mkdir(exist_ok=True)
    for module in folder.glob("usr/lib/uml/modules/*/kernel/drivers/i2c/*.ko"):
        shutil.copy(module, root / "srv/modules")
    init = root / "srv/init.sh"
    init.write_text(INIT)
    init.chmod(0o755)
    options = f"root=/dev/root rootfstype=hostfs rootflags={root} rw mem=512M init=/srv/init.sh con=null con0=null,fd:1"
    said = run(
        [folder / "usr/bin/linux.uml", *options.split(), "ssl=null", "quiet", "mitigations=off"],
        timeout_s=180, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    lines = said.splitlines()
    if "DONE" not in lines:
        raise AssertionError(" / ".join(lines[-4:]))
    return [line.removeprefix("CHECK ") for line in lines if line.startswith("CHECK ")]


def say(text: str) -> None:
    """One line of progress."""
    print(f"check-hardware: {text}", flush=True)


def main() -> int:
    """Runs all parts; 1 when a check failed."""
    held, broken, left_out = 0, 0, 0

    def attempt(name: str, part: Callable[[], Sequence[str]]) -> bool:
        nonlocal held, broken, left_out
        try:
            for line in part():
                held += 1
                say(f"ok       {name}: {line}")
            return True
        except NotHereError as error:
            left_out += 1
            say(f"not run  {name}: {error}")
        except (AssertionError, subprocess.TimeoutExpired) as error:
            broken += 1
            say(f"FAILED   {name}: {error}")
        return False

    def prepare() -> Sequence[str]:
        root = debian_root()
        take_project(root)
        take_rolls(root / PROJECT)
        folder = root / "usr/share/libcamera/pipeline/virtual"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "virtual.yaml").write_text(CAMERA)
        return ["a Debian root with the project and rolls of the simulated tray"]

    if attempt("prepare", prepare):
        for name in CAMERA_CHECKS:
            attempt(f"camera {name}", lambda name=name: [check_camera(name)])
        attempt("display", check_display)
    say(f"{held} held, {broken} failed, {left_out} not run")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
