"""A second witness: what the pixels say of faces that were spotted, measured pip by pip where they lie."""

import numpy as np
from numpy.typing import NDArray

from vision.pips import score_faces

Floats = NDArray[np.float32]

_TURNS_RAD = np.deg2rad(np.linspace(-20, 20, 7))
_SIZES = np.log(np.array([0.86, 0.95, 1.05, 1.16]))
_SQUASHES = (0.0, 0.22)  # log units by which one way across the face looks shorter to a camera that leans
_WAYS_RAD = np.arange(4) * np.pi / 4
_FINALISTS, _ROUNDS = 8, 3
_WEIGHT = 2.0  # log odds that a perfect score adds to a face; fitted on rendered rigs
_SHIFT, _STEP = 0.09, np.array([0.05, 0.05, 0.06, 0.04, 0.07, 0.35])


def hear(log_bgr: Floats, xy_px: Floats, edge_px: Floats, angle_rad: Floats) -> Floats:
    """What the log picture, (H, W, 3), says of N squares that are about there, about so large and about so turned.

    (N, 6): the best score that each face reaches nearby, leaning or not, 1 a perfect fit and 0 no likeness.
    """
    scores = np.zeros((len(xy_px), 6), np.float32)
    rng, start = np.random.default_rng(0), _start()
    for k in range(len(xy_px)):
        poses, best = start, np.full(6, -1.0)
        for _ in range(_ROUNDS):
            A = _maps(xy_px[k], float(edge_px[k]), float(angle_rad[k]), poses)
            seen = score_faces(log_bgr, A).scores
            best = np.maximum(best, seen.max(0))
            order = np.argsort(-seen.max(1))[:_FINALISTS]
            near = rng.uniform(-1, 1, (_FINALISTS, 24, 6)) * _STEP
            poses = np.concatenate([poses[order], (poses[order][:, None] + near).reshape(-1, 6)])
        scores[k] = best
    return scores


def believed(chance: Floats, scores: Floats) -> Floats:
    """The chances (N, 6) of the faces of N dice when both are heard: the net's `chance` (N, 7) and `scores` (N, 6)."""
    log_odds = np.log(chance[:, :6] + 1e-3) + _WEIGHT * np.maximum(scores, -1)
    odds = np.exp(log_odds - log_odds.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


def _start() -> NDArray[np.float64]:
    """Poses (M, 6) to begin with: shift x and y in edges, turn, log size, squash and the way of the squash."""
    shifts = [(0, 0), (_SHIFT, 0), (-_SHIFT, 0), (0, _SHIFT), (0, -_SHIFT)]
    rows = [
        (x, y, turn, size, squash, way)
        for x, y in shifts
        for turn in _TURNS_RAD
        for size in _SIZES
        for squash in _SQUASHES
        for way in (_WAYS_RAD if squash else _WAYS_RAD[:1])
    ]
    return np.array(rows)


def _maps(xy_px: Floats, edge_px: float, angle_rad: float, poses: NDArray[np.float64]) -> Floats:
    """Affine maps (M, 2, 3) from face coordinates to the picture."""
    x, y, turn, size, squash, way = poses.T
    angle = angle_rad + turn
    c, s = np.cos(angle), np.sin(angle)
    R = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
    a, b = np.cos(way), np.sin(way)
    W = np.stack([np.stack([a, -b], 1), np.stack([b, a], 1)], 1)
    S = W * np.stack([np.exp(-squash), np.ones_like(squash)], 1)[:, None] @ np.swapaxes(W, 1, 2)
    A = np.empty((len(poses), 2, 3), np.float32)
    A[:, :, :2] = S @ R * (edge_px * np.exp(size + squash / 2))[:, None, None]
    A[:, :, 2] = xy_px + np.stack([x, y], 1) * edge_px
    return A
