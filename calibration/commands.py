"""The steps of `mishimash calibrate` that need no camera; each takes the arguments and returns the exit code."""

import argparse

from calibration.board import Board
from calibration.from_images import profile_from_images
from calibration.sheet import write_sheet
from calibration.show import print_rows
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
    print_rows(profile)
    print(f"wrote {args.out}")
    return 0


def undo(args: argparse.Namespace) -> int:
    """Brings back the profile before."""
    undo_profile(args.profile)
    print_rows(load_profile(args.profile))
    print(f"{args.profile} is the one before again; the one taken away is kept as the oldest")
    return 0
