"""The demo without a terminal: a short game that plays by itself, told in words and kept as pictures."""

import sys
from dataclasses import replace
from pathlib import Path

import cv2

from companion.config import Config
from companion.happenings import Row
from hardware.ports import Frame
from vision.overlay import annotate
from vision.reading import Reading

FOLDER = Path("demo-out")
SCREENS, LOOKS = FOLDER / "screens", FOLDER / "camera"
TARGET_POINTS = 30.0


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
        self._count += 1
        cv2.imwrite(str(LOOKS / f"{self._count:04d}.png"), annotate(frame.image_bgr, reading))


def sentence(row: Row) -> str:
    """A happening in a few plain words."""
    ...
