"""The steps of `mishimash calibrate` that need no camera; each takes the arguments and returns the exit code."""

import argparse
from pathlib import Path

from calibration.board import Board
from calibration.check import checks_path, read_checks
from calibration.from_images import profile_from_images
from calibration.report import write_report
from calibration.sheet import write_sheet
from calibration.show import describe
from vision.profile import TrayProfile
from vision.profile_file import load_profile, save_profile, undo_profile


def sheet(args: argparse.Namespace) -> int:
    """Writes the board to print."""
    write_sheet(Board(square_mm=args.square), args.paper, args.out)
    print(f"wrote {args.out}: print it at 100 % and check its ruler")
    return 0


def from_images(args: argparse.Namespace) -> int:
    """Makes a profile from a folder of pictures."""
    profile = profile_from_images(args.folder, Board(square_mm=args.square))
    save_profile(profile, args.out)
    _print_rows(profile)
    print(f"wrote {args.out}")
    return 0


def show(args: argparse.Namespace) -> int:
    """The profile in words."""
    _print_rows(load_profile(args.profile))
    return 0


def report(args: argparse.Namespace) -> int:
    """The profile as one HTML page, with the profile before it beside."""
    before = Path(f"{args.profile}.1")
    profiles = [load_profile(args.profile), *([load_profile(before)] if before.exists() else [])]
    write_report(profiles, read_checks(checks_path(args.profile)), args.out)
    print(f"wrote {args.out}")
    return 0


def undo(args: argparse.Namespace) -> int:
    """Brings back the profile before."""
    undo_profile(args.profile)
    _print_rows(load_profile(args.profile))
    print(f"{args.profile} is the one before again; the one taken away is kept as the oldest")
    return 0


def _print_rows(profile: TrayProfile) -> None:
    for part, sentence in describe(profile):
        print(f"{part:8} {sentence}")
