"""A scene of which camera, plane of the top faces and dice are known, measured or guessed, and the dice seen in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.causes import MOST_GLARE, glare_shares
from vision.explain import SQUARE, bodies_changed, choose, own_area
from vision.find import face_maps
from vision.foreground import DEEPEST_SHADOW, foreground
from vision.measure import widths_of_three
from vision.pips import log_picture, place
from vision.profile import DiceModel, TrayProfile
from vision.propose import Candidates, View, borne_out, candidates, clear_spots, spotted_too
from vision.reading import Die
from vision.rectify import Plane, make_plane
from vision.spotter import Spots

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

LEAST_WORTH = 0.9
_DOUBTFUL_LEAD, _DOUBTFUL_BORNE_OUT = 0.25, 0.05
_LEAST_SCORE, _SCORE_WITH_LEAD = 0.55, 0.42
_WEAK_OUTLINE = 0.2
_WEAK_SIDE, _WEAK_SIDE_OF_ONE = 0.14, 0.22
_LEAST_BODY = 0.9
_LEAST_OWN = 0.15
_SCALE_OFF, _SMALL_BORNE_OUT, _TOO_WIDE = 0.07, 0.12, 0.05
_LEAD_SCALE = 0.15


@dataclass(frozen=True, slots=True)
class Scene:
    """What stays the same from roll to roll; `log_empty` is the empty tray on the plane, (h, w, 3) log, if known."""

    plane: Plane
    dice: DiceModel
    log_empty: Floats | None


@dataclass(frozen=True, slots=True)
class Sight:
    """One roll in a scene: `best` (K,) are the dice among all that was `found` in the `view`, `lead` (K,) how far each
    is ahead of any other explanation, `doubts` why it may not be what it seems.
    """

    view: View
    found: Candidates
    best: NDArray[np.int64]
    lead: Floats
    doubts: tuple[tuple[str, ...], ...]

    @property
    def poses(self) -> Floats:
        """The poses (K, 3) of the dice on the plane."""
        return self.found.poses[self.best]

    @property
    def faces(self) -> NDArray[np.int64]:
        """Their faces (K,)."""
        return self.found.faces.face[self.best]

    @property
    def corners_px(self) -> NDArray[np.float64]:
        """The corners of their top faces in the photograph, (K, 4, 2)."""
        plane = self.view.plane
        return plane.to_image(place(face_maps(self.poses, plane.px_per_edge), SQUARE))


def scene_of(profile: TrayProfile) -> Scene | None:
    """The scene that a profile describes; None while it lacks the camera's pose or the dice."""
    if not (profile.lens and profile.pose and profile.dice):
        return None
    plane = make_plane(profile.lens, profile.pose, profile.dice.edge_mm, profile.outline_mm)
    empty = profile.empty_bgr
    return Scene(plane, profile.dice, None if empty is None else log_picture(plane.rectify(empty)))


def look(scene: Scene, image_bgr: Image, tolerance: float = 0.09, ones: bool = True) -> Sight:
    """The dice in a picture (H, W, 3) uint8 of the lens's size; `tolerance` and `ones` as of `candidates`."""
    plane, dice = scene.plane, scene.dice
    flat = plane.rectify(image_bgr)
    log_image = log_picture(flat)
    front = None
    if scene.log_empty is not None:
        front = foreground(log_image, scene.log_empty, plane.seen, dice.shadow_step or DEEPEST_SHADOW)
    view = View(flat, log_image, plane, dice, front, scene.log_empty)
    return _sight(view, candidates(view, tolerance, ones), None)


def look_again(seen: Sight, spots: Spots) -> Sight:
    """The same roll with the dice heeded that were spotted on the plane."""
    clear = clear_spots(spots, seen.view)
    return _sight(seen.view, spotted_too(seen.found, clear, seen.view), clear)


def _sight(view: View, found: Candidates, spots: Spots | None) -> Sight:
    plane, front = view.plane, view.front
    best, rival = choose(found, plane.px_per_edge, LEAST_WORTH)
    lead = np.minimum(found.faces.margin[best], found.worth[best] - rival)
    borne = np.zeros(len(best), np.bool_) if spots is None else borne_out(found, best, spots, view)
    doubts = _doubts(view, found, best, lead, borne)
    if front is not None:
        # A speck in a shadow makes a poor One, and pips on the sides of two dice a poor Two between them: nothing but
        # shadow is left to it. Were it a die of the floor's colour, its pips would lie there alone: see `lone_pips`.
        # Black dice may look like shadow: what the nets see too is no speck.
        poses = found.poses[best]
        kept = [
            k for k in range(len(best))
            if not doubts[k] or borne[k] or own_area(plane, poses, k, front.solid) > _LEAST_OWN
        ]  # fmt: skip
        best, lead, doubts = best[kept], lead[kept], tuple(doubts[k] for k in kept)
    return Sight(view, found, best, lead, doubts)


def _doubts(
    view: View, found: Candidates, best: NDArray[np.int64], lead: Floats, borne: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    """For each die that was chosen, why it may not be what it seems; `borne` out are those that were spotted too."""
    plane, log_image, front = view.plane, view.log_image, view.front
    A = face_maps(found.poses[best], plane.px_per_edge)
    glares, wide = glare_shares(log_image, A), widths_of_three(log_image, A)
    bodies = bodies_changed(plane, found.poses[best], front.changed) if front else np.ones(len(best))
    doubts = []
    for k, i in enumerate(best):
        face, of_one = int(found.faces.face[i]), []
        if lead[k] < (_DOUBTFUL_BORNE_OUT if borne[k] else _DOUBTFUL_LEAD):
            second = int(np.argsort(found.faces.scores[i])[-2]) + 1
            of_one.append(f"a die could be {face} or {second}")
        if found.faces.score[i] < (_LEAST_SCORE if lead[k] < _DOUBTFUL_LEAD else _SCORE_WITH_LEAD):
            glare = "there is glare on a die: " if glares[k] > MOST_GLARE and found.faces.polarity[i] > 0 else ""
            of_one.append(f"{glare}the pips of the {face} are hard to see")
        # One side may hardly be seen against a neighbour; where two are not, spots of others may have made up a face.
        # A single pip tells little of how a die lies: the sides of a One must tell it.
        least_side = 0.0 if borne[k] else _WEAK_SIDE_OF_ONE if face == 1 else _WEAK_SIDE
        if found.outline[i] < _WEAK_OUTLINE or found.second_side[i] < least_side:
            of_one.append(f"the {face} has no clear outline: a die may be leaning")
        if wide[k] > view.dice.largest + _TOO_WIDE:
            of_one.append(f"the {face} is larger than a die lying flat: it may lie on another")
        # The rows of many a Six lie nearer each other than the pips in them; what lies on another die looks larger.
        if not 1 - (_SMALL_BORNE_OUT if borne[k] else _SCALE_OFF) < found.scale[i] < 1 + _SCALE_OFF:
            of_one.append(
                f"the pips of the {face} lie too far apart or too close: a die may be leaning or lie on another"
            )
        if bodies[k] < _LEAST_BODY:
            of_one.append(f"there is less of the {face} than of a die lying flat")
        doubts.append(tuple(of_one))
    return tuple(doubts)


def die_at(corners_px: NDArray[np.float64], face: int, lead: float, cocked: bool) -> Die:
    """The die whose top face has these corners (4, 2) in the photograph, and that lead over other explanations."""
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
