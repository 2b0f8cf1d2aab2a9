"""Learning the owner's dice from a few rolls whose values nobody told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.explain import choose, silhouettes
from vision.find import face_maps
from vision.foreground import DEEPEST_SHADOW, Foreground, foreground
from vision.pips import GREY_BGR, PIP_SPACING, SITES_XY, log_picture, sample_faces
from vision.profile import DiceModel, TrayProfile
from vision.propose import Candidates, candidates, edge_steps
from vision.rectify import Plane, make_plane

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

_MOST_PICTURES, _FEW_PICTURES = 4, 2
_GUESSES_MM = np.geomspace(8.5, 30, 16)
_LOOSE, _TIGHT = 0.13, 0.09
_WIDTHS = np.arange(0.43, 0.61, 0.01)
_RADII = np.arange(0.02, 0.24, 0.01)
_LEAST_WORTH = 0.9
_SHADOW_ROOM = 0.3
LIGHTEST_SHADOW = -0.5


@dataclass(frozen=True, slots=True)
class _Roll:
    """One roll seen with one guess of the dice: `best` are the dice among what was found."""

    log_image: Floats
    front: Foreground | None
    found: Candidates
    best: NDArray[np.int64]

    def maps(self, plane: Plane) -> Floats:
        return face_maps(self.found.poses[self.best], plane.px_per_edge)


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
        edge_mm *= 2 * _half_width(plane, rolls)
    dice = DiceModel(edge_mm, pip_spacing=round(spacing_mm / edge_mm, 4))
    return _finish(images, profile, dice)


def _look(
    images: Sequence[Image], profile: TrayProfile, dice: DiceModel, tolerance: float, ones: bool = False
) -> tuple[Plane, list[_Roll]]:
    assert profile.lens is not None
    assert profile.pose is not None
    plane = make_plane(profile.lens, profile.pose, dice.edge_mm, profile.outline_mm)
    log_empty = None if profile.empty_bgr is None else log_picture(plane.rectify(profile.empty_bgr))
    rolls = []
    for image in images:
        log_image = log_picture(plane.rectify(image))
        front = None if log_empty is None else foreground(log_image, log_empty, plane.seen)
        found = candidates(log_image, plane, dice, front, log_empty, tolerance, ones)
        best, _ = choose(found, plane.px_per_edge, _LEAST_WORTH)
        rolls.append(_Roll(log_image, front, found, best))
    return plane, rolls


def _likeness(plane: Plane, rolls: list[_Roll]) -> float:
    """How well dice of one size explain the rolls: the sum of scores times the share of what changed that they hide."""
    total = 0.0
    for roll in rolls:
        explained = 1.0
        if roll.front is not None:
            hidden = silhouettes(plane, roll.found.poses[roll.best])
            explained = float((roll.front.solid & hidden).sum() / max(int(roll.front.solid.sum()), 1))
        total += explained * float(roll.found.faces.score[roll.best].sum())
    return total


def _half_width(plane: Plane, rolls: list[_Roll]) -> float:
    """Half the width of the top faces in edges as guessed, .5 if the guess is right: where the picture steps most.

    Every side of every die has the same say, however strong its step.
    """
    steps = np.concatenate(
        [
            np.stack([edge_steps(roll.log_image, roll.maps(plane), w - 0.03, w + 0.03) for w in _WIDTHS], -1)
            for roll in rolls
        ]
    )
    each = steps / np.maximum(steps.max(-1, keepdims=True), 1e-6)
    return float(_WIDTHS[each.mean((0, 1)).argmax()])


def _finish(images: Sequence[Image], profile: TrayProfile, dice: DiceModel) -> DiceModel:
    """Radius of the pips and of the One, and the usual steps, from the dice as read with all the rest known."""
    plane, rolls = _look(images, profile, dice, _TIGHT)
    spacing = dice.pip_spacing or PIP_SPACING
    radius = _radius(plane, rolls, spacing, one=False)
    # No radius for the One: it may be a size of its own, and is looked for in both.
    plane, rolls = _look(images, profile, DiceModel(dice.edge_mm, radius, spacing), _TIGHT, ones=True)
    pips = np.concatenate([roll.found.faces.contrast[roll.best] @ GREY_BGR for roll in rolls])
    edges = np.concatenate([edge_steps(roll.log_image, roll.maps(plane)) for roll in rolls])
    return DiceModel(
        dice.edge_mm,
        radius,
        spacing,
        _radius(plane, rolls, spacing, one=True),
        pip_step=round(float(np.median(np.abs(pips))), 4),
        edge_step=round(float(np.median(edges.mean(1))), 4),
        shadow_step=_deepest_shadow(plane, rolls),
    )


def _deepest_shadow(plane: Plane, rolls: list[_Roll]) -> float | None:
    """The log step of the deepest shadow around the dice, with room for a deeper one; None where nothing tells."""
    steps = [
        roll.front.mean[roll.front.changed & ~roll.front.solid & ~silhouettes(plane, roll.found.poses[roll.best])]
        for roll in rolls
        if roll.front is not None
    ]
    shadows = np.concatenate(steps) if steps else np.zeros(0)
    if not len(shadows):
        return None
    deepest = float(np.percentile(shadows, 1)) - _SHADOW_ROOM
    return round(float(np.clip(deepest, DEEPEST_SHADOW, LIGHTEST_SHADOW)), 4)


def _radius(plane: Plane, rolls: list[_Roll], spacing: float, one: bool) -> float | None:
    """The radius of the pips in die edges: where the mean profile from a pip's middle outwards has fallen by half."""
    angles = np.arange(8) * np.pi / 4
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    profiles = []
    for roll in rolls:
        faces = roll.found.faces
        for i, A in zip(roll.best, roll.maps(plane), strict=True):
            if (faces.face[i] == 1) != one or faces.score[i] < 0.6:
                continue
            middles = SITES_XY[faces.sites[i]] * spacing
            points = middles[:, None, None] + _RADII[None, :, None, None] * circle
            values = sample_faces(roll.log_image, A[None], points.astype(np.float32))[0]
            along = ((values - faces.body[i]) @ faces.contrast[i]) / np.maximum(faces.strength[i] ** 2, 1e-6)
            profiles.append(np.median(along, axis=2).mean(0))
    if not profiles:
        return None
    mean = np.median(profiles, axis=0)
    level = mean[:3].mean() / 2
    below = np.nonzero(mean < level)[0]
    if not len(below) or below[0] == 0:
        return None
    k = below[0]
    share = (mean[k - 1] - level) / max(mean[k - 1] - mean[k], 1e-6)
    return round(float(_RADII[k - 1] + share * (_RADII[k] - _RADII[k - 1])), 4)
