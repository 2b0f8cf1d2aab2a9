"""The scene behind a photograph of unknown origin: a camera, the plane of the top faces and the dice, from some faces.

A few faces that were read in the raw picture tell where their plane is: there they are squares of one size. With that
plane all dice can be read as on a measured tray.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs
from vision.candidates import Found
from vision.find import face_maps
from vision.lattice import SPACING
from vision.learn import half_width, pip_radius
from vision.pips import GREY_BGR, PIP_RADIUS, PIP_SPACING
from vision.profile import DiceModel, Lens, Pose
from vision.propose import edge_steps
from vision.rectify import make_plane
from vision.scene import Scene, Sight, look
from vision.view import View, straight_down

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

EDGE_MM = 16.0  # the usual die; only its looks depend on the true edge, not the reading
SHAPE_ERROR, SIZE_ERROR = 0.08, 0.05
LEAN_PRIOR = 1.0  # slope of the plane that a camera over a tray hardly exceeds
ROUNDS = 8
SPACINGS = (0.235, 0.29)
RADII = (0.065, 0.125)
SURE_WORTH = 1.2
BODY_PX, BODY_CONTRAST, MOST_BODIES = 12.0, 0.5, 40
TOP_OVER_BODY = 0.92  # the edge of a top face over the side of a square as large as all that shows of its die
FIRST_TOLERANCE, FINAL_TOLERANCE = 0.13, 0.09


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed scene and what is seen in it; `view` is its camera."""

    view: View
    scene: Scene
    sight: Sight


def guess_scene(image_bgr: Image, found: Found, spots: Blobs, view: View) -> Guess | None:
    """The scene in which the dice of a picture are explained best, and what is seen in it; None without any.

    `found`: the faces one is sure of, in pixels of the picture; where they are none the spots as large as dice tell
    the size and the camera is taken to look straight down.
    """
    height, width = image_bgr.shape[:2]
    many = found.take(found.face >= 2)
    level = straight_down(width, height)
    if len(many):
        J = many.A_image_face[:, :, :2]
        view = fit_view(J @ np.swapaxes(J, 1, 2), many.centre_px, width, height, view)
        lattice_px = np.sqrt(np.abs(np.linalg.det(J))) / view.edge_at(many.centre_px)
        edge = float(np.clip(np.median(many.edge), SPACING / SPACINGS[1], SPACING / SPACINGS[0]))
        radius = float(np.clip(np.median(many.radius_px / many.edge_px), *RADII))
        guesses = [(view, float(np.median(lattice_px)) * edge, DiceModel(EDGE_MM, radius, SPACING / edge))]
    else:
        guesses = [(level, edge_px, DiceModel(EDGE_MM)) for edge_px in _body_edges(spots)]
    seen = [_look(image_bgr, *guess, FIRST_TOLERANCE) for guess in guesses]
    if not seen:
        return None
    best = max(seen, key=lambda one: float(one.sight.found.worth[one.sight.best].sum()))
    return _refined(image_bgr, best) if len(_sure(best.sight)) else best


def _body_edges(spots: Blobs) -> list[float]:
    """The likely edges in pixels, where no face tells: the sizes that most of the large spots have."""
    large = (spots.radius_px > BODY_PX) & (np.linalg.norm(spots.contrast, axis=1) > BODY_CONTRAST)
    size = np.log(spots.radius_px[large][:MOST_BODIES])
    edges: list[float] = []
    while len(size) and len(edges) < 3:
        near = np.abs(size[:, None] - size) < 0.12
        best = int(near.sum(axis=1).argmax())
        edges.append(TOP_OVER_BODY * np.sqrt(np.pi) * float(np.exp(np.median(size[near[best]]))))
        size = size[~near[best]]
    return edges


def _look(
    image_bgr: Image, view: View, edge_px: float, dice: DiceModel, tolerance: float
) -> Guess:
    height, width = image_bgr.shape[:2]
    pose = pose_of(view, edge_px)
    plane = make_plane(Lens(width, height, view.focal_px, view.centre_xy_px), pose, EDGE_MM)
    scene = Scene(plane, dice, None)
    return Guess(view, scene, look(scene, image_bgr, tolerance))


def _sure(sight: Sight) -> NDArray[np.int64]:
    """Those among the dice seen from which camera and dice can be learned."""
    best = sight.best
    many = sight.found.faces.face[best] > 1
    return best[many & (sight.found.worth[best] > SURE_WORTH)]


def _refined(image_bgr: Image, guess: Guess) -> Guess:
    """The same scene with camera and dice fitted to all the dice that were seen in it."""
    plane, dice, sure = guess.scene.plane, guess.scene.dice, _sure(guess.sight)
    sight = replace(guess.sight, best=sure)
    corners = sight.corners_px(plane)
    scale = sight.found.scale[sure].astype(np.float64)
    J = np.stack([corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]], axis=-1) * scale[:, None, None]
    middle = corners.mean(axis=1)
    height, width = image_bgr.shape[:2]
    view = fit_view(J @ np.swapaxes(J, 1, 2), middle, width, height, guess.view)
    lattice_px = float(np.median(np.sqrt(np.abs(np.linalg.det(J))) / view.edge_at(middle)))
    spacing = dice.pip_spacing or PIP_SPACING
    wider = 2 * half_width(plane, [sight]) / float(np.median(scale))
    new_spacing = float(np.clip(spacing / wider, *SPACINGS))
    wider = spacing / new_spacing
    radius = pip_radius(plane, [sight], spacing, one=False) or PIP_RADIUS
    learned = DiceModel(
        EDGE_MM,
        float(np.clip(radius / wider, *RADII)),
        new_spacing,
        pip_step=float(np.median(np.abs(sight.found.faces.contrast[sure] @ GREY_BGR))),
        edge_step=float(np.median(edge_steps(sight.log_image, face_maps(sight.poses, plane.px_per_edge)).mean(1))),
    )
    return _look(image_bgr, view, lattice_px * wider, learned, FINAL_TOLERANCE)


def fit_view(squares: Floats, xy_px: Floats, width_px: int, height_px: int, start: View | None = None) -> View:
    """The view in which N faces are squares of one size on one plane.

    `squares` N×2×2: J Jᵀ of each face's map J from edges to pixels; `xy_px` N×2 their middles. Least squares over two
    slopes and one size, robust against faces that do not fit and held near straight down where little is known.
    """
    level = straight_down(width_px, height_px)
    fits = [_fit(squares, xy_px, level, view) for view in (level, start) if view is not None]
    return min(fits, key=lambda fit: fit[1])[0]


def _fit(squares: Floats, xy_px: Floats, level: View, start: View) -> tuple[View, float]:
    root = np.linalg.det(squares) ** 0.25
    unit = squares / (root**2)[:, None, None]

    def residuals(slopes: Floats) -> tuple[Floats, View]:
        view = _sloping(level, slopes)
        L = np.linalg.inv(np.linalg.cholesky(view.shape_at(xy_px)))
        W = L @ unit @ np.swapaxes(L, 1, 2)
        size = np.log(root / view.edge_at(xy_px))
        size -= np.median(size)
        parts = [(W[:, 0, 0] - W[:, 1, 1]) / 2 / SHAPE_ERROR, W[:, 0, 1] / SHAPE_ERROR, size / SIZE_ERROR]
        return np.concatenate([*parts, slopes / LEAN_PRIOR]), view

    x, y, z = start.normal
    slopes = np.array([-x / z, -y / z])
    r, view = residuals(slopes)
    for _ in range(ROUNDS):
        jacobian = np.stack([(residuals(slopes + step)[0] - r) / 1e-4 for step in 1e-4 * np.eye(2)], 1)
        w = 1 / np.maximum(np.abs(r), 1.5)
        delta = np.linalg.solve((jacobian.T * w) @ jacobian, -(jacobian.T * w) @ r)
        slopes = np.clip(slopes + np.clip(delta, -0.3, 0.3), -1.8, 1.8)
        r, view = residuals(slopes)
    return view, float(np.minimum(np.abs(r), 0.5 * r**2).sum())


def _sloping(level: View, slopes: Floats) -> View:
    n = np.array([slopes[0], slopes[1], -1.0])
    n /= np.linalg.norm(n)
    return View((float(n[0]), float(n[1]), float(n[2])), level.focal_px, level.centre_xy_px)


def pose_of(view: View, edge_px: float) -> Pose:
    """Where the camera of a view is when a die's edge is `edge_px` long in the middle of the picture."""
    n = np.array(view.normal)
    away_mm = view.focal_px * np.sqrt(-n[2]) / edge_px * -n[2] * EDGE_MM
    right = np.array([1.0, 0, 0]) - n[0] * n
    right /= np.linalg.norm(right)
    R = np.stack([right, np.cross(n, right), n], axis=1)
    return Pose(R, -n * (away_mm + EDGE_MM))
