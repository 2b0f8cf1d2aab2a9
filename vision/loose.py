"""Reads dice from any photograph, with nothing known of camera, table or dice.

Two witnesses that know nothing of each other must agree: a net that has learned what dice look like (`spotter`), and
the pixels at the places where a face has its pips (`witness`). Whatever either of them leaves open is a doubt.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.explain import SQUARE
from vision.pips import log_picture, place, sample
from vision.profile import TrayProfile
from vision.reading import Die, Reading
from vision.spotter import UNREADABLE, Spots, spot
from vision.witness import believed, testify

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

DIE, CLEAR = 0.3, 0.5  # how clearly something must be centred at a place to be a die, and to be one beyond doubt
BESIDE = 0.85  # edges between the middles of two dice, which even a leaning camera hardly sees nearer
SURE = 0.9  # the chance of a face, both witnesses heard
ODD_SIZE, UNUSUAL = 0.45, 1.9  # log units by which a die not clear is off the usual edge; ratio of edges in one picture
STRAY_AREA, STRAY_CHANCE = 0.3, 0.5  # edges squared; of a pixel to be part of a die
REACH = 1.2  # edges from the middle of a top face to the last pixel of its die
NEW = 0.15  # log units by which a place in the empty tray changes when a die comes to lie on it


def read_loose(image_bgr: Image, profile: TrayProfile | None = None, expect: int | None = None) -> Reading:
    """The dice on a photograph taken from any side with any camera.

    `image_bgr` H×W×3 uint8; of the `profile` only the empty tray is used, if it has the same size: what was there
    before is no die; `expect` is the number of dice there should be: another number makes the reading unsure.
    """
    spots = spot(image_bgr)
    log_bgr = log_picture(image_bgr)
    if profile is not None and profile.empty_bgr is not None and profile.empty_bgr.shape == image_bgr.shape:
        spots = spots.take(_new(spots, log_bgr, log_picture(profile.empty_bgr)))
    spots = spots.take(spots.centre > DIE)
    spots = spots.take((spots.centre > CLEAR) | ~(_odd(spots) | _on_a_side(spots)))
    dice = spots.take(spots.chance.argmax(1) < UNREADABLE)
    said = testify(log_bgr, dice.xy_px, dice.edge_px, dice.angle_rad)
    chance = believed(dice.chance, said.scores)
    reasons = _doubts(spots, dice, chance)
    if expect is not None and len(dice) and len(dice) != expect:
        reasons = [f"{len(dice)} of {expect} dice", *reasons]
    seen = tuple(_die(float(dice.centre[k]), chance[k], said.A_image_face[k]) for k in range(len(dice)))
    return Reading(seen, "unsure" if reasons else "ok" if seen else "empty", tuple(dict.fromkeys(reasons)))


def _new(spots: Spots, log_bgr: Floats, log_empty: Floats) -> NDArray[np.bool_]:
    """Which spots (N,) are not in the empty picture."""
    grid = np.stack(np.meshgrid(*[np.linspace(-0.35, 0.35, 7)] * 2), -1).reshape(-1, 2)
    xy = (spots.xy_px[:, None] + grid * spots.edge_px[:, None, None]).astype(np.float32)
    return np.asarray(np.median(np.abs(sample(log_bgr, xy) - sample(log_empty, xy)).max(2), axis=1) > NEW)


def _odd(spots: Spots) -> NDArray[np.bool_]:
    """Which spots (N,) are far larger or smaller than the dice that are clear: two dice, or a pip, taken for one."""
    clear = spots.edge_px[spots.centre > CLEAR]
    if not len(clear):
        return np.zeros(len(spots), np.bool_)
    return np.asarray(np.abs(np.log(spots.edge_px / np.median(clear))) > ODD_SIZE)


def _on_a_side(spots: Spots) -> NDArray[np.bool_]:
    """Which spots (N,) are so near a clear die that they are a face on its side."""
    clear = spots.take(spots.centre > CLEAR)
    away = np.linalg.norm(spots.xy_px[:, None] - clear.xy_px, axis=2)
    near = away < BESIDE * (spots.edge_px[:, None] + clear.edge_px) / 2
    return np.asarray(near.any(1) & (spots.chance.argmax(1) < UNREADABLE))


def _doubts(spots: Spots, dice: Spots, chance: Floats) -> list[str]:
    """Why the dice may not be what they seem, or not all; `chance` (N, 6) of their faces."""
    reasons = []
    if len(spots) > len(dice):
        reasons.append("there is a die whose top face cannot be told: leaning, cut off or hidden?")
    for centre, of_one in zip(dice.centre, chance, strict=True):
        second, first = np.argsort(of_one)[-2:] + 1
        if centre < CLEAR:
            reasons.append(f"what may be a die showing {first} is not clear")
        if of_one[first - 1] < SURE:
            reasons.append(f"a die could be {first} or {second}")
    if len(dice) > 1 and dice.edge_px.max() > UNUSUAL * dice.edge_px.min():
        reasons.append("dice much larger or smaller than the others")
    if _stray(spots, dice):
        reasons.append("something looks like a part of a die that was not read")
    return reasons


def _stray(spots: Spots, dice: Spots) -> bool:
    """Whether a large piece looks like a die but belongs to none that was read."""
    if not len(dice):
        return False
    there = (spots.die > STRAY_CHANCE).astype(np.uint8)
    for xy, edge in zip(dice.xy_px * spots.map_scale, dice.edge_px * spots.map_scale, strict=True):
        cv2.circle(there, (round(float(xy[0])), round(float(xy[1]))), max(1, round(float(REACH * edge))), 0, -1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(there)
    usual = float(np.median(dice.edge_px)) * spots.map_scale
    return bool((stats[1:count, cv2.CC_STAT_AREA] > STRAY_AREA * usual**2).any())


def _die(centre: float, chance: Floats, A_image_face: Floats) -> Die:
    face = int(chance.argmax())
    corners = place(A_image_face[None], SQUARE)[0]
    along = corners[1] - corners[0]
    x, y = corners.mean(0)
    return Die(
        face=face + 1,
        confidence=round(min(centre, float(chance[face])), 4),
        x_px=float(x),
        y_px=float(y),
        size_px=float(np.sqrt(cv2.contourArea(corners))),
        angle_deg=float(np.degrees(np.arctan2(along[1], along[0])) % 90),
        corners_px=tuple((float(cx), float(cy)) for cx, cy in corners),
    )
