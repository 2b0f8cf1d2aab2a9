"""The kinds of dice learned from rolls of the simulated tray: how many, in which colours and sizes, and how sure."""

import math

import cv2
import numpy as np
import pytest

from hardware.scenery import LOOKS
from hardware.simulated import SimulatedTray
from tests.known_tray import thrown, true_profile
from vision.colours import colour_name
from vision.learn import learn_dice
from vision.measure import RADII, corner_radii, half_fall, widths
from vision.profile import DiceModel, Measured


def learned(style: str) -> DiceModel:
    tray = SimulatedTray(seed=4, style=style)
    return learn_dice([thrown(tray)[0] for _ in range(3)], true_profile(tray))


def test_dice_of_one_look_are_one_kind_as_large_and_round_as_they_are():
    [kind] = learned("ivory on green").kinds
    look = LOOKS["ivory on green"]
    assert kind.count == 6
    assert kind.edge_mm.seen >= 16
    assert kind.edge_mm.median == pytest.approx(look.edge_mm, rel=0.03)
    assert kind.edge_mm.error < 0.02 * look.edge_mm
    assert kind.pip_step.median < -3 * kind.pip_step.sd, "dark pips"
    assert kind.corner_radius is not None
    assert kind.corner_radius.median == pytest.approx(look.rounding, abs=0.05)
    assert kind.pip_radius is not None
    assert kind.pip_radius.median == pytest.approx(look.pip_radius, abs=0.015)
    assert kind.pip_spacing is not None
    assert kind.pip_spacing.median == pytest.approx(look.pip_spacing, rel=0.03)


def test_dice_of_different_kinds_are_told_apart_by_body_and_pips():
    kinds = learned("mixed on black").kinds
    seen = {colour_name(np.array(kind.body.bgr)): kind for kind in kinds}
    assert {"blue", "red", "yellow", "green"} <= set(seen)
    assert all(seen[name].pip_step.median > 0 for name in ("blue", "red", "green"))
    assert seen["yellow"].pip_step.median < 0
    assert sum(kind.count for kind in kinds) == 6


def test_how_sure_a_measure_is_grows_with_the_faces_that_told_it():
    assert Measured(16.0, 0.2, 100).error == pytest.approx(0.0251, abs=1e-4)
    assert Measured(16.0, 0.2, 25).error == pytest.approx(2 * Measured(16.0, 0.2, 100).error)
    assert Measured(16.0, 0.0, 1).error == math.inf


@pytest.mark.parametrize("radius", [0.0, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("width", [0.96, 1.0, 1.04])
def test_width_and_corners_of_a_drawn_square(width: float, radius: float):
    px = 36.0
    y, x = np.indices((80, 80)) - 40.0
    straight = width * px / 2 - radius * px
    beyond = np.stack([np.abs(x), np.abs(y)]) - straight
    out = np.hypot(*np.maximum(beyond, 0)) + np.minimum(beyond.max(0), 0) - radius * px
    log_image = np.repeat(np.clip(0.5 - out, 0, 1)[..., None], 3, axis=2).astype(np.float32)
    A = np.array([[[px, 0, 40], [0, px, 40]]], np.float32)
    assert widths(cv2.blur(log_image, (3, 3)), A)[0] == pytest.approx(width, abs=0.025)
    # The blur of a picture rounds what is sharp.
    assert corner_radii(cv2.blur(log_image, (3, 3)), A)[0] == pytest.approx(max(radius, 0.07), abs=0.05)


def test_a_profile_that_never_falls_has_no_radius():
    assert half_fall(np.ones(len(RADII), np.float32)) is None
    assert half_fall(np.where(RADII < 0.095, 1, 0).astype(np.float32)) == pytest.approx(0.095, abs=0.006)
