"""What the simulated tray needs beside the program itself: its calibration, and an album where nobody watches."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2

from companion.config import Config
from companion.errors import InputError
from hardware.ports import Frame
from hardware.simulated import SimulatedTray
from vision.overlay import annotate
from vision.profile import TrayProfile
from vision.profile_file import load_profile
from vision.reading import Reading

MakeProfile = Callable[[Path, Path], int]
"""Makes a profile from a folder of pictures, as `mishimash calibrate from-images` does; returns its exit code."""

FOLDER = Path("demo-out")
SCREENS, LOOKS = FOLDER / "screens", FOLDER / "camera"
TARGET_POINTS = 30.0
ROLLS_FOR_PROFILE = 3


def is_demo(config: Config) -> bool:
    """Whether keys are asked for at the simulated tray where there is nobody to strike them."""
    asks_for_keys = config.camera.source == "table" and config.buttons.source == "keyboard"
    return asks_for_keys and not (sys.stdin.isatty() and sys.stdout.isatty())


def as_demo(config: Config) -> Config:
    """The config with screens that go into a folder, and a game short enough to wait for."""
    for old in (*SCREENS.glob("*.png"), *LOOKS.glob("*.png")):
        old.unlink()
    game = replace(config.game, target=min(config.game.target, TARGET_POINTS))
    return replace(config, game=game, display=replace(config.display, sink=f"png:{SCREENS}"))


class Album:
    """Keeps each picture that decided something, with the reading drawn on it."""

    def __init__(self) -> None:
        LOOKS.mkdir(parents=True, exist_ok=True)
        self._count = 0

    def __call__(self, frame: Frame, reading: Reading) -> None:
        """Writes one picture."""
        self._count += 1
        cv2.imwrite(str(LOOKS / f"{self._count:04d}.png"), annotate(frame.image_bgr, reading))


def calibrated(tray: SimulatedTray, make_profile: MakeProfile) -> TrayProfile:
    """The profile of the simulated tray, made by the ordinary calibration from pictures of it."""
    twin = SimulatedTray(seed=tray.seed, style=tray.style, view=tray.view)
    # From here on its dice fall otherwise than those of the game.
    twin.throw(1)
    pictures = {"board": twin.board_picture(), "empty": twin.empty_picture()}
    pictures |= {f"roll-{number}": twin.roll_picture() for number in range(1, ROLLS_FOR_PROFILE + 1)}
    with TemporaryDirectory(prefix="mishimash-") as name:
        folder = Path(name)
        for picture_name, picture in pictures.items():
            cv2.imwrite(str(folder / f"{picture_name}.jpg"), picture)
        if make_profile(folder, folder / "profile.toml"):
            raise InputError("the simulated tray could not be calibrated; this is a fault of the program")
        return load_profile(folder / "profile.toml")
