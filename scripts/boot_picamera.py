"""The installed service on the real picamera2 and libcamera's virtual camera, in a booted Debian 13.

Only the memory for the pictures is not the Pi's (virtual_camera.py); unit, hardening, picamera2 and libcamera are real.
"""

import json
import shutil
from pathlib import Path

from boot_container import Container, wait_until
from check_hardware import CAMERA, HANGS, PROJECT, SIZE_PX, WORKS

PACKAGES = "python3-libcamera python3-prctl python3-dev gcc libc6-dev libcap-dev kmod"
PYTHON = "/opt/mishimash/current/bin/python"
DROP_IN = "etc/systemd/system/mishimash.service.d/camera.conf"
START = f"/{PROJECT}/start.py"
CONFIG = f"""\
[camera]
source = "picamera2"
profile = "/etc/mishimash/virtual.toml"
width_px = {SIZE_PX[0]}
height_px = {SIZE_PX[1]}
[display]
sink = "png:/run/mishimash/screens"
[buttons]
source = "script:/etc/mishimash/nobody"
"""
# Two rolls in turn, each at rest for more than a second at 30 pictures a second. The pictures differ by noise: always
# the same bytes would be a frozen camera.
FRAMES_PER_ROLL = 40
MAKE_PICTURES = f"""
import cv2, json
from pathlib import Path
from companion import cli, demo
from hardware.scenery import View
from hardware.simulated import SimulatedTray
tray = SimulatedTray(3, view=View({SIZE_PX[0]}, {SIZE_PX[1]}, focal_px=980.0))
profile = Path("/etc/mishimash/virtual.toml")
demo.calibrated(tray, lambda folder, file: cli.make_profile(folder, file) or cli.make_profile(folder, profile))
rolls = Path("/{PROJECT}/rolls")
rolls.mkdir(exist_ok=True)
truth = []
for number in range(2 * {FRAMES_PER_ROLL}):
    if number % {FRAMES_PER_ROLL} == 0:
        tray.roll_picture()
        truth.append(sorted(die.face for die in tray.truth()))
    cv2.imwrite(str(rolls / f"{{number}}.jpg"), tray.frame().image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
print(json.dumps(truth))
"""
START_SERVICE = """\
import sys
import virtual_camera
virtual_camera.borrow_memory()
from companion.cli import main
sys.exit(main())
"""


def prepare(system: Container) -> list[list[int]]:
    """Gives the installed version picamera2, a virtual camera and a new game; the rolls before the camera."""
    system.run("systemctl stop mishimash && rm -f /var/lib/mishimash/games.db*")
    system.run(f"DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {PACKAGES}")
    system.run(f"{PYTHON} -m pip install --quiet picamera2", within_s=1800)
    project = system.root / PROJECT
    project.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("virtual_camera.py"), project)
    (project / "start.py").write_text(START_SERVICE, encoding="utf-8")
    (project / "pictures.py").write_text(MAKE_PICTURES, encoding="utf-8")
    virtual = system.root / "usr/share/libcamera/pipeline/virtual/virtual.yaml"
    virtual.parent.mkdir(parents=True, exist_ok=True)
    virtual.write_text(CAMERA, encoding="utf-8")
    (system.root / "etc/mishimash/config.toml").write_text(CONFIG, encoding="utf-8")
    (system.root / "etc/mishimash/nobody").write_text("wait 60\n" * 1000, encoding="utf-8")
    truth: list[list[int]] = json.loads(system.run(f"{PYTHON} /{PROJECT}/pictures.py").splitlines()[-1])
    system.run("chmod a+r /etc/mishimash/virtual.toml /etc/mishimash/*.png")
    return truth


def start(system: Container, malloc: str) -> None:
    """Starts the service anew on a virtual camera that works or hangs by what malloc leaves in memory."""
    drop_in = system.root / DROP_IN
    drop_in.parent.mkdir(exist_ok=True)
    lines = ["[Service]", f"Environment=GLIBC_TUNABLES={malloc}", "Environment=LIBCAMERA_LOG_LEVELS=*:ERROR",
             "ExecStart=", f"ExecStart={PYTHON} {START} play --config /etc/mishimash/config.toml"]  # fmt: skip
    drop_in.write_text("\n".join(lines) + "\n", encoding="utf-8")
    system.run("systemctl daemon-reload && systemctl restart mishimash")


def reads_rightly(system: Container, truth: list[list[int]]) -> bool:
    """Whether the service becomes ready and reads a roll rightly, and none wrongly, from picamera2's pictures."""

    def has_read() -> object:
        told = system.status()
        read = [one["values"] for one in told["readings"]]
        return told["devices"]["camera"] == "ok" and read and all(roll in truth for roll in read)

    start(system, WORKS)
    return wait_until(has_read, 40)


def lends(system: Container) -> bool:
    """Whether the service lets go of the camera when it is asked for it, and has it again afterwards."""

    def camera() -> str:
        return str(system.status()["devices"]["camera"])

    system.run("mishimash pause-camera")
    lent = wait_until(lambda: "lent" in camera(), 10)
    system.run("mishimash resume-camera")
    return lent and wait_until(lambda: camera() == "ok", 20)


def lives_with_a_hung_camera(system: Container) -> bool:
    """Whether a camera that never gives a picture is shown, and the service ready and alive beyond its watchdog."""
    # libcamera's virtual camera reads all its pictures when it is opened, and nobody can stop it meanwhile.
    system.run(f"find /{PROJECT}/rolls -name '*.jpg' ! -name '[0-3].jpg' -delete")
    start(system, HANGS)
    pid = system.show("MainPID")
    shown = wait_until(lambda: system.status()["devices"]["camera"] != "ok", 20)
    return shown and not wait_until(lambda: system.show("MainPID") != pid, 15)


def take_away(system: Container) -> None:
    """Takes the drop-in away."""
    (system.root / DROP_IN).unlink()
    system.run("systemctl daemon-reload")
