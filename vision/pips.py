"""What the six faces look like, and how well each of them explains a square patch of a picture.

A face has its pips on the nine sites of a 3 × 3 lattice. Face coordinates are in die edges, [-.5, .5]² with the origin
in the middle, so one affine map (face to picture) places all sites, whether the picture is rectified or not.
"""

from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Picture = NDArray[np.float32] | NDArray[np.uint8]

PIP_RADIUS = 0.095
PIP_SPACING = 0.26

# Sites row by row, in lattice steps from the middle; x runs along a row.
SITES_XY: Floats = np.array([(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)], np.float32)

_DRAWN = {
    1: ["... .o. ..."],
    2: ["o.. ... ..o", "..o ... o.."],
    3: ["o.. .o. ..o", "..o .o. o.."],
    4: ["o.o ... o.o"],
    5: ["o.o .o. o.o"],
    6: ["ooo ... ooo", "o.o o.o o.o"],
}
PATTERN_FACES: NDArray[np.int64] = np.array([face for face, ways in _DRAWN.items() for _ in ways])
PATTERNS: Floats = np.array(
    [[mark == "o" for mark in way.replace(" ", "")] for ways in _DRAWN.values() for way in ways], np.float32
)

# Weights of blue, green and red in a grey log picture: as the eye's, so that no pair of colours cancels.
GREY_BGR: Floats = np.array([0.2, 0.6, 0.2], np.float32)

# Sampling: a pip by its middle and six points around it; the body by four points between the sites and eight around
# them, near the rim or just off the pips: a lamp mirrored in the flat of the face ends where the rim begins to bend.
_DISK: Floats = np.array([(0, 0)] + [(np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3], np.float32)
_DISK_FILL = 0.6
_RIMS = (0.37, 0.33)

_DARK = 6.0
_LOG = np.log(np.arange(256, dtype=np.float32) + _DARK)
_NOISE = 0.02
_MOST_UNEVEN = 0.4
_MIN_CONTRAST = 0.02


@dataclass(frozen=True, slots=True)
class FaceScores:
    """How the six faces explain N patches; arrays of N rows, C the channels of the picture.

    `scores` (N, 6): 1 a perfect fit, 0 or less no likeness; `face` (N,) the best, 1..6; `score`, `margin` (N,): the
    best and its lead over the second best face; `turned` (N,) bool: the second drawing of 2, 3 or 6 fits better;
    `sites` (N, 9) bool: where the best face has its pips;
    `contrast` (N, C): log of pip over body for the best face; `strength` (N,) its length; `polarity` (N,) int: +1 light
    pips, -1 dark ones, 0 unknown; `body` (N, C): log level of the body; `body_spread` (N,) how uneven it is, log units.
    """

    scores: Floats
    face: NDArray[np.int64]
    score: Floats
    margin: Floats
    turned: NDArray[np.bool_]
    sites: NDArray[np.bool_]
    contrast: Floats
    strength: Floats
    polarity: NDArray[np.int64]
    body: Floats
    body_spread: Floats

    def joined(self, more: "FaceScores") -> "FaceScores":
        """These patches and those of `more` behind them."""
        return FaceScores(*(np.concatenate([getattr(scores, f.name) for scores in (self, more)]) for f in fields(self)))

    def take(self, index: NDArray[np.int64]) -> "FaceScores":
        """The patches that `index` names, in that order."""
        return FaceScores(*(getattr(self, f.name)[index] for f in fields(self)))

    def vouched(self, face: NDArray[np.int64], score: float) -> "FaceScores":
        """The same patches, of each the face (N,) 1..6 scoring no less than `score`; where it did score less, its pips
        lie otherwise or cannot be seen, and their polarity is not known.
        """
        row = np.arange(len(face))
        scores = self.scores.copy()
        polarity = np.where(scores[row, face - 1] < score, 0, self.polarity)
        scores[row, face - 1] = np.maximum(scores[row, face - 1], score)
        ranked = np.sort(scores, axis=1)
        best = scores.argmax(1).astype(np.int64) + 1
        margin = ranked[:, -1] - ranked[:, -2]
        return replace(self, scores=scores, face=best, score=ranked[:, -1], margin=margin, polarity=polarity)


def log_picture(image: NDArray[np.uint8]) -> Floats:
    """The logarithm of a picture, in which a contrast is the same in light and in shadow.

    `image` uint8 of any shape; the result float32 of that shape, natural log of the value plus a little, so that the
    noise of black pixels stays small.
    """
    return np.asarray(cv2.LUT(image, _LOG), np.float32)


def level(log: Floats) -> Floats:
    """The grey levels 0..255 whose logarithms `log_picture` gives; float32 of any shape."""
    return np.asarray(np.clip(np.exp(log) - _DARK, 0, 255), np.float32)


def sample(picture: Picture, xy: Floats, how: int = cv2.INTER_LINEAR) -> Floats:
    """The picture at `xy` (..., 2) pixels, the border repeated outside; (..., C) float32, also for C = 1."""
    return _sample(picture, xy[..., 0], xy[..., 1], how)


def sample_faces(picture: Picture, A_image_face: Floats, face_xy: Floats, how: int = cv2.INTER_LINEAR) -> Floats:
    """The picture at the points (..., 2) of each of N faces: (N, ..., C) float32."""
    x, y = _place(A_image_face, face_xy).transpose(1, 0, 2)
    values = _sample(picture, x, y, how)
    return values.reshape(len(A_image_face), *face_xy.shape[:-1], values.shape[-1])


def place(A_image_face: Floats, face_xy: Floats) -> Floats:
    """Points of the face (..., 2) in the picture of each of N affine maps (N, 2, 3): (N, ..., 2)."""
    return _place(A_image_face, face_xy).transpose(0, 2, 1).reshape(len(A_image_face), *face_xy.shape)


def _place(A_image_face: Floats, face_xy: Floats) -> Floats:
    """The points' x and y for each map: (N, 2, k)."""
    flat = face_xy.reshape(-1, 2)
    xy = A_image_face[:, :, :2].reshape(-1, 2) @ flat.T + A_image_face[:, :, 2].reshape(-1, 1)
    return np.asarray(xy, np.float32).reshape(len(A_image_face), 2, len(flat))


def _sample(picture: Picture, x: Floats, y: Floats, how: int) -> Floats:
    shape = (*x.shape, 1 if picture.ndim == 2 else picture.shape[2])
    if not x.size:
        return np.zeros(shape, np.float32)
    x, y = np.ascontiguousarray(x, np.float32).reshape(-1, 1), np.ascontiguousarray(y, np.float32).reshape(-1, 1)
    # remap takes at most 32,767 rows or columns.
    parts = [
        cv2.remap(picture, x[i : i + 32000], y[i : i + 32000], how, borderMode=cv2.BORDER_REPLICATE)
        for i in range(0, len(x), 32000)
    ]
    return np.asarray(parts[0] if len(parts) == 1 else np.concatenate(parts), np.float32).reshape(shape)


def score_faces(
    log_image: Floats,
    A_image_face: ArrayLike,
    pip_radius: float = PIP_RADIUS,
    pip_spacing: float = PIP_SPACING,
    one_radius: float | None = None,
) -> FaceScores:
    """How well each of the six faces explains each of N patches.

    `log_image` H×W×C or H×W float32 (see `log_picture`); `A_image_face` (N, 2, 3) maps face coordinates (die edges) to
    pixels; the radii and the spacing in die edges, `one_radius` the One's own if it has one. Every patch is judged by
    its own contrast and in its own colours, so neither polarity nor colour need be known: a pip is the same step away
    from the body on all the sites a face has, and nothing is there on the others.
    """
    A = np.ascontiguousarray(A_image_face, np.float32).reshape(-1, 2, 3)
    one = one_radius or pip_radius
    site_xy = SITES_XY * np.float32(pip_spacing)
    bodies_xy = [_body_xy(pip_spacing / 2, rim) for rim in _RIMS]
    disks_xy = (site_xy[:, None] + _DISK * np.float32(_DISK_FILL * pip_radius)).reshape(-1, 2)
    one_xy = _DISK * np.float32(_DISK_FILL * one)
    values = sample_faces(log_image, A, np.concatenate([disks_xy, one_xy, *bodies_xy]))
    n, channels = len(A), values.shape[-1]
    # The median of a disk forgets the highlight that a lamp leaves in a deep pip.
    disks = np.partition(values[:, :70].reshape(n, 10, 7, channels), 3, axis=2)[:, :, 3]
    bodies = values[:, 70:].reshape(n, len(_RIMS), 12, channels)
    views = [_explain(disks, bodies[:, i], site_xy, xy) for i, xy in enumerate(bodies_xy)]
    view = np.argmax([by_pattern.max(1, initial=-np.inf) for by_pattern, _, _, _ in views], axis=0)
    by_pattern, contrast, body, spread = (np.stack(parts)[view, np.arange(n)] for parts in zip(*views, strict=True))

    scores = np.stack([by_pattern[:, face == PATTERN_FACES].max(1) for face in range(1, 7)], axis=1)
    best_pattern = by_pattern.argmax(1)
    ranked = np.sort(scores, axis=1)
    row = np.arange(n)
    best_contrast = contrast[row, best_pattern]
    return FaceScores(
        scores=scores,
        face=PATTERN_FACES[best_pattern],
        score=ranked[:, -1],
        margin=ranked[:, -1] - ranked[:, -2],
        turned=np.isin(best_pattern, (2, 4, 8)),
        sites=PATTERNS[best_pattern] > 0,
        contrast=best_contrast,
        strength=np.linalg.norm(best_contrast, axis=1),
        polarity=np.where(best_contrast.sum(1) >= 0, 1, -1),
        body=body,
        body_spread=spread,
    )


def _body_xy(half_step: float, rim: float) -> Floats:
    """Where to look at the body: (12, 2) in die edges."""
    h, signs = half_step, (-1, 1)
    return np.array([(i * x, j * y) for x, y in ((h, h), (h, rim), (rim, h)) for i in signs for j in signs], np.float32)


def _explain(disks: Floats, bodies: Floats, site_xy: Floats, body_xy: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """How well each of P patterns explains N faces: scores (N, P), contrasts (N, P, C), body (N, C), its spread (N,).

    `disks` (N, 10, C): the nine sites and the middle of a One; `bodies` (N, 12, C) the body at `body_xy`.
    """
    sites, big = disks[:, :9], disks[:, 9]
    body = np.median(bodies, axis=1)
    # Light may fall off across a face: compare every site with the body on its own side, the One with all of it.
    near = (np.linalg.norm(site_xy[:, None] - body_xy, axis=2) < 1.5 * site_xy.max()).astype(np.float32)
    near /= near.sum(1, keepdims=True)
    local = near @ np.clip(bodies, body[:, None] - _MOST_UNEVEN, body[:, None] + _MOST_UNEVEN)
    steps = sites - local
    spread = np.linalg.norm(np.abs(bodies - body[:, None]).mean(1), axis=1)

    on = PATTERNS / PATTERNS.sum(1, keepdims=True)
    contrast = np.einsum("ps,nsc->npc", on, steps)
    missed = steps[:, None] - PATTERNS[None, :, :, None] * contrast[:, :, None]
    contrast[:, 0] = big - body
    missed[:, 0, 4] = 0
    strength_sq = np.maximum((contrast**2).sum(2), _MIN_CONTRAST**2)
    misfit = ((missed**2).sum((2, 3)) + 9 * _NOISE**2) / (2 * strength_sq)
    return (1 - np.sqrt(misfit)).astype(np.float32), contrast, body, spread.astype(np.float32)
