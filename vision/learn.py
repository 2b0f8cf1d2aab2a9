"""Learning the owner's dice from a few rolls whose values nobody told."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.explain import silhouettes
from vision.find import face_maps
from vision.foreground import DEEPEST_SHADOW
from vision.kinds import LEAST_SCORE, dice_kinds, measured_faces
from vision.measure import WIDTHS, half_fall, pip_profile, side_steps
from vision.pips import GREY_BGR, PIP_SPACING
from vision.profile import DiceModel, TrayProfile
from vision.propose import clear_spots, edge_steps
from vision.rectify import Plane
from vision.scene import Sight, look, scene_of
from vision.spotter import spot_sized

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

_MOST_PICTURES, _FEW_PICTURES = 4, 2
_GUESSES_MM = np.geomspace(8.5, 30, 16)
_LOOSE, _TIGHT = 0.13, 0.09
_SHADOW_ROOM = 0.3
_ANY_SIZE, _FEW_SPOTTED = 0.35, 5
_MUCH = 0.07  # log units: on two of 37 rigs the borders were off by .11 and .17, on all others by less than .05
LIGHTEST_SHADOW = -0.5


def learn_dice(images: Sequence[Image], profile: TrayProfile) -> DiceModel:
    """The dice of a few unlabelled rolls: their edge, where their pips are and how strongly those and the edges show.

    `images` uint8 BGR of the profile's size, two to four rolls of several dice each (more are not looked at). The
    profile needs lens and pose; the empty picture makes it surer. The edge is found as the sharp peak of how well dice
    of each size explain the rolls, then from the borders of the faces. Raises ValueError, fit to be shown, when the
    profile has no pose or no dice are found.
    """
    if profile.lens is None or profile.pose is None:
        raise ValueError(
            "the dice can only be measured once the camera's place over the tray is known: show the board first"
        )
    images = images[:_MOST_PICTURES]
    few = images[:_FEW_PICTURES]
    _, edge_mm = max((_likeness(*_look(few, profile, DiceModel(float(mm)), _LOOSE)), float(mm)) for mm in _GUESSES_MM)
    plane, rolls = _look(images, profile, DiceModel(edge_mm), _LOOSE)
    if sum(len(roll.best) for roll in rolls) < 3:
        raise ValueError(
            f"no dice found in {len(images)} pictures of rolls: take them again with three dice and more, at rest"
        )
    spacing_mm = (
        float(np.median(np.concatenate([roll.found.scale[roll.best] for roll in rolls]))) * PIP_SPACING * edge_mm
    )
    edge_mm = spacing_mm / PIP_SPACING
    for _ in range(2):
        plane, rolls = _look(images, profile, DiceModel(edge_mm, pip_spacing=spacing_mm / edge_mm), _TIGHT)
        edge_mm *= width(plane, rolls)
    dice = DiceModel(edge_mm, pip_spacing=round(spacing_mm / edge_mm, 4))
    return _finish(images, profile, dice)


def _look(
    images: Sequence[Image], profile: TrayProfile, dice: DiceModel, tolerance: float, ones: bool = False
) -> tuple[Plane, list[Sight]]:
    scene = scene_of(replace(profile, dice=dice))
    assert scene is not None
    return scene.plane, [look(scene, image, tolerance, ones) for image in images]


def _likeness(plane: Plane, rolls: list[Sight]) -> float:
    """How well dice of one size explain the rolls: the sum of scores times the share of what changed that they hide."""
    total = 0.0
    for roll in rolls:
        explained = 1.0
        if roll.view.front is not None:
            hidden = silhouettes(plane, roll.poses)
            explained = float((roll.view.front.solid & hidden).sum() / max(int(roll.view.front.solid.sum()), 1))
        total += explained * float(roll.found.faces.score[roll.best].sum())
    return total


def width(plane: Plane, rolls: list[Sight]) -> float:
    """The width of the top faces in edges as guessed, 1 if the guess is right.

    The borders tell it best, but where the nets see the faces much wider or narrower, the borders were those of glare
    or of other faces.
    """
    px = plane.px_per_edge
    borders = 2 * half_width(plane, rolls)
    spotted = [clear_spots(spot_sized(roll.view.image_bgr, px), roll.view, _ANY_SIZE).edge_px / px for roll in rolls]
    seen = float(np.median(np.concatenate(spotted))) if sum(map(len, spotted)) >= _FEW_SPOTTED else borders
    return borders if abs(np.log(seen / borders)) < _MUCH else seen


def half_width(plane: Plane, rolls: list[Sight]) -> float:
    """Half the width of the top faces in edges as guessed, .5 if the guess is right: where the picture steps most."""
    each = np.concatenate([side_steps(roll.view.log_image, face_maps(roll.poses, plane.px_per_edge)) for roll in rolls])
    return float(WIDTHS[each.mean((0, 1)).argmax()])


def _finish(images: Sequence[Image], profile: TrayProfile, dice: DiceModel) -> DiceModel:
    """Radius of the pips and of the One, and the usual steps, from the dice as read with all the rest known."""
    plane, rolls = _look(images, profile, dice, _TIGHT)
    spacing = dice.pip_spacing or PIP_SPACING
    radius = pip_radius(plane, rolls, spacing, one=False)
    # No radius for the One: it may be a size of its own, and is looked for in both.
    plane, rolls = _look(images, profile, DiceModel(dice.edge_mm, radius, spacing), _TIGHT, ones=True)
    pips = np.concatenate([roll.found.faces.contrast[roll.best] @ GREY_BGR for roll in rolls])
    px = plane.px_per_edge
    edges = np.concatenate([edge_steps(roll.view.log_image, face_maps(roll.poses, px)) for roll in rolls])
    measured = [measured_faces(roll.view.log_image, roll.found, roll.best, px, spacing) for roll in rolls]
    return DiceModel(
        dice.edge_mm,
        radius,
        spacing,
        pip_radius(plane, rolls, spacing, one=True),
        pip_step=round(float(np.median(np.abs(pips))), 4),
        edge_step=round(float(np.median(edges.mean(1))), 4),
        shadow_step=_deepest_shadow(plane, rolls),
        kinds=dice_kinds(measured, dice),
    )


def _deepest_shadow(plane: Plane, rolls: list[Sight]) -> float | None:
    """The log step of the deepest shadow around the dice, with room for a deeper one; None where nothing tells."""
    steps = [
        roll.view.front.mean[roll.view.front.changed & ~roll.view.front.solid & ~silhouettes(plane, roll.poses)]
        for roll in rolls
        if roll.view.front is not None
    ]
    shadows = np.concatenate(steps) if steps else np.zeros(0)
    if not len(shadows):
        return None
    deepest = float(np.percentile(shadows, 1)) - _SHADOW_ROOM
    return round(float(np.clip(deepest, DEEPEST_SHADOW, LIGHTEST_SHADOW)), 4)


def pip_radius(plane: Plane, rolls: list[Sight], spacing: float, one: bool) -> float | None:
    """The radius of the pips in die edges: where the usual profile from a pip's middle outwards has fallen by half."""
    profiles = [
        pip_profile(roll.view.log_image, A, roll.found.faces, i, spacing)
        for roll in rolls
        for i, A in zip(roll.best, face_maps(roll.poses, plane.px_per_edge), strict=True)
        if (roll.found.faces.face[i] == 1) == one and roll.found.faces.score[i] >= LEAST_SCORE
    ]
    radius = half_fall(np.median(profiles, axis=0)) if profiles else None
    return None if radius is None else round(radius, 4)
