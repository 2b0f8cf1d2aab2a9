"""Boots Debian 12 and 13 in containers, installs the project with its own `make install`, and breaks what can break.

    sudo scripts/check_boot.py [SUITE…]

A game on the simulated tray goes on meanwhile; after each blow the service must be back and no record of the game lost.
Where no container boots or no package can be fetched it says so and leaves with 0, so that it may stand in `.ci/run`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import boot_picamera
from boot_container import BrokenError, Container, alone, wait_until
from boot_verdicts import Verdicts
from check_hardware import NotHereError

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mishimash-check-boot"
SUITES = ("bookworm", "trixie")
SOURCE = "/usr/src/mishimash"
UNIT = "/etc/systemd/system/mishimash.service"
GAMES = "/var/lib/mishimash/games.db"
PROFILE = "/etc/mishimash/tray.toml"
CONFIG = """\
[game]
players = ["Ana", "Bo"]
target = 9000
[camera]
source = "table"
[display]
sink = "png:/run/mishimash/screens"
[buttons]
source = "script:/etc/mishimash/script"
"""
# ROLL twice: one press may be needed to go on after a bust, and BANK before a throw opens the menu, which ROLL leaves.
SCRIPT = "roll\nroll\nbank\n" * 20_000
SPOILT = {
    "does not load": ("vision/read.py", "import nothing"),
    "did not start": ("companion/session.py", "run = lambda *args, **options: 3"),
}
# What the installation fetches: lists of apt, a package of apt, a package of pip.
FETCH = (
    "apt-get update -qq -o APT::Update::Error-Mode=any && apt-get install -y -qq python3-venv && "
    "python3 -m venv --clear /var/probe && /var/probe/bin/pip download -q --no-deps --no-cache-dir -d /var/probe pip"
)
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
READY_WITHIN_S, STOP_WITHIN_S, EXPOSURE_MOST = 4.0, 2.0, 2.5

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


def copy_source(system: Container) -> None:
    """The latest commit."""
    target = system.root / SOURCE.lstrip("/")
    target.mkdir(parents=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(target)], input=packed, check=True)


def power_cut(system: Container) -> None:
    system.kill()
    system.boot()


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
    was = system.run("readlink /opt/mishimash/current")
    system.run(f"sed -i 's/^version = .*/version = \"99.0\"/' {SOURCE}/pyproject.toml && make -C {SOURCE} install")
    kept = "own words" in system.run("cat /etc/mishimash/config.toml")
    return kept and system.run("readlink /opt/mishimash/current") != was


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


def go_through(system: Container, verdicts: Verdicts) -> None:
    """Everything on one freshly booted system; BrokenError when it cannot be gone on with."""
    say, say_time = verdicts.say, verdicts.say_time
    system.run(f"make -C {SOURCE} install", within_s=1800)
    say("installed by make install, and a game goes on", plays_on(system, []))
    said = system.run(f"systemd-analyze verify --man=no {UNIT}")
    say("systemd-analyze verify prints nothing", not said, said)
    say(f"exposure is at most {EXPOSURE_MOST}", exposure(system) <= EXPOSURE_MOST, f"({exposure(system)})")
    say("only root and the group may ask it", only_the_group_may_ask(system))
    say("goes on with a profile of its own", after(system, lambda: keep_profile(system)))
    say("SIGKILL", restarts_by_itself(system, "systemctl kill -s KILL mishimash", 10))
    say("a hang, ended by the watchdog", restarts_by_itself(system, "systemctl kill -s STOP mishimash", 40))
    say_time("stops", stop_s(system), STOP_WITHIN_S)
    say("goes on after stop and start", after(system, lambda: system.run("systemctl start mishimash")))
    say("goes on after a reload", after(system, lambda: system.run("mishimash reload")))
    say("goes on after a reboot", after(system, system.reboot))
    say_time("ready", ready_s(system), READY_WITHIN_S)
    say("goes on after the plug was pulled", after(system, lambda: power_cut(system)))
    say("a broken config ends it with 78 and it stays down", broken_config_stays_down(system))
    say("a full disk", survives_a_full_disk(system))
    say("upgrades in place, config untouched", after(system, lambda: say("upgrade", upgrades_in_place(system))))
    for why, (module, line) in SPOILT.items():
        say(f"an upgrade that {why} leaves the old", failed_upgrade_leaves_the_old(system, why, module, line))
    say("the game goes on after them", plays_on(system, records(system)))
    if system.name == "trixie":  # Debian 12 has no libcamera with a virtual camera
        truth = boot_picamera.prepare(system)
        say("reads from picamera2's virtual camera", boot_picamera.reads_rightly(system, truth))
        say("lives with a hung picamera2", boot_picamera.lives_with_a_hung_camera(system))
        say_time("stops with a hung picamera2", stop_s(system), STOP_WITHIN_S)
        boot_picamera.take_away(system)
    say("uninstalls and keeps the games", uninstalls_and_keeps_games(system))


def check(suite: str) -> list[str]:
    """Goes through everything on one system; the names of what failed. NotHereError when nothing can be said here."""
    began_s = time.monotonic()
    system = Container(suite, CACHE)
    settings = system.root / "etc/mishimash"
    settings.mkdir()
    (settings / "config.toml").write_text("# own words\n" + CONFIG, encoding="utf-8")
    (settings / "script").write_text(SCRIPT, encoding="utf-8")
    copy_source(system)
    verdicts = Verdicts(system)
    try:
        try:
            system.boot()
        except BrokenError as error:  # nothing of the project is in it yet
            raise NotHereError(f"no system boots: {error}") from error
        try:
            go_through(system, verdicts)
        except BrokenError as error:
            # An installation that failed for want of a network says nothing of the project.
            if not verdicts.failed and system.is_up():
                require_network(system)
            verdicts.say("goes through to the end", False, str(error))
    finally:
        system.kill()
    took_s, load = time.monotonic() - began_s, os.getloadavg()[1]
    print(f"check-boot: {suite}: {verdicts.in_short}; {took_s:.0f} s at load {load:.1f} on {os.cpu_count()} cores")
    return [f"{suite}: {name}" for name in verdicts.failed]


def require_network(system: Container) -> None:
    """NotHereError when neither this project nor any other could be installed in a system."""
    try:
        system.run(FETCH)
    except BrokenError as error:
        last = str(error).strip().splitlines()[-1]
        raise NotHereError(f"apt or pip can fetch nothing in {system.name}: {last}") from error


def main(suites: Sequence[str]) -> int:
    """0 when all went well or nothing can be checked here, 1 when something failed."""
    failed: list[str] = []
    try:
        with alone(CACHE):
            for suite in suites or SUITES:
                failed += check(suite)
    except NotHereError as error:
        print(f"check-boot: not run here: {error}")
    else:
        print(f"check-boot: {len(failed)} failed")
    for name in failed:
        print(f"  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
