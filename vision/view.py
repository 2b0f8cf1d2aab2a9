"""How a camera of unknown pose looks at the plane of the dice's top faces, as far as the pips themselves tell it.

A pip is a circle; how flat its picture is, and which way, says how the plane leans. All top faces lie in one plane and
share one lean; the side faces of the dice do not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FOCAL = 0.95  # focal length over the longer side of the picture: between most telephones and most webcams
STEEPEST_DEG = 62.0


@dataclass(frozen=True, slots=True)
class View:
    """The plane's unit normal in the camera's frame (x right, y down, z ahead; the normal points at the camera).

    `focal_px` and `centre_xy_px` are a guess that fits most cameras well enough.
    """

    normal: tuple[float, float, float]
    focal_px: float
    centre_xy_px: tuple[float, float]

    def shape_at(self, xy_px: Floats) -> Floats:
        """The picture of a circle on the plane at positions N×2: ellipses N×2×2 (S = A Aᵀ) of unit determinant."""
        n = np.array(self.normal)
        shape = _projected(self._rays(xy_px), np.eye(3) - n[:, None] * n)
        return np.asarray(shape / np.sqrt(np.linalg.det(shape))[:, None, None])

    def edge_at(self, xy_px: Floats) -> Floats:
        """The length of a fixed edge on the plane at positions N×2 relative to the middle of the picture: (N,)."""
        n = np.array(self.normal)
        rays = np.concatenate([self._rays(xy_px), np.ones((len(xy_px), 1))], axis=1)
        nearness = np.maximum(-(rays @ n), 1e-3) / -n[2]
        shape = _projected(self._rays(xy_px), np.eye(3) - n[:, None] * n)
        return np.asarray(nearness * np.linalg.det(shape) ** 0.25 / (-n[2]) ** 0.5)

    def down_at(self, xy_px: Floats) -> Floats:
        """Where a die's base lies from its top face, in units of √(area of the top face in the picture): N×2."""
        n = np.array(self.normal)
        rays = self._rays(xy_px)
        shape = _projected(rays, np.eye(3) - n[:, None] * n)
        return np.asarray((-n[:2] + rays * n[2]) / np.linalg.det(shape)[:, None] ** 0.25)

    def _rays(self, xy_px: Floats) -> Floats:
        return np.asarray((xy_px - np.array(self.centre_xy_px)) / self.focal_px)


def _projected(rays: Floats, tensor: Floats) -> Floats:
    """P T Pᵀ for P = [I | -ray], the camera's local projection at each ray N×2: N×2×2."""
    P = np.zeros((len(rays), 2, 3))
    P[:, 0, 0] = P[:, 1, 1] = 1.0
    P[:, :, 2] = -rays
    return np.asarray(P @ tensor @ np.swapaxes(P, 1, 2))


def shape_distance(a: Floats, b: Floats) -> Floats:
    """How differently two sets of ellipses N×2×2 are flattened, size aside: the log of the axes' ratio between them."""
    trace = np.einsum("nij,nji->n", np.linalg.inv(a), b)
    unit = trace / (2 * np.sqrt(np.linalg.det(b) / np.linalg.det(a)))
    return np.asarray(np.arccosh(np.maximum(unit, 1.0)))


def straight_down(width_px: int, height_px: int) -> View:
    """A camera that looks straight down."""
    return View((0.0, 0.0, -1.0), FOCAL * max(width_px, height_px), (width_px / 2, height_px / 2))


def estimate_view(xy_px: Floats, shapes: Floats, weights: Floats, width_px: int, height_px: int) -> View:
    """The view in which most of the weighted ellipses (N×2 positions, N×2×2 shapes) are circles on one plane.

    Leans are tried on a grid of 8°, then 3°; without evidence the camera looks straight down. The top of a picture
    is taken to be away from the ground, as it is for a camera held upright.
    """
    best = straight_down(width_px, height_px)
    if not len(xy_px):
        return best
    grid = [(tilt, azimuth) for tilt in np.arange(8.0, STEEPEST_DEG, 8.0) for azimuth in np.arange(0.0, 360.0, 20.0)]
    for step in (8.0, 3.0):
        candidates = [best, *(_leaning(best, t, a) for t, a in grid)]
        support = [_support(view, xy_px, shapes, weights) for view in candidates]
        best = candidates[int(np.argmax(support))]
        tilt = np.degrees(np.arccos(-best.normal[2]))
        azimuth = np.degrees(np.arctan2(best.normal[1], best.normal[0]))
        grid = [(max(0.0, tilt + dt), azimuth + da) for dt in (-step / 2, 0, step / 2) for da in (-8.0, 0.0, 8.0)]
    return best


def _leaning(view: View, tilt_deg: float, azimuth_deg: float) -> View:
    t, a = np.radians(tilt_deg), np.radians(azimuth_deg)
    normal = (float(np.sin(t) * np.cos(a)), float(np.sin(t) * np.sin(a)), float(-np.cos(t)))
    return View(normal, view.focal_px, view.centre_xy_px)


def _support(view: View, xy_px: Floats, shapes: Floats, weights: Floats) -> float:
    """How much weight agrees with a view, a little more for cameras that look down and are held upright."""
    nx, ny, nz = view.normal
    held = 1.0 - 0.2 * (np.hypot(nx, ny) + ny)
    noise = 0.1 + 0.35 / np.linalg.det(shapes) ** 0.25
    near = np.exp(-0.5 * (shape_distance(shapes, view.shape_at(xy_px)) / noise) ** 2)
    return float((weights * near).sum() * held * (1.0 - 0.1 * np.arccos(-nz)))
