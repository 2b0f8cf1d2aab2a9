"""The kinds of dice in a set: which of the dice seen look alike, and how each measure is distributed over them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.find import face_maps
from vision.measure import corner_radii, half_fall, pip_profile, widths
from vision.pips import GREY_BGR, level
from vision.profile import Colour, DiceModel, DieKind, Measured
from vision.propose import Candidates

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]

LEAST_SCORE = 0.6
# How far apart, as log of light in three channels, two bodies of one kind may be: what a lamp at one side makes of it.
_ALIKE = 0.33
# From the median of absolute deviations to one standard deviation of a normal distribution.
_SD_OF_MAD = 1.4826


@dataclass(frozen=True, slots=True)
class Faces:
    """N top faces of one roll as measured; lengths in edges of the die as assumed, NaN where a face does not tell.

    `body`, `pips` (N, 3): log levels, see vision.pips; `step` (N,) how much lighter the pips are, as log of grey.
    """

    body: Floats
    pips: Floats
    step: Floats
    width: Floats
    corner: Floats
    spacing: Floats
    radius: Floats
    one_radius: Floats


def measured_faces(log_image: Floats, found: Candidates, best: Whole, px_per_edge: float, spacing: float) -> Faces:
    """What the faces `best` among those found on a rectified log picture show; those hardly seen are left out."""
    faces = found.faces
    seen = best[faces.score[best] >= LEAST_SCORE]
    A = face_maps(found.poses[seen], px_per_edge)
    ones = faces.face[seen] == 1
    falls = (half_fall(pip_profile(log_image, A[k], faces, i, spacing)) for k, i in enumerate(seen))
    radii = np.array([np.nan if fall is None else fall for fall in falls], np.float32)
    return Faces(
        body=faces.body[seen],
        pips=faces.body[seen] + faces.contrast[seen],
        step=faces.contrast[seen] @ GREY_BGR,
        width=widths(log_image, A),
        corner=corner_radii(log_image, A),
        spacing=np.where(ones, np.nan, found.scale[seen] * spacing).astype(np.float32),
        radius=np.where(ones, np.nan, radii).astype(np.float32),
        one_radius=np.where(ones, radii, np.nan).astype(np.float32),
    )


def dice_kinds(rolls: list[Faces], dice: DiceModel) -> tuple[DieKind, ...]:
    """The kinds of dice that the rolls show, the commonest first; `dice` is what their lengths were measured with."""
    if not rolls or not sum(len(roll.step) for roll in rolls):
        return ()
    names = Faces.__slots__
    every = Faces(*(np.concatenate([getattr(roll, name) for roll in rolls]) for name in names))
    of_roll = np.repeat(np.arange(len(rolls)), [len(roll.step) for roll in rolls])
    group = _groups(every.body, every.step > 0)
    kinds = []
    for one in np.unique(group):
        mine = group == one
        kind = Faces(*(getattr(every, name)[mine] for name in names))
        kinds.append(_kind(kind, int(np.bincount(of_roll[mine]).max()), dice.edge_mm))
    return tuple(sorted(kinds, key=lambda kind: -kind.edge_mm.seen))


def _kind(faces: Faces, count: int, edge_mm: float) -> DieKind:
    edge = _measured(faces.width * np.float32(edge_mm))
    assert edge is not None
    step = _measured(faces.step)
    assert step is not None
    return DieKind(
        count=count,
        body=_colour(faces.body),
        pips=_colour(faces.pips),
        pip_step=step,
        edge_mm=edge,
        corner_radius=_measured(faces.corner),
        pip_spacing=_measured(faces.spacing),
        pip_radius=_measured(faces.radius),
        one_radius=_measured(faces.one_radius),
    )


def _groups(body: Floats, light_pips: NDArray[np.bool_]) -> Whole:
    """A number (N,) for each face, the same for those that look alike: from one to the next in steps a lamp could make.

    A face all alone goes with the nearest of its tint: there a lamp was mirrored in it.
    """
    apart, tint = _apart(body), _apart(body - body.mean(1, keepdims=True))
    other = light_pips[:, None] != light_pips[None]
    group = np.arange(len(body))
    for _ in body:
        group = np.where((apart < _ALIKE) & ~other, group[None], len(body)).min(1)
    alone = np.bincount(group)[group] == 1
    apart[other | (tint > _ALIKE) | np.eye(len(body), dtype=bool)] = np.inf
    nearest = apart.argmin(1)
    return np.where(alone & np.isfinite(apart.min(1)), group[nearest], group)


def _apart(logs: Floats) -> Floats:
    return np.asarray(np.linalg.norm(logs[:, None] - logs[None], axis=2))


def _measured(values: Floats) -> Measured | None:
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    median = float(np.median(values))
    return Measured(round(median, 4), round(_sd(values - median), 4), len(values))


def _colour(logs: Floats) -> Colour:
    levels = level(logs)
    median = np.median(levels, axis=0)
    blue, green, red = (round(float(k), 1) for k in median)
    return Colour((blue, green, red), round(_sd((levels - median).mean(1)), 1), len(levels))


def _sd(off: Floats) -> float:
    return _SD_OF_MAD * float(np.median(np.abs(off)))
