"""How large single dice and their pips are, as their top faces show them; lengths in die edges."""

import numpy as np
from numpy.typing import NDArray

from vision.pips import SITES_XY, FaceScores, sample_faces
from vision.propose import sides_at

Floats = NDArray[np.float32]

WIDTHS = np.arange(0.43, 0.61, 0.01)
RADII = np.arange(0.02, 0.24, 0.01)
_REACH = 0.03
_STEP, _PEAK_STEPS = 0.01, 5
# Along the diagonal from a face's middle; nearer than this lie pips.
_DIAGONAL = np.arange(0.53, 0.73, _STEP)
_CORNERS: Floats = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)], np.float32) / np.float32(np.sqrt(2))


def side_steps(log_image: Floats, A_plane_face: Floats) -> Floats:
    """How much the picture changes at each of WIDTHS from the middle of N top faces: (N, 4 sides, widths), at most 1.

    Every side of every die has the same say, however strong its step.
    """
    reaches = np.arange(WIDTHS[0] - _REACH, WIDTHS[-1] + _REACH + _STEP / 2, _STEP)
    sides, apart = sides_at(log_image, A_plane_face, reaches.tolist()), round(2 * _REACH / _STEP)
    steps = np.linalg.norm(sides[:, apart:] - sides[:, :-apart], axis=3).transpose(0, 2, 1)
    return np.asarray(steps / np.maximum(steps.max(-1, keepdims=True), 1e-6), np.float32)


def widths(log_image: Floats, A_plane_face: Floats) -> Floats:
    """The width of each of N top faces: (N,), 1 where the die is as large as was assumed."""
    return 2 * _peaks(side_steps(log_image, A_plane_face).mean(1), WIDTHS)


def widths_of_three(log_image: Floats, A_plane_face: Floats) -> Floats:
    """The width of each of N top faces that three of its sides bear out, as `widths`: at the others the border of the
    die's body may be what shows.
    """
    sides = side_steps(log_image, A_plane_face)
    reach = np.sort(_peaks(sides.reshape(-1, len(WIDTHS)), WIDTHS).reshape(-1, 4), axis=1)
    return np.asarray(2 * reach[:, 1])


def corner_radii(log_image: Floats, A_plane_face: Floats) -> Floats:
    """The radius of the arcs in which the sides of N top faces meet: (N,), .07 or so for the sharpest.

    Along its diagonal a square of half-width h whose corners are arcs of radius r ends at √2 h - (√2 - 1) r.
    """
    reach = np.stack([_DIAGONAL - _REACH, _DIAGONAL + _REACH], -1).astype(np.float32)
    values = sample_faces(log_image, A_plane_face, _CORNERS[:, None, None] * reach[None, ..., None])
    steps = np.linalg.norm(values[:, :, :, 1] - values[:, :, :, 0], axis=-1)
    each = steps / np.maximum(steps.max(-1, keepdims=True), 1e-6)
    half = widths(log_image, A_plane_face) / 2
    return np.asarray(np.maximum((np.sqrt(2) * half - _peaks(each.mean(1), _DIAGONAL)) / (np.sqrt(2) - 1), 0))


def pip_profile(log_image: Floats, A_plane_face: Floats, faces: FaceScores, i: int, spacing: float) -> Floats:
    """From pip (about 1) to body (about 0) at each of RADII from a pip's middle: the mean over the pips of face `i`.

    `A_plane_face` (2, 3) is the face's map.
    """
    angles = np.arange(8) * np.pi / 4
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    middles = SITES_XY[faces.sites[i]] * spacing
    points = middles[:, None, None] + RADII[None, :, None, None] * circle
    values = sample_faces(log_image, A_plane_face[None], points.astype(np.float32))[0]
    along = ((values - faces.body[i]) @ faces.contrast[i]) / np.maximum(faces.strength[i] ** 2, 1e-6)
    return np.asarray(np.median(along, axis=2).mean(0))


def half_fall(profile: Floats) -> float | None:
    """The radius at which a profile over RADII has fallen by half; None where it never does."""
    level = profile[:3].mean() / 2
    below = np.nonzero(profile < level)[0]
    if not len(below) or below[0] == 0:
        return None
    k = below[0]
    share = (profile[k - 1] - level) / max(profile[k - 1] - profile[k], 1e-6)
    return float(RADII[k - 1] + share * (RADII[k] - RADII[k - 1]))


def _peaks(rows: Floats, at: NDArray[np.float64]) -> Floats:
    """Where each row (N, K) over `at` (K,) peaks: the middle of what is more than half as high around its top."""
    top = rows.argmax(1)
    near = np.abs(np.arange(rows.shape[1]) - top[:, None]) <= _PEAK_STEPS
    weight = np.where(near, np.maximum(rows - rows.max(1, keepdims=True) / 2, 0), 0)
    return np.asarray((weight @ at) / np.maximum(weight.sum(1), 1e-6))
