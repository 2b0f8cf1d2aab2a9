"""Dice that may be there: poses that the pips suggest, with all the evidence for each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import Blobs, distinct, face_maps, find_blobs, lattice_poses, refine
from vision.foreground import Foreground
from vision.pips import GREY_BGR, PIP_RADIUS, PIP_SPACING, FaceScores, sample_faces, score_faces
from vision.profile import DiceModel
from vision.rectify import Plane
from vision.spotter import Spots
from vision.teller import UNREADABLE

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

GRID: Floats = np.array([(x, y) for y in np.linspace(-0.45, 0.45, 7) for x in np.linspace(-0.45, 0.45, 7)], np.float32)
_ALONG = np.linspace(-0.34, 0.34, 7)
_INSIDE, _OUTSIDE = 0.42, 0.57

_BLOB_SHARE = 0.14
_LEAST_BLOB, _MOST_BLOB = 0.03, 0.035
_BLOBS_A_CELL = 14
_RING, _RING_RADII = 0.55, 1.4
_LEAST_COVER = 0.75
_BIG_ONE = 1.25
_UNKNOWN_BIG_ONE = 0.16
_ONE_ANGLES = 15
_LEAST_SCORE, _SURE_SCORE = 0.4, 0.75
_STRAY_STEP = 0.4
_STRAY_COST = 0.3
_STILL_THERE = 0.5
_USUAL_EDGE = 0.4
_LEAST_EDGE = 0.15
_UNEVEN, _UNEVEN_COST = 0.12, 1.0
_CLEAR_CENTRE, _CLEAR_CHANCE, _SAME_PLACE, _VOUCHED = 0.5, 0.9, 0.15, 0.7
_SIZE_OFF, _SLANTED = 0.12, 0.06
_NEAR: Floats = np.array(
    [(x, y, turn) for x in (-0.05, 0, 0.05) for y in (-0.05, 0, 0.05) for turn in (-0.1, -0.05, 0, 0.05, 0.1)],
    np.float32,
)


@dataclass(frozen=True, slots=True)
class View:
    """A picture on the plane, (h, w, 3) uint8, its logarithms, and what is known of it: the plane, the dice and, where
    the tray was seen empty, the foreground and the logarithms of the empty picture.
    """

    image_bgr: NDArray[np.uint8]
    log_image: Floats
    plane: Plane
    dice: DiceModel
    front: Foreground | None
    log_empty: Floats | None

    @property
    def changed(self) -> Mask:
        """Where dice may be."""
        return self.front.changed if self.front else self.plane.seen

    @property
    def pip_radius(self) -> float:
        """Of these dice or, as long as it is not known, of most; in edges."""
        return self.dice.pip_radius or PIP_RADIUS

    @property
    def pip_spacing(self) -> float:
        """As the radius."""
        return self.dice.pip_spacing or PIP_SPACING


@dataclass(frozen=True, slots=True)
class Candidates:
    """N dice that may be there, with the evidence for each.

    `poses` (N, 3) on the plane; `faces` what their pips say; `outline` (N,) the step across the sides of the top face
    against what it should be, `second_side` (N,) that across its second weakest side, log units; `cover` (N,) the share
    of it that is not as in the empty tray; `strays` (N,) the pips on it that its face does not have; `scale` (N,) how
    wide its pips lie against the expected spacing; `worth` (N,) the sum of the evidence: about 1.5 for a perfect die,
    below .9 for hardly one. `spots`: all that looks like a pip.
    """

    poses: Floats
    faces: FaceScores
    outline: Floats
    second_side: Floats
    cover: Floats
    strays: Floats
    scale: Floats
    worth: Floats
    spots: Blobs

    def joined(self, more: "Candidates") -> "Candidates":
        """These dice, then those of `more`."""
        names = ("poses", "outline", "second_side", "cover", "strays", "scale", "worth")
        both: dict[str, Any] = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in names}
        return replace(self, faces=self.faces.joined(more.faces), **both)


def candidates(view: View, tolerance: float = 0.09, ones: bool = True) -> Candidates:
    """All dice that the pips suggest.

    `tolerance`: how far, as a share, the spacing may be from the expected one; without `ones` only faces with two pips
    and more.
    """
    log_image, dice, changed = view.log_image, view.dice, view.changed
    px, radius, spacing = view.plane.px_per_edge, view.pip_radius, view.pip_spacing
    where = np.asarray(cv2.dilate(changed.astype(np.uint8), np.ones((3, 3), np.uint8)), np.uint8)
    grey = np.asarray(cv2.transform(log_image, GREY_BGR[None]), np.float32)
    ring = max(_RING * spacing, _RING_RADII * radius)
    least = min(max(_BLOB_SHARE * (dice.pip_step or 1.0), _LEAST_BLOB), _MOST_BLOB)
    blobs = find_blobs(grey, radius * px, ring * px, where, least, px, _BLOBS_A_CELL)
    poses, scale = _poses(blobs, spacing * px, px, tolerance, changed)
    faces = score_faces(log_image, face_maps(poses, px), radius, spacing, dice.one_radius)
    for one in _one_radii(dice.one_radius, radius) if ones else ():
        spots = blobs
        if one > _BIG_ONE * radius:
            spots = find_blobs(grey, one * px, _RING_RADII * one * px, where, least, px, 3)
        sure = poses[(faces.score > _SURE_SCORE) & (faces.face > 2)]
        alone = _one_poses(log_image, spots.xy[~_on_top(spots.xy, sure, px)], px, changed)
        faces = faces.joined(score_faces(log_image, face_maps(alone, px), radius, spacing, one))
        poses, scale = np.concatenate([poses, alone]), np.concatenate([scale, np.ones(len(alone), np.float32)])
    return _weighed(view, poses, faces, scale, blobs)


def spotted_too(found: Candidates, spots: Spots, view: View) -> Candidates:
    """The dice that were found, and those that were clearly spotted on the plane."""
    poses, faces = _spotted(view, spots)
    return found.joined(_weighed(view, poses, faces, np.ones(len(poses), np.float32), found.spots))


def borne_out(found: Candidates, which: NDArray[np.int64], spots: Spots, view: View) -> Mask:
    """Of which of these dice that were found the same face was spotted, clearly, at the same place: (K,) bool."""
    away = np.linalg.norm(found.poses[which, None, :2] - spots.xy_px, axis=2)
    same = found.faces.face[which, None] == spots.chance.argmax(1) + 1
    return np.asarray((same & (away < _SAME_PLACE * view.plane.px_per_edge)).any(1))


def clear_spots(spots: Spots, view: View, size_off: float = _SIZE_OFF) -> Spots:
    """Those of the spots that are clearly dice of one face and, being square and of the right size but for so many log
    units, lie flat.

    Of 973 faces of dice lying flat one in a hundred was off by more than half of what is allowed, of 49 leaning all but
    one by more than all of it.
    """
    clear = (spots.centre > _CLEAR_CENTRE) & (spots.chance.max(1) > _CLEAR_CHANCE)
    clear &= np.abs(np.log(spots.edge_px / view.plane.px_per_edge)) < size_off
    clear &= np.linalg.norm(spots.slant, axis=1) < _SLANTED
    return spots.take(clear & (spots.chance.argmax(1) < UNREADABLE))


def _weighed(view: View, poses: Floats, faces: FaceScores, scale: Floats, blobs: Blobs) -> Candidates:
    """Candidates at those of these poses where pips show any face, with all the evidence for each."""
    some = np.nonzero(faces.score > _LEAST_SCORE)[0]
    poses, faces, scale = poses[some], faces.take(some), scale[some]
    px, dice, log_empty = view.plane.px_per_edge, view.dice, view.log_empty
    A = face_maps(poses, px)
    edges, covered = edge_steps(view.log_image, A), cover(view.changed, A)
    strays = _strays(poses, faces, blobs, view.pip_spacing, px)
    outline = edges.mean(1) / _usual_edges(A, faces.body, log_empty, dice.edge_step or _USUAL_EDGE)
    worth = faces.score + 0.5 * np.minimum(outline, 1) + covered - 1 - _STRAY_COST * np.minimum(strays, 3)
    if log_empty is not None:
        # What looks like that face in the empty tray as well, and as strongly, is a part of the tray.
        before = score_faces(log_empty, A, view.pip_radius, view.pip_spacing, dice.one_radius)
        alike = (before.contrast * faces.contrast).sum(1) > _STILL_THERE * faces.strength**2
        worth = worth - alike * np.maximum(before.scores[np.arange(len(A)), faces.face - 1], 0)
    if view.front is None:
        # Without the empty tray, texture and corners of the tray may look like pips; a die's body is even.
        uneven = faces.body_spread / np.maximum(faces.strength, 1e-3) - _UNEVEN
        worth = worth - _UNEVEN_COST * np.clip(uneven, 0, 0.5)
    second_side = np.sort(edges, axis=1)[:, 1]
    return Candidates(poses, faces, outline, second_side, covered, strays, scale, worth.astype(np.float32), blobs)


def _spotted(view: View, spots: Spots) -> tuple[Floats, FaceScores]:
    """Poses (N, 3) of the dice that were clearly spotted, and their pips: those of the face that was spotted count as
    seen, whatever light lies on them; any other face must show itself.
    """
    px = view.plane.px_per_edge
    face, base = spots.chance.argmax(1), np.column_stack([spots.xy_px, spots.angle_rad]).astype(np.float32)
    near = (base[:, None] + _NEAR * np.array([px, px, 1], np.float32)).reshape(-1, 3)
    every = score_faces(view.log_image, face_maps(near, px), view.pip_radius, view.pip_spacing, view.dice.one_radius)
    own = every.scores.reshape(-1, len(_NEAR), 6)[np.arange(len(face)), :, face]
    pick = np.arange(len(face)) * len(_NEAR) + own.argmax(1)
    return near[pick], every.take(pick).vouched(face + 1, _VOUCHED)


def _usual_edges(A_plane_face: Floats, body: Floats, log_empty: Floats | None, usual: float) -> Floats:
    """How strong the outline of each die should be: as usual, or less where the tray around is of the body's colour."""
    if log_empty is None:
        return np.full(len(body), usual, np.float32)
    around = sides_at(log_empty, A_plane_face, (_OUTSIDE,))[:, 0]
    expected = np.linalg.norm(around - body[:, None], axis=2).mean(1)
    return np.asarray(np.clip(expected, _LEAST_EDGE, usual), np.float32)


def _one_radii(known: float | None, pip_radius: float) -> tuple[float, ...]:
    """The radii a One may have: its own, or as long as none was seen that of the other pips and a big one."""
    return (known,) if known else (pip_radius, _UNKNOWN_BIG_ONE)


def _poses(blobs: Blobs, spacing_px: float, px: float, tolerance: float, changed: Mask) -> tuple[Floats, Floats]:
    """Poses (N, 3) on which the blobs of one sign lie like the pips of a face, and how wide they lie there (N,)."""
    poses, scale = [], []
    for sign in (-1, 1):
        pips = blobs.of_sign(sign)
        fitted = refine(lattice_poses(pips, spacing_px, tolerance), pips, spacing_px, changed.shape)
        keep = np.nonzero(fitted.like_a_face)[0]
        keep = keep[cover(changed, face_maps(fitted.poses[keep], px)) > _LEAST_COVER]
        keep = keep[distinct(fitted.poses[keep], fitted.hits[keep].astype(np.float32), 0.06 * px)]
        poses.append(fitted.poses[keep])
        scale.append(fitted.scale[keep])
    return np.concatenate(poses), np.concatenate(scale)


def _on_top(xy: Floats, poses: Floats, px: float) -> Mask:
    """Which points lie well inside one of the squares: (N,) bool."""
    if not len(poses):
        return np.zeros(len(xy), np.bool_)
    return np.asarray((np.abs(_in_face(xy, poses, px)).max(2) < 0.4).any(1))


def _in_face(xy: Floats, poses: Floats, px: float) -> Floats:
    """Plane points (N, 2) in the face coordinates of M poses: (N, M, 2)."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    x, y = (xy[:, None] - poses[:, :2]).transpose(2, 0, 1) / px
    return np.stack([x * c + y * s, y * c - x * s], -1)


def _strays(poses: Floats, faces: FaceScores, blobs: Blobs, spacing: float, px: float) -> Floats:
    """How many clear spots lie on each face where it has no pip: (N,)."""
    if not len(blobs.xy) or not len(poses):
        return np.zeros(len(poses), np.float32)
    at = _in_face(blobs.xy, poses, px)
    step = np.round(at / spacing)
    on_lattice = (np.abs(step).max(2) <= 1) & (np.hypot(*(at - step * spacing).transpose(2, 0, 1)) < 0.35 * spacing)
    site = np.where(on_lattice, (step[..., 1] + 1) * 3 + step[..., 0] + 1, 0).astype(np.int64)
    explained = on_lattice & faces.sites[np.arange(len(poses)), site]
    clear = blobs.step[:, None] * faces.polarity > _STRAY_STEP * np.abs(faces.contrast @ GREY_BGR)
    return np.asarray((clear & ~explained & (np.abs(at).max(2) < 0.4)).sum(0), np.float32)


def _one_poses(log_image: Floats, blobs_xy: Floats, px: float, changed: Mask) -> Floats:
    """A pose around each blob, turned so that its sides lie on the strongest edges."""
    angles = np.arange(_ONE_ANGLES, dtype=np.float32) * np.float32(np.pi / 2 / _ONE_ANGLES)
    straight = np.column_stack([blobs_xy, np.zeros(len(blobs_xy))]).astype(np.float32)
    blobs_xy = blobs_xy[
        np.minimum(
            *(cover(changed, face_maps(np.add(straight, (0, 0, a)).astype(np.float32), px)) for a in (0, np.pi / 4))
        )
        > 0.7
    ]
    poses = np.column_stack([np.repeat(blobs_xy, _ONE_ANGLES, 0), np.tile(angles, len(blobs_xy))]).astype(np.float32)
    steps = edge_steps(log_image, face_maps(poses, px)).mean(1).reshape(-1, _ONE_ANGLES)
    return np.asarray(poses.reshape(-1, _ONE_ANGLES, 3)[np.arange(len(steps)), steps.argmax(1)])


def _sides(reach: float) -> Floats:
    """Points along the four sides of a square of half-width `reach`: (4, 7, 2)."""
    near = np.full_like(_ALONG, reach)
    return np.array(
        [np.stack(xy, 1) for xy in ((_ALONG, -near), (near, _ALONG), (_ALONG, near), (-near, _ALONG))], np.float32
    )


def edge_steps(log_image: Floats, A_plane_face: Floats) -> Floats:
    """How much the picture changes across each side of N squares: (N, 4), the length of the side's mean log step."""
    inner, outer = sides_at(log_image, A_plane_face, (_INSIDE, _OUTSIDE)).transpose(1, 0, 2, 3)
    return np.asarray(np.linalg.norm(outer - inner, axis=2), np.float32)


def sides_at(log_image: Floats, A_plane_face: Floats, reaches: Sequence[float]) -> Floats:
    """What the picture shows along the sides of N squares of each of these half-widths: (N, reaches, 4 sides, C)."""
    lines = np.stack([_sides(reach) for reach in reaches])
    return np.asarray(sample_faces(log_image, A_plane_face, lines).mean(3), np.float32)


def cover(mask: Mask, A_plane_face: Floats) -> Floats:
    """The share of each square that the mask covers: (N,) 0..1."""
    return np.asarray(sample_faces(mask.view(np.uint8), A_plane_face, GRID, cv2.INTER_NEAREST).mean((1, 2)))
