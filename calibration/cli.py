"""`mishimash calibrate`: the command line. What the steps do is in `commands` and, before a camera, in `live`."""

import argparse
import importlib
import os
from collections.abc import Callable
from pathlib import Path

GUIDED = "all steps in order, asking what to lay where"
STEPS = {
    "lens": "several tilted views of the board: focal length and distortion (optional)",
    "tray": "the board flat in the tray: where the camera is, the scale in mm",
    "light": "the empty tray: exposure, noise, glare",
    "dice": "three rolls of your dice: their size and pips",
}


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `calibrate` and its steps; each sets `run`, from the arguments to the exit code. Needs no OpenCV."""
    calibrate = commands.add_parser(
        "calibrate",
        help="fit camera, tray and dice: make or judge the tray's profile",
        description=f"Without a STEP: {GUIDED}.",
        epilog="example: mishimash calibrate --camera table --profile profile.toml",
    )
    _at_the_table(calibrate)
    calibrate.set_defaults(run=_runs("live", "guided"))
    steps = calibrate.add_subparsers(dest="step", metavar="STEP")

    sheet = steps.add_parser(
        "sheet", help="the board to print", epilog="example: mishimash calibrate sheet --out board.pdf"
    )
    sheet.add_argument("--out", type=Path, required=True, metavar="FILE", help="a .pdf or .png file")
    sheet.add_argument("--paper", choices=("a4", "letter"), default="a4")
    _square(sheet, again=True)
    sheet.set_defaults(run=_runs("commands", "sheet"))

    for name, does in STEPS.items():
        step = steps.add_parser(name, help=does, epilog=f"example: mishimash calibrate {name} --profile profile.toml")
        _at_the_table(step, again=True)
        step.set_defaults(run=_runs("live", name))

    check = steps.add_parser(
        "check",
        help="read rolls, or pictures of them, and say whether the profile is fit for play",
        epilog="example: mishimash calibrate check roll-*.jpg --profile profile.toml",
    )
    check.add_argument("images", nargs="*", type=Path, metavar="IMAGE", help="pictures instead of the camera")
    check.add_argument("--rolls", type=_rolls, default=5, metavar="N", help="how many rolls to read from the camera")
    check.add_argument("--out", type=Path, metavar="FILE", help="the numbers, a JSON line a roll (beside the profile)")
    _at_the_table(check, again=True)
    check.set_defaults(run=_runs("live", "check"))

    show = steps.add_parser(
        "show",
        help="the profile in words; with --camera also what has changed since",
        epilog="example: mishimash calibrate show --profile profile.toml --camera picamera2",
    )
    _at_the_table(show, again=True)
    show.set_defaults(run=_runs("live", "show"))

    report = steps.add_parser(
        "report",
        help="the profile as one HTML page; with --camera also what has changed since",
        epilog="example: mishimash calibrate report --out report.html",
    )
    report.add_argument("--out", type=Path, required=True, metavar="FILE", help="the .html file to write")
    _at_the_table(report, again=True)
    report.set_defaults(run=_runs("live", "report"))

    undo = steps.add_parser(
        "undo",
        help="bring back the profile before",
        epilog="example: mishimash calibrate undo --profile profile.toml",
    )
    _profile(undo, again=True)
    undo.set_defaults(run=_runs("commands", "undo"))

    images = steps.add_parser(
        "from-images",
        help="make a profile from pictures, without a camera",
        epilog="example: mishimash calibrate from-images pictures/ --out profile.toml",
    )
    images.add_argument("folder", type=Path, metavar="DIR", help="holds board.jpg, empty.jpg and roll-*.jpg")
    images.add_argument("--out", type=Path, required=True, metavar="FILE", help="the profile to write")
    _square(images, again=True)
    images.set_defaults(run=_runs("commands", "from_images"))


def _at_the_table(parser: argparse.ArgumentParser, again: bool = False) -> None:
    """Options of every step before a camera. `again`: given after the step they win, left out they change nothing."""
    _profile(parser, again)
    _square(parser, again)
    parser.add_argument(
        "--size",
        type=_size,
        default=argparse.SUPPRESS if again else None,
        metavar="WxH",
        help="of the Pi camera's pictures (the profile's, else 1024x768); the game takes the profile's",
    )
    for option, default, metavar, does in (
        ("--camera", "", "SOURCE", "picamera2 (where none is named), table, folder:DIR, video:FILE, v4l2:N"),
        ("--buttons", "", "SOURCE", "answer with these instead of the terminal: gpio, keyboard, script:FILE"),
        ("--display", "", "SINK", "ask on this display, with --buttons: oled, terminal, png:DIR"),
    ):
        parser.add_argument(option, default=argparse.SUPPRESS if again else default, metavar=metavar, help=does)


def _profile(parser: argparse.ArgumentParser, again: bool = False) -> None:
    parser.add_argument(
        "--profile",
        type=Path,
        default=argparse.SUPPRESS if again else usual_profile(),
        metavar="FILE",
        help=f"the profile to read and write ({usual_profile()})".replace("%", "%%"),
    )


def _square(parser: argparse.ArgumentParser, again: bool = False) -> None:
    parser.add_argument(
        "--square",
        type=_millimetres,
        default=argparse.SUPPRESS if again else 20.0,
        metavar="MM",
        help="side of the board's squares as printed (20)",
    )


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) >= 160 and int(height) >= 120):
        raise argparse.ArgumentTypeError(f"expected a size in pixels like 1024x768, not {text!r}")
    return int(width), int(height)


def _rolls(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 1000):
        raise argparse.ArgumentTypeError(f"expected how many rolls, 1 to 1000, not {text!r}")
    return int(text)


def _millimetres(text: str) -> float:
    try:
        mm = float(text)
    except ValueError:
        mm = 0.0
    if not 5 <= mm <= 60:
        raise argparse.ArgumentTypeError(f"expected 5 to 60 millimetres, not {text!r}")
    return mm


def _runs(module: str, command: str) -> Callable[[argparse.Namespace], int]:
    """The command, imported when it is run: the other programs start without waiting for OpenCV."""

    def run(args: argparse.Namespace) -> int:
        return int(getattr(importlib.import_module(f"calibration.{module}"), command)(args))

    return run


def usual_profile() -> Path:
    """The profile used where none is named: in the state folder of the service, or in the owner's own."""
    state = os.environ.get("STATE_DIRECTORY", "")
    own = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "mishimash"
    return (Path(state) if state else own) / "profile.toml"
