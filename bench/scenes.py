"""The pictures that readers are measured on: the rigs beside the project, if any, and the simulated tray."""

import json
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.from_images import profile_from_images
from hardware.scenery import View
from hardware.simulated import SimulatedTray
from vision.profile import TrayProfile

RIGS = Path(__file__).parent.parent.parent / "shared" / "rigs"
SIMULATED_ROLLS = 10


@dataclass(frozen=True)
class Roll:
    """A picture (H×W×3 uint8) and what its dice show, sorted; `cocked` when one leans: it should be flagged."""

    image_bgr: NDArray[np.uint8]
    values: tuple[int, ...]
    cocked: bool = False


@dataclass(frozen=True)
class Scene:
    """One camera over one tray: its profile and its rolls."""

    name: str
    profile: TrayProfile
    rolls: tuple[Roll, ...]


@cache
def scenes() -> tuple[Scene, ...]:
    """Every scene there is; without the rigs the simulated tray alone, and a word about it."""
    folders = sorted(path.parent for path in RIGS.glob("*/truth.json"))
    if not folders:
        print(f"(no rigs in {RIGS}: the simulated tray only)")
    return (*map(_rig, folders), _simulated())


def _rig(folder: Path) -> Scene:
    truth = json.loads((folder / "truth.json").read_text())
    rolls = tuple(
        Roll(_load(folder / image["file"]), tuple(sorted(image["values"])), bool(image.get("cocked")))
        for image in truth["images"]
        if image.get("values") is not None and (folder / image["file"]).exists()
    )
    return Scene(folder.name, profile_from_images(folder, Board()), rolls)


def _simulated() -> Scene:
    """Rolls of the simulated tray at rest, with a profile made in the ordinary way from its own pictures."""
    tray = SimulatedTray(seed=1, view=View(width_px=1024, height_px=768, focal_px=1049.0))
    pictures = {"board": tray.board_picture(), "empty": tray.empty_picture()}
    rolls = []
    for number in range(1, SIMULATED_ROLLS + 1):
        tray.throw()
        while not tray.at_rest():
            tray.frame()
        pictures[f"roll-{number}"] = tray.frame().image_bgr
        rolls.append(Roll(pictures[f"roll-{number}"], tuple(sorted(die.face for die in tray.truth()))))
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in pictures.items():
            cv2.imwrite(f"{folder}/{name}.jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
        return Scene("simulated tray", profile_from_images(Path(folder), Board()), tuple(rolls))


def _load(path: Path) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(path)), np.uint8)
