"""The doctor's checks of camera, display, buttons and what this user may do with them."""

import errno
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress

from hardware.doctor import (
    Check,
    Wants,
    check_clock,
    check_heat,
    check_package,
    check_packages,
    check_profile,
    check_python,
    check_state,
)
from hardware.holders import holder
from hardware.panel import ADDRESSES, COMMAND, NOP
from hardware.ports import DeviceError

FAST_HZ = 400_000
SERVICE = "mishimash"


def examine(wants: Wants) -> list[Check]:
    """All checks that matter for what is wanted, in the order in which they should be mended."""
    return [
        check_python(),
        *check_packages(),
        *check_camera(wants),
        *check_display(wants),
        *check_buttons(wants),
        check_profile(wants),
        check_state(wants),
        check_clock(wants),
        *check_heat(wants),
        *check_service(),
    ]


def check_camera(wants: Wants) -> list[Check]:
    """The camera that the source names: there, which one, and who holds it."""
    kind, _, name = wants.camera.partition(":")
    if kind == "picamera2":
        package = check_package("picamera2", "picamera2", vital=True, command="sudo apt install python3-picamera2")
        return [package, *([_pi_camera()] if package.ok else [])]
    if kind == "v4l2":
        device = wants.path(f"/dev/video{name}")
        if not device.exists():
            mend = "plug the camera in, or give the number of one that is there"
            return [Check("camera", False, f"{device} is not there", mend, "v4l2-ctl --list-devices", vital=True)]
        return [_may_use("camera", wants, f"/dev/video{name}", "video", vital=True), _held(f"/dev/video{name}")]
    if kind in ("folder", "video"):
        return [Check("camera", os.path.exists(name), wants.camera, "there is no such file or folder", vital=True)]
    return [Check("camera", kind == "table", wants.camera, "name one of: picamera2, v4l2:N, table", vital=True)]


def _pi_camera() -> Check:
    from picamera2 import Picamera2

    found = Picamera2.global_camera_info()
    if not found:
        mend = "push the ribbon cable home at both ends, its contacts towards the board's; then start again"
        return Check("camera", False, "none is found", mend, "rpicam-hello --list-cameras", vital=True)
    models = ", ".join(str(info.get("Model", "?")) for info in found)
    held = _held("/dev/media")
    return Check("camera", held.ok, f"{models}; {held.says}", held.mend, held.command)


def _held(prefix: str) -> Check:
    who = holder([prefix])
    mend = "stop that first; the service itself may hold it while it runs"
    return Check("camera in use", not who, f"held by {who}" if who else "free", mend, f"sudo systemctl stop {SERVICE}")


def check_display(wants: Wants) -> list[Check]:
    """The display's bus, its speed, and whether a panel answers. None of it is vital: the game plays without."""
    if wants.display != "oled":
        return [Check("display", True, wants.display)]
    oled = wants.oled
    if oled.bus == "spi":
        return [_may_use("display", wants, f"/dev/spidev{oled.port}.0", "spi")]
    device = f"/dev/i2c-{oled.port}"
    bus = _may_use("display bus", wants, device, "i2c")
    if not wants.path(device).exists():
        mend = "switch I2C on, then start again"
        return [Check("display bus", False, f"{device} is not there", mend, "sudo raspi-config nonint do_i2c 0")]
    return [bus, *_speed(wants), *([_panel(wants)] if bus.ok else [])]


def _speed(wants: Wants) -> list[Check]:
    file = wants.path(f"/sys/class/i2c-adapter/i2c-{wants.oled.port}/of_node/clock-frequency")
    with suppress(OSError):
        hertz = int.from_bytes(file.read_bytes(), "big")
        mend = f"a picture takes {1100 * 9 / hertz * 1000:.0f} ms; put dtparam=i2c_arm_baudrate=400000 in config.txt"
        command = "echo dtparam=i2c_arm_baudrate=400000 | sudo tee -a /boot/firmware/config.txt"
        return [Check("display speed", hertz >= FAST_HZ, f"{hertz / 1000:.0f} kHz", mend, command)]
    return []


def _panel(wants: Wants) -> Check:
    import smbus2

    oled = wants.oled
    mend, command = "check its four wires: power, ground, SDA, SCL", f"i2cdetect -y {oled.port}"
    try:
        with smbus2.SMBus(str(wants.path(f"/dev/i2c-{oled.port}"))) as bus:
            for address in (oled.address,) if oled.address else ADDRESSES:
                try:
                    bus.write_i2c_block_data(address, COMMAND, [NOP])
                    return Check("display", True, f"answers at 0x{address:02X}")
                except OSError as error:
                    if error.errno == errno.ETIMEDOUT:
                        return Check("display", False, "the bus hangs", "SDA or SCL is loose or short", command)
    except OSError as error:
        return Check("display", False, f"the bus cannot be used ({error.strerror})", mend, command)
    return Check("display", False, "no panel answers", mend, command)


def check_buttons(wants: Wants) -> list[Check]:
    """The pins in the config, the GPIO chip, and whether this user may use it."""
    if wants.buttons != "gpio":
        return [Check("buttons", True, wants.buttons)]
    try:
        wants.wiring.check()
    except DeviceError as error:
        says, _, mend = str(error).partition("; ")
        return [Check("buttons", False, says, mend, vital=True)]
    chips = sorted(wants.path("/dev").glob("gpiochip*"))
    if not chips:
        mend = "this machine has no pins; use --buttons keyboard"
        return [Check("buttons", False, "no GPIO chip", mend, vital=True)]
    library = check_package("lgpio", "lgpio", vital=False, command="sudo apt install python3-lgpio")
    return [_may_use("buttons", wants, f"/dev/{chips[0].name}", "gpio", vital=True), library]


def _may_use(name: str, wants: Wants, device: str, group: str, vital: bool = False) -> Check:
    """Whether this user may read and write a device, and the group that would let them."""
    path = wants.path(device)
    if not path.exists():
        return Check(
            name, False, f"{device} is not there", "switch it on with raspi-config", "sudo raspi-config", vital
        )
    if os.access(path, os.R_OK | os.W_OK):
        return Check(name, True, device)
    mend = f"this user may not use {device}; join the group '{group}' and log in again"
    return Check(name, False, f"{device}: no permission", mend, f"sudo usermod -aG {group} $USER", vital)


Run = Callable[[list[str]], str]


def ask(command: list[str]) -> str:
    """What a command prints, without its errors; "" when there is no such command or it hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def check_service(run: Run = ask) -> list[Check]:
    """The state of the service, where it is installed."""
    state = run(["systemctl", "show", "--property=LoadState,ActiveState,Result", SERVICE])
    facts = dict(line.split("=", 1) for line in state.splitlines() if "=" in line)
    if facts.get("LoadState") != "loaded":
        return []
    active, result = facts.get("ActiveState", "unknown"), facts.get("Result", "")
    says = active if result in ("", "success") else f"{active} ({result})"
    return [Check("service", active != "failed", says, "see why it stopped", f"journalctl -u {SERVICE} -n 30")]
