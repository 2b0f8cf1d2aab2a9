"""Boots Debian 12 and 13 in containers, installs the project with its own `make install`, and breaks what can break.

    sudo scripts/check_boot.py [SUITE…]

A game on the simulated tray goes on meanwhile; after each blow the service must be back and no record of the game lost.
Where no container boots or no package can be fetched it says so and leaves with 0, so that it may stand in `.ci/run`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import boot_blows as blows
import boot_picamera
from boot_blows import SOURCE
from boot_container import BrokenError, Container, alone
from boot_verdicts import Verdicts
from check_hardware import NotHereError

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mishimash-check-boot"
SUITES = ("bookworm", "trixie")
UNIT = "/etc/systemd/system/mishimash.service"
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
READY_WITHIN_S, STOP_WITHIN_S, EXPOSURE_MOST = 4.0, 2.0, 2.5


def copy_source(system: Container) -> None:
    """The latest commit."""
    target = system.root / SOURCE.lstrip("/")
    target.mkdir(parents=True)
    git = ("git", "-c", f"safe.directory={ROOT}")  # root may not own the clone
    packed = subprocess.run([*git, "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(target)], input=packed, check=True)


def go_through(system: Container, verdicts: Verdicts) -> None:
    """Everything on one freshly booted system; BrokenError when it cannot be gone on with."""
    say, say_time = verdicts.say, verdicts.say_time
    system.run(f"make -C {SOURCE} install", within_s=1800)
    say("installed by make install, and a game goes on", blows.plays_on(system, []))
    said = system.run(f"systemd-analyze verify --man=no {UNIT}")
    say("systemd-analyze verify prints nothing", not said, said)
    say(f"exposure is at most {EXPOSURE_MOST}", blows.exposure(system) <= EXPOSURE_MOST, f"({blows.exposure(system)})")
    say("only root and the group may ask it", blows.only_the_group_may_ask(system))
    say("goes on with a profile of its own", blows.after(system, lambda: blows.keep_profile(system)))
    say("SIGKILL", blows.restarts_by_itself(system, "systemctl kill -s KILL mishimash", 10))
    say("a hang, ended by the watchdog", blows.restarts_by_itself(system, "systemctl kill -s STOP mishimash", 40))
    say_time("stops", blows.stop_s(system), STOP_WITHIN_S)
    say("goes on after stop and start", blows.after(system, lambda: system.run("systemctl start mishimash")))
    say("goes on after a reload, in the same process", blows.reloads(system, restarts=False))
    say("goes on after a reload of another config", blows.reloads(system, restarts=True))
    say("goes on after a reboot", blows.after(system, system.reboot))
    say_time("ready", blows.ready_s(system), READY_WITHIN_S)
    say("goes on after the plug was pulled", blows.after(system, lambda: blows.power_cut(system)))
    say("a broken config ends it with 78 and it stays down", blows.broken_config_stays_down(system))
    say("a full disk", blows.survives_a_full_disk(system))
    say("upgrades in place, config untouched", blows.upgrades_in_place(system))
    say("enables bus and camera, once", blows.devices_enabled(system))
    for why, (module, line) in SPOILT.items():
        say(f"an upgrade that {why} leaves the old", blows.failed_upgrade_leaves_the_old(system, why, module, line))
    say("the game goes on after them", blows.plays_on(system, blows.records(system)))
    if system.name == "trixie":  # Debian 12 has no libcamera with a virtual camera
        truth = boot_picamera.prepare(system)
        say("reads from picamera2's virtual camera", boot_picamera.reads_rightly(system, truth))
        say("lends picamera2 to another program", boot_picamera.lends(system))
        say("lives with a hung picamera2", boot_picamera.lives_with_a_hung_camera(system))
        say_time("stops with a hung picamera2", blows.stop_s(system), STOP_WITHIN_S)
        boot_picamera.take_away(system)
    say("exit code 73 switches the machine off", blows.powers_off(system))
    say("uninstalls and keeps the games", blows.uninstalls_and_keeps_games(system))
    say("with PURGE=1 games and settings go too", blows.purges(system))


def check(suite: str) -> list[str]:
    """Goes through everything on one system; the names of what failed. NotHereError when nothing can be said here."""
    began_s = time.monotonic()
    system = Container(suite, CACHE)
    settings = system.root / "etc/mishimash"
    settings.mkdir()
    (settings / "config.toml").write_text("# own words\n" + CONFIG, encoding="utf-8")
    (settings / "script").write_text(SCRIPT, encoding="utf-8")
    blows.make_firmware(system)
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
