"""The steps of `mishimash calibrate` before a camera; each takes the arguments and returns the exit code."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from calibration import steps
from calibration.board import Board
from calibration.check import (
    RollCheck,
    check_roll,
    checks_path,
    faults,
    read_checks,
    roll_line,
    verdict_line,
    write_checks,
)
from calibration.compare import since
from calibration.errors import CalibrationError
from calibration.lend import borrowed
from calibration.make import check_size
from calibration.prompt import Prompter, Stopped, TablePrompter, TerminalPrompter
from calibration.report import write_report
from calibration.scene import scene_of
from calibration.show import print_rows
from calibration.verdict import doubts, lacks
from hardware.buttons import open_buttons
from hardware.cameras import open_camera
from hardware.displays import open_display
from hardware.locks import Locks
from hardware.picamera import PiSettings
from hardware.pictures import load_picture
from vision.profile import TrayProfile
from vision.profile_file import ProfileError, load_profile, save_profile
from vision.read import Reader


def guided(args: argparse.Namespace) -> int:
    """All steps in order."""
    known = _replaced(args)
    with _table(args, known) as table:
        profile, checks = steps.guided(table, known)
        _keep(table.prompter, profile, args.profile)
        write_checks(checks, checks_path(args.profile))
        table.prompter.tell(verdict_line(checks))
        return int(any(check.wrong for check in checks))


def lens(args: argparse.Namespace) -> int:
    """Measures the lens."""
    known = _replaced(args)
    with _table(args, known) as table:
        _keep(table.prompter, steps.lens_step(table, known), args.profile)
    return 0


def tray(args: argparse.Namespace) -> int:
    """Finds where the camera is."""
    known = _replaced(args)
    with _table(args, known) as table:
        _keep(table.prompter, steps.tray_step(table, known), args.profile)
    return 0


def light(args: argparse.Namespace) -> int:
    """Locks the camera to the light and takes the empty tray."""
    known = _known(args)
    with _table(args, known) as table:
        _keep(table.prompter, steps.light_step(table, known), args.profile)
    return 0


def dice(args: argparse.Namespace) -> int:
    """Learns the dice and reads them back."""
    known = load_profile(args.profile)
    with _table(args, known, as_played=True) as table:
        profile, checks = steps.dice_step(table, known)
        _keep(table.prompter, profile, args.profile)
        write_checks(checks, checks_path(args.profile))
    return 0


def check(args: argparse.Namespace) -> int:
    """Reads rolls and says whether the profile is fit for play; 1 when it is not."""
    profile = load_profile(args.profile)
    checks = _checks_of_images(args.images, profile) if args.images else _checks_of_camera(args, profile)
    out = args.out or checks_path(args.profile)
    write_checks(checks, out)
    print(f"{verdict_line(checks)}\nwrote {out}")
    return int(bool(faults(checks)))


def show(args: argparse.Namespace) -> int:
    """The profile in words."""
    profile = load_profile(args.profile)
    print_rows(profile, _now(args, profile))
    return 0


def report(args: argparse.Namespace) -> int:
    """The profile as one HTML page, with the profile before it beside."""
    before = Path(f"{args.profile}.1")
    profiles = [load_profile(args.profile), *([load_profile(before)] if before.exists() else [])]
    write_report(profiles, read_checks(checks_path(args.profile)), _now(args, profiles[0]), args.out)
    print(f"wrote {args.out}")
    return 0


def _now(args: argparse.Namespace, profile: TrayProfile) -> str:
    """What the camera, if one is named, says of the profile now."""
    if not args.camera:
        return ""
    with _table(args, profile, as_played=True) as table:
        picture = table.scene.look()
    check_size(profile, picture, f"camera {args.camera}")
    return since(profile, picture)


def _checks_of_images(images: list[Path], profile: TrayProfile) -> tuple[RollCheck, ...]:
    reader, checks = Reader(profile), []
    for path in images:
        picture = load_picture(path)
        check_size(profile, picture, str(path))
        checks.append(check_roll(path.name, picture, reader.read(picture)))
        print(roll_line(checks[-1]))
    return tuple(checks)


def _checks_of_camera(args: argparse.Namespace, profile: TrayProfile) -> tuple[RollCheck, ...]:
    with _table(args, profile, as_played=True) as table:
        checks: tuple[RollCheck, ...] = ()
        for number in range(1, args.rolls + 1):
            checks += steps.confirm(table, profile, [table.scene.roll(number)], first=number)
        return checks


@contextmanager
def _table(args: argparse.Namespace, profile: TrayProfile | None, as_played: bool = False) -> Iterator[steps.Table]:
    """The camera opened and the owner reachable; all given back at the end. The owner's stop is an error in a line.

    `as_played`: the Pi's camera holds what the profile has locked, else it settles anew on what it sees. A running
    service lends its camera for that long, and starts with the profile if it has changed.
    """
    before, source = _stamp(args.profile), args.camera or "picamera2"
    with ExitStack() as parts:
        prompter: Prompter = TerminalPrompter(sys.stdin, sys.stdout)
        if args.buttons or args.display:
            buttons = parts.enter_context(closing(open_buttons(args.buttons or "keyboard")))
            display = parts.enter_context(closing(open_display(args.display or "terminal")))
            prompter = TablePrompter(buttons, display)
        loan = parts.enter_context(borrowed(source))
        pi = _pi_settings(args.size, profile, as_played)
        camera = parts.enter_context(closing(open_camera(source, pi=pi, real_time=False)))
        try:
            yield steps.Table(scene_of(camera, source, prompter), prompter, Board(square_mm=args.square))
            loan.profile_changed = _stamp(args.profile) != before
        except Stopped:
            raise CalibrationError("stopped; the profile is as it was before") from None


def _pi_settings(size_px: tuple[int, int] | None, profile: TrayProfile | None, as_played: bool) -> PiSettings:
    if profile is None:
        return PiSettings(*size_px) if size_px else PiSettings()
    width_px, height_px = size_px or (profile.width_px, profile.height_px)
    if not as_played:
        return PiSettings(width_px, height_px)
    locks = Locks(**asdict(profile.exposure)) if profile.exposure else None
    return PiSettings(width_px, height_px, locks=locks, model=profile.camera)


def _stamp(profile: Path) -> int:
    """Changes with each writing of the profile; 0 when there is none."""
    return profile.stat().st_mtime_ns if profile.exists() else 0


def _known(args: argparse.Namespace) -> TrayProfile | None:
    """The profile so far, when there is one that this program can read."""
    return load_profile(args.profile) if args.profile.exists() else None


def _replaced(args: argparse.Namespace) -> TrayProfile | None:
    """The profile so far, for a step that begins one: what cannot be read is told and then is as good as none."""
    try:
        return _known(args)
    except ProfileError as error:
        print(f"not used: {error}", file=sys.stderr)
        return None


def _keep(prompter: Prompter, profile: TrayProfile, path: Path) -> None:
    save_profile(replace(profile, lacks=lacks(profile)), path)
    for sentence in (*lacks(profile), *doubts(profile)):
        prompter.tell(f"{sentence}.")
    prompter.tell(f"Wrote {path}.")
