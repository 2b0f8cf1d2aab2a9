"""`mishimash calibrate`: the commands."""

import argparse
import sys
from pathlib import Path

from calibration.board import Board
from calibration.errors import CalibrationError
from calibration.from_images import profile_from_images
from calibration.verdict import doubts
from hardware.ports import DeviceError
from vision.profile_file import ProfileError, save_profile

ERRORS = (CalibrationError, DeviceError, ProfileError)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `calibrate` and its steps; each sets `run`, a function from the arguments to the exit code."""
    calibrate = commands.add_parser("calibrate", help="fit the optics: make or judge the tray's profile")
    steps = calibrate.add_subparsers(dest="step", metavar="STEP", required=True)
    images = steps.add_parser("from-images", help="make a profile from a folder of pictures, without a camera")
    images.add_argument("folder", type=Path, metavar="DIR", help="holds board.jpg, empty.jpg and roll-*.jpg")
    images.add_argument("--out", type=Path, required=True, metavar="FILE", help="the profile to write")
    images.set_defaults(run=from_images)


def from_images(args: argparse.Namespace) -> int:
    profile = profile_from_images(args.folder, Board())
    save_profile(profile, args.out)
    for sentence in doubts(profile):
        print(f"doubt: {sentence}", file=sys.stderr)
    print(f"wrote {args.out}")
    return 0
