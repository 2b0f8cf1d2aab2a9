"""Reads dice from any photograph, with nothing known of camera, table or dice.

The way: round spots → lattices of spots → the plane all top faces lie in, from how flat the pips look → faces on that
plane, judged by their pixels and their outline → Ones, which are a single spot on a die of the usual size → doubts.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.belief import belief, evidence, usual_edge_px
from vision.blobs import Blobs, find_blobs
from vision.candidates import MIN_SCORE, Found, apart, judged, many_pipped, measured, nothing_found, single_pipped
from vision.doubts import SURE_BELIEF, die_sized, doubts, left_over, pips_on
from vision.guess import Guess, guess_scene
from vision.lattice import find_faces
from vision.pips import PIP_RADIUS, log_picture, sample, score_faces
from vision.profile import TrayProfile
from vision.reading import Die, Reading
from vision.second_look import look_again
from vision.view import View, estimate_view, shape_distance

Floats = NDArray[np.float64]

WORK_PX = 1280  # the longer side of the picture that is searched
LARGEST_ENLARGEMENT = 2.0
MIN_BELIEF = 0.2
SURE_FACE, TRUSTED = 0.6, 0.8  # beliefs: to guess a scene from; to overrule a doubt
CREDIBLE, CREDIBLE_ALONE = 0.3, 0.5  # beliefs: to be a die at all; the same for one of a colour that no other has
SAME_BODY = 0.4  # log units
MOST_SIZES = 3
ONE_SIZE = 0.14  # log units within which the edges of dice of one size are found
SAME_PLACE = 0.2  # edges
FAINT = 0.5  # the contrast of pips, over that of the faintest sure die, below which doubtful dice are dropped
NEW = 0.15  # log units by which a spot of the empty tray changes when a die comes to lie on it
MOST_SEEDS = 24
NO_LATTICE = 3.0  # log odds that a face found without a lattice of spots is trusted less by
FLATTEST = 0.45  # the shorter over the longer axis of a pip on a top face: steeper views are not read


@dataclass(frozen=True, slots=True)
class Search:
    """Everything one reading found on its way, in pixels of the working picture: `scale` of them to one given."""

    scale: float
    blobs: Blobs
    view: View
    found: Found
    confidence: Floats
    reasons: tuple[str, ...]


def read_loose(
    image_bgr: NDArray[np.uint8], profile: TrayProfile | None = None, expect: int | None = None
) -> Reading:
    """The dice on a photograph taken from any side with any camera.

    `image_bgr` H×W×3 uint8; of the `profile` only the empty tray is used, if it has the same size: what was there
    before is no pip; `expect` is the number of dice there should be: another number makes the reading unsure.
    """
    seen = search(image_bgr, None if profile is None else profile.empty_bgr)
    dice = tuple(_die(seen, i) for i in range(len(seen.found)))
    reasons = seen.reasons
    if expect is not None and dice and len(dice) != expect:
        reasons = (f"{len(dice)} of {expect} dice", *reasons)
    if reasons:
        return Reading(dice, "unsure", reasons)
    return Reading(dice, "ok" if dice else "empty")


def working_picture(image_bgr: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    """The picture at the size that is searched, and how many of its pixels make one of the original."""
    scale = min(WORK_PX / max(image_bgr.shape[:2]), LARGEST_ENLARGEMENT)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=how), np.uint8), scale


def search(image_bgr: NDArray[np.uint8], empty_bgr: NDArray[np.uint8] | None = None) -> Search:
    """Looks for dice and keeps what it saw on the way; both pictures H×W×3 uint8."""
    small, scale = working_picture(image_bgr)
    log_bgr = log_picture(small)
    height, width = small.shape[:2]
    spots = find_blobs(log_bgr)
    if empty_bgr is not None and empty_bgr.shape == image_bgr.shape:
        spots = spots.take(_new(spots, log_bgr, log_picture(working_picture(empty_bgr)[0])))
    view = _view(log_bgr, spots, width, height)
    lean = shape_distance(spots.shape_px2, view.shape_at(spots.xy_px))
    blobs = spots.take(lean < 0.22 + 0.6 / spots.radius_px)
    faces = find_faces(blobs, view.shape_at(blobs.xy_px), width, height)
    many = _credible(many_pipped(log_bgr, blobs, faces), view)
    ones = single_pipped(log_bgr, blobs, view, usual_edge_px(many, view))
    ones = ones.take(pips_on(blobs, ones) <= 1)
    guessed = many.joined(apart(ones, np.arange(len(ones)), taken=many))
    found = _looked_again(log_bgr, spots, _credible(guessed, view), view)
    found, view, askew = _on_planes(small, log_bgr, spots, found, view)
    confidence = belief(found, view, usual_edge_px(found, view))
    reasons = askew + doubts(log_bgr, spots, blobs, faces, found, view)
    if not len(found) and (len(guessed) or len(die_sized(log_bgr, spots, found, view, None))):
        reasons = ("what might be dice cannot be read: too dark, too small or out of focus?",)
    return Search(scale, blobs, view, found, confidence, reasons)


def _new(spots: Blobs, log_bgr: NDArray[np.float32], log_empty: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which spots (N,) are not in the empty picture."""
    xy = spots.xy_px.astype(np.float32)
    return np.asarray(np.abs(sample(log_bgr, xy) - sample(log_empty, xy)).max(axis=1) > NEW)


def _on_planes(
    image_bgr: NDArray[np.uint8], log_bgr: NDArray[np.float32], spots: Blobs, found: Found, view: View
) -> tuple[Found, View, tuple[str, ...]]:
    """The dice as on a measured tray, the scene guessed from those that one is sure of, size by size of dice.

    With them the view that follows from them, and why they may not be what they seem. What no scene explains stays as
    it was found; where there is nothing to guess a scene from, everything.
    """
    chance = belief(found, view, usual_edge_px(found, view))
    trusted, rest = found.take(chance > TRUSTED), found.take(chance > SURE_FACE)
    dice, doubtful, best_view = nothing_found(), set[str](), None
    for _ in range(MOST_SIZES):
        size = rest.take(_of_one_size(rest, view))
        guess = guess_scene(image_bgr, size, spots, view)
        seen = nothing_found() if guess is None else _as_found(log_bgr, guess, trusted)
        if guess is not None and len(seen) and _among(size, seen).all():
            credible = _credible_on_plane(seen, guess.view, CREDIBLE if best_view is None else SURE_FACE)
            for k in np.flatnonzero(credible & ~_among(seen, trusted)):
                doubtful.update(guess.sight.doubts[k])
            seen = seen.take(credible)
            best_view = best_view or guess.view
        else:
            seen = size
        dice = dice.joined(apart(seen, np.arange(len(seen)), taken=dice))
        rest = rest.take(~_among(rest, dice))
        if not len(rest):
            break
    if best_view is None:
        return found, view, ()
    return dice.joined(apart(rest, np.arange(len(rest)), taken=dice)), best_view, tuple(sorted(doubtful))


def _credible_on_plane(seen: Found, view: View, least: float) -> NDArray[np.bool_]:
    """Which of the dice (N,) are more than texture: of some belief, and of more where no sure die has their colour."""
    chance = belief(seen, view, usual_edge_px(seen, view))
    sure = seen.take(chance > TRUSTED)
    unlike = np.abs(seen.body[:, None] - sure.body).max(axis=2).min(axis=1, initial=np.inf) > SAME_BODY
    credible = chance > np.where(unlike & bool(len(sure)), max(least, CREDIBLE_ALONE), least)
    return np.asarray(credible if credible.any() else np.ones(len(seen), bool))


def _of_one_size(found: Found, view: View) -> NDArray[np.bool_]:
    """Which of the dice (N,) have the size that most of them have."""
    if not len(found):
        return np.zeros(0, bool)
    size = np.log(found.edge_px / view.edge_at(found.centre_px))
    near = np.abs(size[:, None] - size) < ONE_SIZE
    return np.asarray(near[(near @ found.face).argmax()])


def _as_found(log_bgr: NDArray[np.float32], guess: Guess, trusted: Found) -> Found:
    """The dice of a guessed scene in the picture; those that are `trusted` too have the clearer margin of the two."""
    sight, best = guess.sight, guess.sight.best
    if not len(best):
        return nothing_found()
    corners = sight.corners_px(guess.scene.plane)
    A = np.empty((len(best), 2, 3))
    A[:, :, 0] = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
    A[:, :, 1] = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2
    A[:, :, 2] = corners.mean(axis=1)
    faces, dice = sight.found.faces, guess.scene.dice
    share = np.where(sight.faces == 1, dice.one_radius or dice.pip_radius or PIP_RADIUS, dice.pip_radius or PIP_RADIUS)
    seen = measured(log_bgr, judged(log_bgr, A, share * np.sqrt(np.abs(np.linalg.det(A[:, :, :2])))))
    seen = replace(
        seen, face=sight.faces, edge=np.ones(len(best)), score=faces.score[best].astype(np.float64),
        margin=sight.lead.astype(np.float64), strength=faces.strength[best].astype(np.float64),
        spread=faces.body_spread[best].astype(np.float64), body=faces.body[best].astype(np.float64),
        contrast=faces.contrast[best].astype(np.float64),
    )  # fmt: skip
    known = (_same(seen, trusted) * trusted.margin).max(axis=1, initial=0.0)
    return replace(seen, margin=np.maximum(seen.margin, known))


def _among(dice: Found, others: Found) -> NDArray[np.bool_]:
    """Which of the dice (N,) are among the others."""
    return np.asarray(_same(dice, others).any(axis=1))


def _same(dice: Found, others: Found) -> NDArray[np.bool_]:
    """Which of N dice and M others are at the same place with the same face: N×M."""
    apart_px = np.linalg.norm(dice.centre_px[:, None] - others.centre_px, axis=2)
    return np.asarray((apart_px < SAME_PLACE * dice.edge_px[:, None]) & (dice.face[:, None] == others.face))


def _looked_again(log_bgr: NDArray[np.float32], spots: Blobs, found: Found, view: View) -> Found:
    """The dice after a closer look at the doubtful ones and at everything die-sized or pip-like that is left."""
    usual = usual_edge_px(found, view)
    if usual is None:
        return found
    bodies = die_sized(log_bgr, spots, found, view, usual)
    left = left_over(spots, found, view)
    doubtful = found.take(belief(found, view, usual) < SURE_BELIEF)
    seeds = np.concatenate([bodies.xy_px, left.xy_px, doubtful.centre_px])[:MOST_SEEDS]
    if not len(seeds):
        return found
    body_edges = np.sqrt(np.pi) * 0.9 * bodies.radius_px
    edges = np.concatenate([body_edges, usual * view.edge_at(left.xy_px), doubtful.edge_px])[:MOST_SEEDS]
    again = look_again(log_bgr, seeds, edges, view, usual)
    again = again.take((again.score > 0.7) & (evidence(again, view, usual) > NO_LATTICE))
    every = found.joined(again)
    worth = evidence(every, view, usual) - np.where(np.arange(len(every)) < len(found), 0.0, NO_LATTICE)
    return apart(every, np.argsort(-worth))


def _credible(found: Found, view: View) -> Found:
    """The dice that there is something to believe in; beside sure dice faint ones are texture."""
    chance = belief(found, view, usual_edge_px(found, view))
    sure = chance > 0.7
    faint = np.zeros(len(found), bool)
    if sure.any():
        faint = (chance < 0.5) & (found.strength < FAINT * found.strength[sure].min())
    return found.take((chance > MIN_BELIEF) & ~faint)


def _view(log_bgr: NDArray[np.float32], blobs: Blobs, width: int, height: int) -> View:
    """The plane of the top faces, from the pips of every lattice and from spots that look like those pips."""
    faces = find_faces(blobs, None, width, height)
    faces = faces.take((faces.face >= 3) & (faces.residual < 0.08))
    if len(faces):
        scores = score_faces(log_bgr, faces.A_image_lattice)
        least = np.array([MIN_SCORE[int(face)] for face in faces.face])
        faces = faces.take((scores.face == faces.face) & (scores.score > least) & (scores.strength > 0.6))
    weight = np.zeros(len(blobs))
    shapes = blobs.shape_px2.copy()
    for i in np.argsort(faces.count):
        pips = faces.pips[i][faces.pips[i] >= 0]
        weight[pips] = 1.0
        # The mean of the face's own pips: the lattice of a Six need not be square.
        shapes[pips] = np.mean(blobs.shape_px2[pips], axis=0)
    axes = np.sqrt(np.linalg.eigvalsh(shapes))  # N×2, the shorter first
    weight[axes[:, 0] < FLATTEST * axes[:, 1]] = 0.0
    model = np.unique(faces.pips[faces.pips >= 0])
    strength = np.linalg.norm(blobs.contrast, axis=1)
    for i in np.flatnonzero((weight == 0) & (blobs.evenness > 0.9) & (axes[:, 0] > FLATTEST * axes[:, 1])):
        if len(model):
            differ = np.linalg.norm(blobs.contrast[model] - blobs.contrast[i], axis=1)
            like = (differ < 0.4 * np.maximum(strength[model], strength[i])) & (
                np.abs(blobs.body[model] - blobs.body[i]).max(axis=1) < 0.6
            )
            ratio = axes[model, 1] / axes[i, 1]
            weight[i] = 0.7 * np.any(like & (ratio > 0.6) & (ratio < 1.6))
        else:
            weight[i] = 0.3 * (strength[i] > 1.0)
    weight *= np.minimum(strength / 1.5, 1.0) ** 2
    voters = np.flatnonzero(weight > 0)[:400]
    xy, r = blobs.xy_px[voters], blobs.radius_px[voters]
    # Beside a top face, its die's side faces show: their pips look smaller than the pips next to them.
    near = np.linalg.norm(xy[:, None] - xy[None], axis=2) < 11 * r[:, None]
    ratio = r[None] / r[:, None]
    rival = np.where(near & (ratio < 1.5), ratio, 1.0).max(axis=1, initial=1.0)
    return estimate_view(xy, shapes[voters], weight[voters] * rival**-6.0, width, height)


def _die(seen: Search, i: int) -> Die:
    """A found die in pixels of the original picture."""
    found = seen.found
    corners = (found.corners_px[i] + 0.5) / seen.scale - 0.5
    x, y = corners.mean(axis=0)
    along = corners[1] - corners[0]
    return Die(
        face=int(found.face[i]),
        confidence=float(seen.confidence[i]),
        x_px=float(x), y_px=float(y),
        size_px=float(found.edge_px[i] / seen.scale),
        angle_deg=float(np.degrees(np.arctan2(along[1], along[0])) % 90),
        corners_px=tuple((float(cx), float(cy)) for cx, cy in corners),
    )  # fmt: skip
