"""Reads the dice on a picture of a tray that was measured before."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import with_colours
from vision.explain import SQUARE, Leftover, bodies_changed, choose, leftovers, lone_pips
from vision.find import face_maps
from vision.foreground import DEEPEST_SHADOW, Foreground, foreground
from vision.loose import read_loose
from vision.pips import log_picture, place
from vision.profile import TrayProfile
from vision.propose import Candidates, candidates
from vision.reading import Die, Reading
from vision.rectify import make_plane

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

LEAST_WORTH = 0.9
_DOUBTFUL_LEAD = 0.15
_LEAST_SCORE = 0.55
_WEAK_OUTLINE = 0.2
_LEAST_BODY = 0.9
_SCALE_OFF = 0.07
_MOST_LEFT = 0.06
_MOST_CHANGED = 0.45
_NEAR_EDGES = 1.3
_DARK_LEVEL = 12
_LEAD_SCALE = 0.15
_PIP_STEP = 0.6


class Reader:
    """Reads pictures from one camera over one tray; everything that does not change is worked out once.

    Without pose or die size in the profile every picture is read as a loose photograph (`vision.loose`).
    """

    def __init__(self, profile: TrayProfile | None = None) -> None:
        self.profile = profile
        self._plane = None
        if profile and profile.lens and profile.pose and profile.dice:
            self._dice = profile.dice
            self._shadow = profile.dice.shadow_step or DEEPEST_SHADOW
            self._plane = make_plane(profile.lens, profile.pose, profile.dice.edge_mm, profile.outline_mm)
            empty = profile.empty_bgr
            self._log_empty = None if empty is None else log_picture(self._plane.rectify(empty))

    def read(self, image_bgr: Image, expect: int | None = None) -> Reading:
        """The dice in a picture, H×W×3 uint8, and whether they can be vouched for.

        `expect`: how many dice there should be; another number makes the reading unsure. A picture of another size
        than the profile's is scaled to it if it has the same shape, else read as a loose photograph.
        """
        return with_colours(self._read(image_bgr, expect), image_bgr)

    def _read(self, image_bgr: Image, expect: int | None) -> Reading:
        plane = self._plane
        if plane is None:
            return read_loose(image_bgr, self.profile, expect)
        height, width = image_bgr.shape[:2]
        scale = width / plane.lens.width_px
        if (width, height) != (plane.lens.width_px, plane.lens.height_px):
            if abs(height / plane.lens.height_px - scale) > 0.01 * scale:
                return read_loose(image_bgr, None, expect)
            image_bgr = np.asarray(
                cv2.resize(image_bgr, (plane.lens.width_px, plane.lens.height_px), interpolation=cv2.INTER_AREA),
                np.uint8,
            )
        log_image = log_picture(plane.rectify(image_bgr))
        front = None if self._log_empty is None else foreground(log_image, self._log_empty, plane.seen, self._shadow)
        found = candidates(log_image, plane, self._dice, front, self._log_empty)
        best, rival = choose(found, plane.px_per_edge, LEAST_WORTH)
        left = leftovers(plane, found.poses[best], front) if front else []
        lead = np.minimum(found.faces.margin[best], found.worth[best] - rival)
        doubts = self._doubts(found, best, lead, front)
        pieces, blame = self._unexplained(found.poses[best], left)
        corners = plane.to_image(place(face_maps(found.poses[best], plane.px_per_edge), SQUARE)) * scale
        dice = [
            _die(corners[k], int(found.faces.face[i]), float(lead[k]), bool(doubts[k]) or k in blame)
            for k, i in enumerate(best)
        ]
        reasons = [doubt for of_one in doubts for doubt in of_one] + pieces
        if front and not pieces and lone_pips(plane, found, best, front, self._dice.pip_step or _PIP_STEP):
            reasons.append("there is a pip that belongs to no die lying flat")
        if front and np.count_nonzero(front.changed) > _MOST_CHANGED * np.count_nonzero(plane.seen):
            reasons = ["most of the tray looks different from the empty picture: a hand in view, or the light changed?"]
        if np.median(image_bgr[::8, ::8]) < _DARK_LEVEL and not dice:
            reasons.append("too dark to see dice")
        if expect is not None and dice and len(dice) != expect:
            reasons.append(f"{len(dice)} of {expect} dice")
        unique = tuple(dict.fromkeys(reasons))
        return Reading(tuple(dice), "unsure" if unique else "ok" if dice else "empty", unique)

    def _doubts(
        self, found: Candidates, best: NDArray[np.int64], lead: Floats, front: Foreground | None
    ) -> list[list[str]]:
        """For each die that was chosen, why it may not be what it seems."""
        assert self._plane is not None
        bodies = bodies_changed(self._plane, found.poses[best], front.changed) if front else np.ones(len(best))
        doubts = []
        for k, i in enumerate(best):
            face, of_one = int(found.faces.face[i]), []
            if lead[k] < _DOUBTFUL_LEAD:
                second = int(np.argsort(found.faces.scores[i])[-2]) + 1
                of_one.append(f"a die could be {face} or {second}")
            if found.faces.score[i] < _LEAST_SCORE:
                of_one.append(f"the pips of the {face} are hard to see")
            if found.outline[i] < _WEAK_OUTLINE:
                of_one.append(f"the {face} has no clear outline: a die may be leaning")
            if abs(found.scale[i] - 1) > _SCALE_OFF:
                of_one.append(
                    f"the pips of the {face} lie too far apart or too close: a die may be leaning or lie on another"
                )
            if bodies[k] < _LEAST_BODY:
                of_one.append(f"there is less of the {face} than of a die lying flat")
            doubts.append(of_one)
        return doubts

    def _unexplained(self, poses: Floats, left: list[Leftover]) -> tuple[list[str], set[int]]:
        """What pieces that no die explains may be, and which dice they lie at."""
        assert self._plane is not None
        reasons, blame = [], set()
        for piece in left:
            if piece.area < _MOST_LEFT:
                break
            away = np.hypot(*(poses[:, :2] - piece.middle_xy).T) / self._plane.px_per_edge
            if piece.cut:
                reasons.append("something is cut off by the edge of the picture")
            elif len(away) and away.min() < _NEAR_EDGES:
                blame.add(int(away.argmin()))
                reasons.append("a die is leaning, lies on another or hides one")
            else:
                reasons.append("there is something that is no die lying flat")
        return reasons, blame


def _die(corners_px: NDArray[np.float64], face: int, lead: float, cocked: bool) -> Die:
    """The die with its corners (4, 2) in the photograph."""
    sides = np.roll(corners_px, -1, axis=0) - corners_px
    middle = corners_px.mean(0)
    return Die(
        face=face,
        confidence=round(float(1 - np.exp(-max(lead, 0.0) / _LEAD_SCALE)), 4),
        x_px=float(middle[0]),
        y_px=float(middle[1]),
        size_px=float(np.linalg.norm(sides, axis=1).mean()),
        angle_deg=float(np.degrees(np.arctan2(sides[0, 1], sides[0, 0])) % 90),
        corners_px=tuple((float(x), float(y)) for x, y in corners_px),
        cocked=cocked,
    )
