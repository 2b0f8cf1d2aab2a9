"""The reader on rendered photographs with known dice: those kept here, and the shared ones where they are."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from calibration.board import Board
from calibration.from_images import profile_from_images
from hardware.pictures import load_picture
from vision.profile import TrayProfile
from vision.read import Reader

HERE = Path(__file__).parent
KEPT = sorted((HERE / "pictures").iterdir())
SHARED = HERE.parent.parent / "shared" / "rigs"
RIGS = sorted(SHARED.glob("rig-*")) if SHARED.is_dir() else []


@cache
def profile_of(rig: Path) -> TrayProfile:
    """The profile that the calibration makes of a rig's own pictures."""
    return profile_from_images(rig, Board())


def looks(rigs: list[Path]) -> list[object]:
    """Each picture of these rigs with its truth, named for the report."""
    return [
        pytest.param(rig, truth, id=f"{rig.name}/{truth['file']}")
        for rig in rigs
        for truth in json.loads((rig / "truth.json").read_text(encoding="utf-8"))["images"]
    ]


def check(rig: Path, truth: dict, reader: Reader) -> None:
    """Fails on a silent misread, and on a doubt about dice that all lie flat."""
    reading = reader.read(load_picture(rig / truth["file"]))
    if truth["cocked"] and reading.status == "unsure":
        return
    assert (reading.status, list(reading.values)) == ("ok", truth["values"]), reading.reasons


@pytest.mark.parametrize(("rig", "truth"), looks(KEPT))
def test_flat_dice_are_read_exactly_and_a_leaning_one_is_told(rig: Path, truth: dict) -> None:
    check(rig, truth, Reader(profile_of(rig)))


@pytest.mark.parametrize("rig", KEPT, ids=lambda rig: rig.name)
def test_the_empty_tray_is_empty(rig: Path) -> None:
    assert Reader(profile_of(rig)).read(load_picture(rig / "empty.jpg")).status == "empty"


@pytest.mark.parametrize("rig", KEPT, ids=lambda rig: rig.name)
def test_the_calibration_board_is_no_die(rig: Path) -> None:
    assert Reader(profile_of(rig)).read(load_picture(rig / "board.jpg")).status != "ok"


@pytest.mark.parametrize(("rig", "truth"), looks(KEPT))
def test_without_a_profile_no_flat_die_is_misread_in_silence(rig: Path, truth: dict) -> None:
    reading = Reader(None).read(load_picture(rig / truth["file"]))
    assert truth["cocked"] or reading.status == "unsure" or list(reading.values) == truth["values"]


@pytest.mark.slow
@pytest.mark.skipif(not RIGS, reason=f"no shared rigs at {SHARED.name}/ beside the project")
@pytest.mark.parametrize(("rig", "truth"), looks(RIGS))
def test_the_shared_rigs_are_read_exactly(rig: Path, truth: dict) -> None:
    check(rig, truth, Reader(profile_of(rig)))


@pytest.mark.parametrize("rig", [None, *KEPT], ids=lambda rig: rig.name if rig else "no profile")
def test_a_picture_taken_in_the_dark_is_not_called_empty(rig: Path | None) -> None:
    profile = profile_of(rig) if rig else None
    reading = Reader(profile).read(np.zeros((768, 1024, 3), np.uint8))
    assert (reading.status, reading.values) == ("unsure", ())
    assert "too dark to see dice" in reading.reasons
