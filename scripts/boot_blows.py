"""What an owner, a program or the weather does to an installed service, and whether it lives with it."""

import time
from collections.abc import Callable

from boot_container import BrokenError, Container, wait_until

SOURCE = "/usr/src/mishimash"
GAMES = "/var/lib/mishimash/games.db"
PROFILE = "/etc/mishimash/tray.toml"
DROP_IN = "etc/systemd/system/mishimash.service.d/check.conf"
FIRMWARE = "boot/firmware/config.txt"
MAKE_PROFILE = f"""
from pathlib import Path
from companion import cli, demo
from hardware.cameras import open_camera
def make(folder, file):
    return cli.make_profile(folder, file) or cli.make_profile(folder, Path("{PROFILE}"))
demo.calibrated(open_camera("table"), make)
"""
READ_RECORDS = f"""
import sqlite3
for row in sqlite3.connect("file:{GAMES}?mode=ro", uri=True).execute("SELECT record FROM records ORDER BY number"):
    print(row[0])
"""

# As an owner may have left it: what is added must not become part of the last line, nor count for one board only.
FIRMWARE_TEXT = "dtparam=audio=on\n[pi4]\ncamera_auto_detect=1\n[cm5]\ndtoverlay=dwc2,dr_mode=host"
ENABLED = "\n[all]\ndtparam=i2c_arm=on\ndtparam=i2c_arm_baudrate=400000\ncamera_auto_detect=1\n"

Records = list[str]


def records(system: Container) -> Records:
    """Every record of the log, read beside the running service."""
    return system.run(f"/usr/bin/python3 -c '{READ_RECORDS}'").splitlines()


def plays_on(system: Container, before: Records) -> bool:
    """Whether the service is ready, no record is lost, and new ones are added."""
    if not wait_until(lambda: system.show("ActiveState")["ActiveState"] == "active", 40):
        return False
    if records(system)[: len(before)] != before:
        return False
    return wait_until(lambda: len(records(system)) > len(before), 30)


def ready_s(system: Container) -> float:
    """How long the service took from its start to ready."""
    times = system.show("InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    return (int(times["ActiveEnterTimestampMonotonic"]) - int(times["InactiveExitTimestampMonotonic"])) / 1e6


def after(system: Container, blow: Callable[[], object]) -> bool:
    """Whether the game goes on after a blow."""
    before = records(system)
    blow()
    return plays_on(system, before)


def restarts_by_itself(system: Container, blow: str, within_s: float) -> bool:
    """Whether systemd starts the service anew after a blow, without anybody's help."""

    def count() -> int:
        return int(system.show("NRestarts")["NRestarts"])

    was, before = count(), records(system)
    system.run(blow)
    return wait_until(lambda: count() > was, within_s) and plays_on(system, before)


def power_cut(system: Container) -> None:
    system.kill()
    system.boot()


def make_firmware(system: Container) -> None:
    """Gives it the file that a Raspberry Pi boots with."""
    file = system.root / FIRMWARE
    file.parent.mkdir()
    file.write_text(FIRMWARE_TEXT, encoding="utf-8")


def devices_enabled(system: Container) -> bool:
    """Whether the bus and the camera are, by lines that were added once in all installations."""
    return (system.root / FIRMWARE).read_text(encoding="utf-8") == FIRMWARE_TEXT + ENABLED


def reloads(system: Container, *, restarts: bool) -> bool:
    """Whether a game goes on after a reload, of another config in a new process, of the same in this one."""
    if restarts:
        system.run("sed -i 's/^target = .*/&\\nlanguage = \"de\"/' /etc/mishimash/config.toml")
    pid = system.show("MainPID")
    went_on = after(system, lambda: system.run("mishimash reload && sleep 1"))
    return went_on and (system.show("MainPID") != pid) == restarts


def powers_off(system: Container) -> bool:
    """Whether the unit answers the exit code of "power off" in the menu, from a program that does no more."""
    file = system.root / DROP_IN
    file.parent.mkdir(exist_ok=True)
    file.write_text("[Service]\nType=exec\nExecStart=\nExecStart=/bin/sh -c 'exit 73'\n", encoding="utf-8")
    system.run("systemctl daemon-reload && systemctl restart mishimash", check=False)
    went_down = system.goes_down()
    file.unlink()
    system.boot()
    return went_down


def keep_profile(system: Container) -> None:
    """Calibrates once, as an owner does; without a profile the simulated tray is calibrated at every start."""
    system.run(f"/opt/mishimash/current/bin/python -c '{MAKE_PROFILE}'")
    system.run(f"sed -i 's,^source = \"table\",&\\nprofile = \"{PROFILE}\",' /etc/mishimash/config.toml")
    system.run("systemctl restart mishimash")


def stop_s(system: Container) -> float:
    """How long a stop took; BrokenError when it was no clean one."""
    began_s = time.monotonic()
    system.run("systemctl stop mishimash")
    took_s = time.monotonic() - began_s
    if (result := system.show("Result")["Result"]) != "success":
        raise BrokenError(f"the service was stopped with {result}")
    return took_s


def broken_config_stays_down(system: Container) -> bool:
    """Exit code 78, no loop; a reload of it changes nothing; mended, it starts."""
    system.run("cp /etc/mishimash/config.toml /etc/mishimash/good && echo 'plaiers = 2' >>/etc/mishimash/config.toml")
    refused = "nothing changed" in system.run("mishimash reload", check=False)
    system.run("systemctl restart mishimash", check=False)
    down = wait_until(lambda: system.show("ActiveState")["ActiveState"] == "failed", 10)
    time.sleep(3)
    told = system.show("ExecMainStatus", "NRestarts", "ActiveState")
    system.run("mv /etc/mishimash/good /etc/mishimash/config.toml && systemctl restart mishimash")
    return refused and down and told == {"ExecMainStatus": "78", "NRestarts": "0", "ActiveState": "failed"}


def upgrades_in_place(system: Container) -> bool:
    """Whether another version runs afterwards, with the same config and the same game."""
    before, was = records(system), system.run("readlink /opt/mishimash/current")
    system.run(f"sed -i 's/^version = .*/version = \"99.0\"/' {SOURCE}/pyproject.toml && make -C {SOURCE} install")
    kept = "own words" in system.run("cat /etc/mishimash/config.toml")
    return kept and system.run("readlink /opt/mishimash/current") != was and plays_on(system, before)


def failed_upgrade_leaves_the_old(system: Container, why: str, module: str, line: str) -> bool:
    """With a line added to a module, for which the installation fails and says why; it is taken away again."""
    was = system.run("readlink /opt/mishimash/current")
    system.run(f"cd {SOURCE} && cp {module} good && echo '{line}' >>{module}")
    said = system.run(f"make -C {SOURCE} install && echo IT WAS INSTALLED", check=False)
    system.run(f"cd {SOURCE} && mv good {module}")
    refused = f"the new version {why}" in said and "IT WAS INSTALLED" not in said
    return refused and system.run("readlink /opt/mishimash/current") == was


def survives_a_full_disk(system: Container) -> bool:
    """On a state folder of 4 MB that somebody fills: the trouble is shown, the service lives, and it goes away."""
    system.run("systemctl stop mishimash && mount -t tmpfs -o size=4m,mode=750 games /var/lib/mishimash")
    system.run("chown mishimash: /var/lib/mishimash && systemctl start mishimash")
    system.run("dd if=/dev/zero of=/var/lib/mishimash/filler bs=4k 2>/dev/null", check=False)
    pid = system.show("MainPID")
    troubled = wait_until(lambda: system.status()["devices"]["storage"] != "ok", 30)
    system.run("rm /var/lib/mishimash/filler")
    mended = wait_until(lambda: system.status()["devices"]["storage"] == "ok", 30)
    same = system.show("MainPID") == pid
    system.run("systemctl stop mishimash && umount /var/lib/mishimash && systemctl start mishimash")
    return troubled and mended and same


def only_the_group_may_ask(system: Container) -> bool:
    others = system.run("setpriv --reuid nobody --regid nogroup --clear-groups mishimash status", check=False)
    return "you may not use" in others and "error" not in system.status()


def exposure(system: Container) -> float:
    return float(system.run("systemd-analyze security mishimash --no-pager").splitlines()[-1].split(":")[1].split()[0])


def uninstalls_and_keeps_games(system: Container) -> bool:
    system.run(f"make -C {SOURCE} uninstall")
    gone = system.run("ls /opt/mishimash /etc/systemd/system/mishimash.service; true")
    return gone.count("No such file") == 2 and "games.db" in system.run("ls /var/lib/mishimash")


def purges(system: Container) -> bool:
    system.run(f"make -C {SOURCE} uninstall PURGE=1")
    gone = system.run("ls /etc/mishimash /var/lib/mishimash; getent passwd mishimash || echo No such file; true")
    return gone.count("No such file") == 3
