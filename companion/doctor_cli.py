"""The command `mishimash doctor`: what this machine lacks for a game, and trying its devices one by one."""

import argparse
import time
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from companion.config import Config, load_config

POLL_S = 0.005


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `doctor` to the command line."""
    doctor = commands.add_parser(
        "doctor",
        help="check what a game needs of this machine; exit 1 when something stands in its way",
        epilog="example: mishimash doctor --fix-hints --config /etc/mishimash/config.toml",
    )
    doctor.add_argument("--config", type=Path, metavar="FILE", help="the owner's settings")
    doctor.add_argument("--fix-hints", action="store_true", help="print the commands that mend what is wrong")
    doctor.add_argument(
        "--camera", nargs="?", const="", metavar="SOURCE", help="take a picture and judge its sharpness and exposure"
    )
    doctor.add_argument("--display", action="store_true", help="draw a test card on the display for ten seconds")
    doctor.add_argument("--buttons", action="store_true", help="say what is pressed, until Ctrl-C")
    doctor.add_argument("--out", default="doctor.png", metavar="FILE", help="where --camera saves its picture")
    doctor.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Checks everything, or tries the devices that are named."""
    config = load_config(args.config) if args.config else Config()
    if args.camera is None and not args.display and not args.buttons:
        return _examine(config, args.fix_hints)
    well = True
    if args.camera is not None:
        well = _try_camera(args.camera or config.camera.source, config, args.out)
    if args.display:
        well = _try_display(config) and well
    if args.buttons:
        _try_buttons(config)
    return 0 if well else 1


def _examine(config: Config, fix_hints: bool) -> int:
    from companion.devices import oled_settings, wiring
    from hardware.doctor import Check, Wants, as_table, failed
    from hardware.doctor_devices import examine

    wants = Wants(
        config.camera.source,
        config.display.sink,
        config.buttons.source,
        oled_settings(config.display),
        wiring(config.buttons),
        _profile_file(config),
        config.state.named or config.state.usual,
    )
    fonts = [file.name for file in files("companion.fonts").iterdir() if file.name.endswith(".pcf.gz")]
    mend = "install this program again: its package is not whole"
    checks = [*examine(wants), Check("fonts", bool(fonts), f"{len(fonts)} files", mend, vital=True)]
    print(as_table(checks, fix_hints))
    return 1 if failed(checks) else 0


def _profile_file(config: Config) -> str:
    """The profile that the game would take, "" when there is none."""
    usual = config.state.profile
    return config.camera.profile or (str(usual) if usual.is_file() else "")


def _try_camera(source: str, config: Config, out: str) -> bool:
    import cv2

    from companion.devices import pi_settings
    from hardware.cameras import open_camera
    from hardware.ports import DeviceError
    from hardware.tries import judged
    from vision.profile_file import load_profile

    # As in the game: what the profile locks is locked here too.
    profile = load_profile(file) if (file := _profile_file(config)) else None
    with closing(open_camera(source, pi=pi_settings(config.camera, profile))) as camera:
        image = camera.frame().image_bgr
    says, good = judged(image)
    try:
        written = cv2.imwrite(out, image)
    except cv2.error:
        written = False
    if not written:
        raise DeviceError(f"{out}: cannot be written; give a name that ends in .png or .jpg in a folder that is there")
    print(f"camera {source}: {says}; saved as {out}")
    return good


def _try_display(config: Config) -> bool:
    from companion.devices import oled_settings
    from hardware.panel import LumaPanel
    from hardware.tries import card_of_size

    panel = LumaPanel(oled_settings(config.display))
    panel.draw(card_of_size((config.display.width_px, config.display.height_px)))
    print("display: frame, cross, dots and the word UP must be seen whole and upright; it goes dark in ten seconds")
    time.sleep(10)
    panel.off()
    return True


def _try_buttons(config: Config) -> None:
    from companion.devices import wiring
    from hardware.buttons import open_buttons
    from hardware.tries import echoed

    print("press the buttons, short, long and both together; Ctrl-C ends")
    with closing(open_buttons(config.buttons.source, wiring(config.buttons))) as buttons:
        while True:
            for line in echoed(buttons.presses(time.monotonic(), asked=True)):
                print(line, flush=True)
                if line == "quit":
                    return
            time.sleep(POLL_S)
