"""Reads dice from any photograph, with nothing known of camera, table or dice.

Two nets must agree: one that finds dice in the picture (`spotter`) and one that looks at each of them (`teller`).
Whatever they leave open is a doubt.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.explain import SQUARE
from vision.lean import leans, parts_of_dice
from vision.pips import log_picture, sample
from vision.profile import TrayProfile
from vision.reading import Die, Reading
from vision.spotter import Spots, spot
from vision.teller import UNREADABLE

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

# How clearly something must be seen, and be of one face, to be a die; and how clearly to be one beyond doubt.
DIE, CLEAR = 0.18, 0.5
BESIDE, TOUCHING = 1.08, 0.98  # edges between two middles: nearer are hardly, or never, two dice lying flat
ON_SIDE = 0.9  # as these: nearer may be a top face and another face of the same die
SIDE, WEAK = 0.55, 0.8  # as clear as the top face beside it is no face on a die's side; hardly as clear as a top face
STRAYS = 0.02  # the chance that of all the dice, lying flat, one strays so far that it is taken to lean
SURE = 0.95  # the chance of a face
ODD_SIZE, UNUSUAL = 0.45, 1.9  # log units by which a die not clear is off the usual edge; ratio of edges in one picture
VISIBLE = (1.0, 2.6)  # all that shows of a die over its top face
STRAY_AREA = 0.75, 3.0  # edges squared: what may be a die or two; a larger thing is another
SURE_PART = 0.85  # the chance that half of it has to be a die: boxes and cables have less, leaning dice .9 and more
LEAST_PART = 25  # pixels of the map: a small die that was not spotted at all
ON_TOP = 0.35  # edges from the middle of a top face, within its rounded rim
NEW = 0.15  # log units by which a place in the empty tray changes when a die comes to lie on it


def read_loose(image_bgr: Image, profile: TrayProfile | None = None, expect: int | None = None) -> Reading:
    """The dice on a photograph taken from any side with any camera.

    `image_bgr` H×W×3 uint8; of the `profile` only the empty tray is used, if it has the same size: what was there
    before is no die; `expect` is the number of dice there should be: another number makes the reading unsure.
    """
    spots = spot(image_bgr)
    if profile is not None and profile.empty_bgr is not None and profile.empty_bgr.shape == image_bgr.shape:
        spots = spots.take(_new(spots, log_picture(image_bgr), log_picture(profile.empty_bgr)))
    odd, sure = _odd(spots), spots.centre > CLEAR
    unreadable = spots.chance.argmax(1) == UNREADABLE
    maybe = (spots.centre * spots.chance.max(1) > DIE) & ~odd & ~_on_a_side(spots)
    dice = spots.take(~unreadable & (maybe | sure))
    chance = dice.chance[:, :UNREADABLE] / (1 - dice.chance[:, UNREADABLE:])
    clear = dice.centre > CLEAR
    leaning = _crowded(dice) | (leans(dice, clear) < STRAYS / max(len(dice), 1))
    reasons = _doubts(dice, chance, clear)
    if leaning.any():
        reasons.append("a die may be leaning: its sides show otherwise than those of the others")
    if (unreadable & sure & ~odd).any():
        reasons.append("there is a die whose top face cannot be told: leaning, cut off or hidden?")
    if expect is not None and len(dice) and len(dice) != expect:
        reasons = [f"{len(dice)} of {expect} dice", *reasons]
    seen = tuple(_die(dice, k, chance[k], bool(clear[k] and not leaning[k])) for k in range(len(dice)))
    return Reading(seen, "unsure" if reasons else "ok" if seen else "empty", tuple(dict.fromkeys(reasons)))


def _new(spots: Spots, log_bgr: Floats, log_empty: Floats) -> NDArray[np.bool_]:
    """Which spots (N,) are not in the empty picture."""
    grid = np.stack(np.meshgrid(*[np.linspace(-ON_TOP, ON_TOP, 7)] * 2), -1).reshape(-1, 2)
    xy = (spots.xy_px[:, None] + grid * spots.edge_px[:, None, None]).astype(np.float32)
    changed = np.abs(sample(log_bgr, xy) - sample(log_empty, xy)).max(2)
    return np.asarray(np.median(changed, axis=1) > NEW)


def _odd(spots: Spots) -> NDArray[np.bool_]:
    """Which spots (N,) are far larger or smaller than the dice that are clear: two dice, or a pip, taken for one."""
    clear = spots.edge_px[spots.centre > CLEAR]
    if not len(clear):
        return np.zeros(len(spots), np.bool_)
    return np.asarray(np.abs(np.log(spots.edge_px / np.median(clear))) > ODD_SIZE)


def _on_a_side(spots: Spots) -> NDArray[np.bool_]:
    """Which spots (N,) are so near a much clearer one that they are on a side of its die."""
    near = _apart(spots) < ON_SIDE
    much_clearer = spots.centre[:, None] < SIDE * spots.centre
    return np.asarray((near & much_clearer).any(1))


def _crowded(dice: Spots) -> NDArray[np.bool_]:
    """Which dice (N,) have no room beside another: they are two faces of one die that leans."""
    apart, weak = _apart(dice), dice.centre < WEAK
    near = (apart < TOUCHING) | ((apart < BESIDE) & (weak[:, None] | weak))
    np.fill_diagonal(near, False)
    return np.asarray(near.any(1))


def _apart(spots: Spots) -> Floats:
    """How far spots are from each other, in edges: (N, N)."""
    away = np.linalg.norm(spots.xy_px[:, None] - spots.xy_px, axis=2)
    return np.asarray(away / ((spots.edge_px[:, None] + spots.edge_px) / 2), np.float32)


def _doubts(dice: Spots, chance: Floats, clear: NDArray[np.bool_]) -> list[str]:
    """Why the dice may not be what they seem, or not all; `chance` (N, 6) of their faces, `clear` (N,) to be dice."""
    reasons = []
    for is_clear, of_one in zip(clear, chance, strict=True):
        second, first = np.argsort(of_one)[-2:] + 1
        if not is_clear:
            reasons.append(f"what may be a die showing {first} is not clear")
        if of_one[first - 1] < SURE:
            reasons.append(f"a die could be {first} or {second}")
    if len(dice) > 1 and dice.edge_px.max() > UNUSUAL * dice.edge_px.min():
        reasons.append("dice much larger or smaller than the others")
    if stray(dice):
        reasons.append("something looks like a part of a die that was not read")
    return reasons


def stray(dice: Spots) -> bool:
    """Whether more of the picture looks like dice than those that were read can show of themselves."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(parts_of_dice(dice))
    if not len(dice):
        return bool((stats[1:, cv2.CC_STAT_AREA] > LEAST_PART).any())
    column, row = np.floor(dice.xy_px * dice.map_scale).astype(int).T
    own = labels[row.clip(0, labels.shape[0] - 1), column.clip(0, labels.shape[1] - 1)]
    tops = (dice.edge_px * dice.map_scale) ** 2
    covered = np.bincount(own, tops, count)
    area = stats[:, cv2.CC_STAT_AREA].astype(np.float64)
    read = (covered > 0) & (np.arange(count) > 0)
    # How much larger than its top face a die looks depends on the lean of the camera, which is the same for all.
    usual = float(np.clip(np.median(area[read] / covered[read]), *VISIBLE)) if read.any() else VISIBLE[0]
    excess = (area - usual * covered) / np.median(tops)
    as_large = (excess > STRAY_AREA[0]) & (excess < STRAY_AREA[1]) & (np.arange(count) > 0)
    return any(np.median(dice.die[labels == part]) > SURE_PART for part in np.nonzero(as_large)[0])


def _die(dice: Spots, k: int, chance: Floats, clear: bool) -> Die:
    face = int(chance.argmax())
    x, y = dice.xy_px[k]
    corners_px = dice.xy_px[k] + SQUARE @ dice.A_image_face[k].T
    sure = float(chance[face])
    return Die(
        face=face + 1,
        confidence=round(sure if clear else min(sure, float(dice.centre[k])), 4),
        x_px=float(x),
        y_px=float(y),
        size_px=float(dice.edge_px[k]),
        angle_deg=float(np.degrees(dice.angle_rad[k]) % 90),
        corners_px=tuple((float(cx), float(cy)) for cx, cy in corners_px),
    )
