"""A closer look at places where a die should be: every position, turn and size there, judged by pixels alone.

It finds the dice whose pips did not stand out as spots: glare over a pip, pips that run together, pictograms.
"""

import numpy as np
from numpy.typing import NDArray

from vision.belief import USUAL_SHARE, evidence
from vision.candidates import Found, judged, measured
from vision.view import View

Floats = NDArray[np.float64]

STEPS = np.linspace(-0.48, 0.48, 9)  # around the seed, in edges
TURNS_RAD = np.arange(8) * (np.pi / 16)
SIZES = (0.85, 1.0, 1.17)
FINALISTS = 6
_NUDGES = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)


def look_again(log_bgr: NDArray[np.float32], seeds_px: Floats, edge_px: Floats, view: View, usual_px: float) -> Found:
    """The most believable die around each of N seeds (N×2), of about the edge `edge_px` (N,), credible or not.

    N is at least one.
    """
    poses = np.stack(np.meshgrid(STEPS, STEPS, TURNS_RAD, np.log(SIZES), indexing="ij"), axis=-1).reshape(-1, 4)
    best: Found | None = None
    for seed, edge in zip(seeds_px, edge_px, strict=True):
        found = _most_believable(log_bgr, seed, float(edge), poses, view, usual_px)
        best = found if best is None else best.joined(found)
    assert best is not None
    return best


def _most_believable(
    log_bgr: NDArray[np.float32], seed_px: Floats, edge_px: float, poses: Floats, view: View, usual_px: float
) -> Found:
    """The best of M poses (x, y in edges, turn in radians, log size) around one seed, then of their neighbours."""
    half = np.linalg.cholesky(view.shape_at(seed_px[None]))[0] * edge_px
    nudge = np.array([0.06, 0.06, np.pi / 32, 0.08])
    for _ in range(3):
        found = judged(log_bgr, _maps(seed_px, half, poses), np.full(len(poses), USUAL_SHARE * edge_px))
        rank = np.argsort(-evidence(found, view, usual_px))[:FINALISTS]
        poses = (poses[rank][:, None] + nudge * _NUDGES).reshape(-1, 4)
        nudge = nudge / 2
    found = measured(log_bgr, found.take(rank))
    return found.take(np.argsort(-evidence(found, view, usual_px))[:1])


def _maps(seed_px: Floats, half: Floats, poses: Floats) -> Floats:
    """The maps from face coordinates to pixels of M poses: M×2×3."""
    cos, sin, size = np.cos(poses[:, 2]), np.sin(poses[:, 2]), np.exp(poses[:, 3])
    R = np.stack([np.stack([cos, -sin], axis=-1), np.stack([sin, cos], axis=-1)], axis=1)
    A = np.empty((len(poses), 2, 3))
    A[:, :, :2] = half @ R * size[:, None, None]
    A[:, :, 2] = seed_px + poses[:, :2] @ half.T
    return A
