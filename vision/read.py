"""Reads the dice on a picture of a tray that was measured before."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.causes import MOST_GLARE, glaring, out_of_focus
from vision.colours import with_colours
from vision.explain import Leftover, leftovers, lone_pips
from vision.loose import read_loose
from vision.nets import prepare
from vision.profile import TrayProfile
from vision.propose import View
from vision.reading import Die, Reading
from vision.scene import Sight, die_at, look, look_again, scene_of
from vision.spotter import Spots, spot_sized

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

_MOST_LEFT = 0.06
_MOST_CHANGED = 0.45
_NEAR_EDGES = 1.3
_DARK_LEVEL = 12
_PIP_STEP = 0.6
_AROUND = 2.2


class Reader:
    """Reads pictures from one camera over one tray; everything that does not change is worked out once.

    Without pose or die size in the profile every picture is read as a loose photograph (`vision.loose`).
    """

    def __init__(self, profile: TrayProfile | None = None) -> None:
        prepare()
        self.profile = profile
        self._scene = None if profile is None else scene_of(profile)

    def read(self, image_bgr: Image, expect: int | None = None) -> Reading:
        """The dice in a picture, H×W×3 uint8, and whether they can be vouched for.

        `expect`: how many dice there should be; another number makes the reading unsure. A picture of another size
        than the profile's is scaled to it if it has the same shape, else read as a loose photograph.
        """
        reading = self._read(image_bgr, expect)
        if not reading.dice and np.median(image_bgr[::8, ::8]) < _DARK_LEVEL:
            return Reading((), "unsure", (*reading.reasons, "too dark to see dice"))
        return with_colours(reading, image_bgr)

    def _read(self, image_bgr: Image, expect: int | None) -> Reading:
        scene = self._scene
        if scene is None:
            return read_loose(image_bgr, self.profile, expect)
        plane = scene.plane
        height, width = image_bgr.shape[:2]
        scale = width / plane.lens.width_px
        if (width, height) != (plane.lens.width_px, plane.lens.height_px):
            if abs(height / plane.lens.height_px - scale) > 0.01 * scale:
                return read_loose(image_bgr, None, expect)
            image_bgr = np.asarray(
                cv2.resize(image_bgr, (plane.lens.width_px, plane.lens.height_px), interpolation=cv2.INTER_AREA),
                np.uint8,
            )
        seen = look(scene, image_bgr)
        verdict = _judged(seen)
        if verdict.places:
            verdict = _judged(look_again(seen, _spots(seen.view, verdict.places)))
        dice, reasons = verdict.dice(scale), list(verdict.reasons)
        if reasons and seen.view.log_empty is not None:
            blurred = out_of_focus(seen.view.log_image, seen.view.log_empty, ~seen.view.changed & plane.seen)
            reasons += ["out of focus: the picture is less sharp than that of the empty tray"] * blurred
        if expect is not None and dice and len(dice) != expect:
            reasons.append(f"{len(dice)} of {expect} dice")
        unique = tuple(dict.fromkeys(reasons))
        return Reading(tuple(dice), "unsure" if unique else "ok" if dice else "empty", unique)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of a roll: its dice, of each whether it is doubted, the reasons against the whole, and the
    places on the plane, (x, y) pixels, where a doubt might be settled by another look.
    """

    seen: Sight
    doubted: tuple[bool, ...]
    reasons: tuple[str, ...]
    places: tuple[tuple[float, float], ...]

    def dice(self, scale: float) -> list[Die]:
        """The dice in a picture of `scale` times the lens's size."""
        parts = zip(self.seen.corners_px * scale, self.seen.faces, self.seen.lead, self.doubted, strict=True)
        return [die_at(corners, int(face), float(lead), doubted) for corners, face, lead, doubted in parts]


def _judged(seen: Sight) -> Verdict:
    """Whether the dice seen can be vouched for."""
    view = seen.view
    plane, front = view.plane, view.front
    left = leftovers(plane, seen.poses, front, glaring(view.log_image)) if front else []
    left = [piece for piece in left if piece.area >= _MOST_LEFT]
    pieces, blame = _unexplained(seen.poses, left, plane.px_per_edge)
    reasons = [doubt for of_one in seen.doubts for doubt in of_one] + pieces
    places = [(float(x), float(y)) for (x, y, _), doubts in zip(seen.poses, seen.doubts, strict=True) if doubts]
    places += [piece.middle_xy for piece in left]
    if front and view.log_empty is not None and not pieces:
        step = view.dice.pip_step or _PIP_STEP
        lone = lone_pips(plane, seen.found, seen.best, front, step, view.log_empty)
        places += lone
        reasons += ["there is a pip that belongs to no die lying flat"] * bool(lone)
    if front and np.count_nonzero(front.changed) > _MOST_CHANGED * np.count_nonzero(plane.seen):
        reasons = ["most of the tray looks different from the empty picture: a hand in view, or the light changed?"]
        places = []
    doubted = tuple(bool(doubts) or k in blame for k, doubts in enumerate(seen.doubts))
    return Verdict(seen, doubted, tuple(reasons), tuple(places))


def _spots(view: View, places: tuple[tuple[float, float], ...]) -> Spots:
    """The dice that are spotted on the plane around these places."""
    px, xy = view.plane.px_per_edge, np.array(places)
    left, top = np.maximum(xy.min(0) - _AROUND * px, 0).astype(int)
    right, bottom = (xy.max(0) + _AROUND * px).astype(int)
    return spot_sized(view.image_bgr[top:bottom, left:right], px).moved(left, top)


def _unexplained(poses: Floats, left: list[Leftover], px_per_edge: float) -> tuple[list[str], set[int]]:
    """What pieces that no die explains may be, and which dice they lie at."""
    reasons, blame = [], set()
    for piece in left:
        away = np.hypot(*(poses[:, :2] - piece.middle_xy).T) / px_per_edge
        if piece.cut:
            reasons.append("something is cut off by the edge of the picture")
        elif len(away) and away.min() < _NEAR_EDGES:
            blame.add(int(away.argmin()))
            reasons.append("a die is leaning, lies on another or hides one")
        elif piece.glare > MOST_GLARE:
            reasons.append("there is glare on a die, or something that is no die lying flat")
        else:
            reasons.append("there is something that is no die lying flat")
    return reasons, blame
