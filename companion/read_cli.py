"""The command `mishimash read`: pictures in, readings out."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import InputError

if TYPE_CHECKING:
    from vision.reading import Reading


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `read` to the command line."""
    read = commands.add_parser(
        "read",
        help="read the dice on pictures",
        epilog="example: mishimash read roll-1.jpg --profile profile.toml --annotate seen/ --json",
    )
    read.add_argument("images", nargs="+", metavar="IMAGE", type=Path)
    read.add_argument("--profile", type=Path, metavar="FILE", help="the tray's profile, made by `mishimash calibrate`")
    read.add_argument("--expect", type=int, metavar="N", help="how many dice there should be")
    read.add_argument(
        "--annotate", type=Path, metavar="DIR", help="write the pictures with what was seen drawn on them"
    )
    read.add_argument("--json", action="store_true", help="one JSON object a picture")
    read.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads every picture; 0 when all could be read, 1 when one could not."""
    # Imported here: the other commands answer without waiting for OpenCV.
    import cv2

    from hardware.pictures import load_picture
    from hardware.ports import DeviceError
    from vision.overlay import annotate
    from vision.profile_file import load_profile
    from vision.read import Reader

    if args.expect is not None and not 0 <= args.expect <= 99:
        raise InputError(f"--expect is a number of dice, not {args.expect}")
    profile = load_profile(args.profile) if args.profile else None
    reader = Reader(profile)
    if args.annotate:
        _make_folder(args.annotate)
    failed = False
    drawn = set[str]()
    for path in args.images:
        try:
            image_bgr = load_picture(path)
            if profile and (profile.width_px, profile.height_px) != image_bgr.shape[1::-1]:
                raise DeviceError(
                    f"{path} is {image_bgr.shape[1]}×{image_bgr.shape[0]} pixels and the profile was made for "
                    f"{profile.width_px}×{profile.height_px}: use that size, or calibrate again"
                )
        except DeviceError as error:
            failed = True
            _say({"file": str(path), "status": "error", "values": [], "dice": [], "reasons": [str(error)]}, args.json)
            continue
        began_s = time.perf_counter()
        reading = reader.read(image_bgr, args.expect)
        took_ms = (time.perf_counter() - began_s) * 1000
        _say(row(str(path), reading, took_ms), args.json)
        if args.annotate:
            name = path.stem if path.stem not in drawn else f"{path.stem}-{len(drawn) + 1}"
            drawn.add(name)
            if not cv2.imwrite(str(args.annotate / f"{name}.png"), annotate(image_bgr, reading)):
                raise InputError(f"cannot write into {args.annotate}: is there room, and may you write there?")
    return int(failed)


def row(file: str, reading: "Reading", took_ms: float) -> dict[str, Any]:
    """One picture's reading as the JSON row of CONTRACT's `read`."""
    return {
        "file": file,
        "status": reading.status,
        "values": list(reading.values),
        "ms": round(took_ms, 1),
        "dice": [
            {
                "value": die.face,
                "confidence": round(die.confidence, 3),
                "x": round(die.x_px, 1),
                "y": round(die.y_px, 1),
                "size": round(die.size_px, 1),
                "angle": round(die.angle_deg, 1),
                "cocked": die.cocked,
            }
            for die in reading.dice
        ],
        "reasons": list(reading.reasons),
    }


def _say(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), flush=True)
    elif row["status"] == "error":
        print(f"error: {row['reasons'][0]}")
    else:
        values = " ".join(map(str, row["values"]))
        why = f" ({'; '.join(row['reasons'])})" if row["reasons"] else ""
        print(f"{row['file']}: {row['status']} {values}".rstrip() + why)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
