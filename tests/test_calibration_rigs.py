"""The calibration on rendered rigs whose lens is known: ../shared/rigs, where it is there."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import Board, find_board
from calibration.fit import assumed_focal_px, fit_board, floor_mm
from calibration.from_images import profile_from_images
from vision.rectify import project

RIGS = Path(__file__).parent.parent.parent / "shared" / "rigs"
FOLDERS = sorted(RIGS.glob("rig-*"))
if not FOLDERS:
    pytest.skip(f"no rendered rigs at ../shared/rigs beside {RIGS.parent.parent.name}", allow_module_level=True)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_floor_is_mapped_as_with_the_true_lens_at_every_corner_of_the_board(folder: Path):
    truth = json.loads((folder / "truth.json").read_text())
    view = find_board(np.asarray(cv2.imread(str(folder / "board.jpg")), np.uint8), Board())
    fit = fit_board([view], assumed_focal_px(view.size_px[0]))
    true_lens = replace(fit.lens, focal_px=truth["focal_px"], k1=truth["k1"])
    true_pose = fit_board([view], 0.0, true_lens).poses[0]
    corners_mm = np.array([[20.0 * x, -20.0 * y, 0.0] for x in range(8) for y in range(6)])
    seen = project(true_lens, true_pose, corners_mm)
    off_mm = np.linalg.norm(floor_mm(fit.lens, fit.poses[0], seen) - corners_mm[:, :2], axis=1)
    assert off_mm.max() < 0.5
    assert abs(fit.lens.k1 - truth["k1"]) < 0.01
    if fit.focal_measured:
        assert abs(np.log(fit.lens.focal_px / truth["focal_px"])) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_profile_from_the_pictures_of_a_rig_lacks_nothing_but_what_no_picture_tells(folder: Path):
    profile = profile_from_images(folder, Board())
    assert profile.dice is not None
    assert profile.outline_mm is not None
    assert all(sentence.startswith("focal length") for sentence in profile.lacks)
