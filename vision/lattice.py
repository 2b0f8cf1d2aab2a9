"""Faces of dice as lattices of spots: which spots are the pips of one face, and where that face lies."""

from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blobs import Blobs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SPACING = 0.265  # lattice step in die edges, of the usual die
PAIR_SPAN = (3.9, 13.5)  # distance of two opposite corner pips, in pip radii
NARROW = (0.56, 0.7, 0.85)  # distance of the two rows of a Six over their length
ALIKE = 1.55  # the ratio of radii that two pips of one face stay within

# The nine sites in the frame of a diagonal: u leads from the middle to a corner pip, v to the corner a quarter turn on.
_SITES_UV = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (0, 0), (0.5, 0.5), (-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5)])
_OCCUPIED = {  # corners u, -u, v, -v; middle; the mid-sides in two opposite pairs
    "110000000": 2, "110010000": 3, "111100000": 4, "111110000": 5, "111101100": 6, "111100011": 6,
}  # fmt: skip
_FACE_OF_CODE = np.zeros(512, np.int64)
for _code, _face in _OCCUPIED.items():
    _FACE_OF_CODE[int(_code, 2)] = _face


@dataclass(frozen=True, slots=True)
class Faces:
    """N faces that spots suggest: `face` 2..6, or 0 where the spots of the lattice form no face.

    `A_image_face` N×2×3 maps face coordinates (die edges, origin in the middle) to pixels, `A_image_lattice` maps them
    so that the sites of the lattice come to lie on the pips (another map for Sixes with narrow rows); `pips` N×9 the
    numbers of the spots on the sites, -1 where there is none; `residual` N the misfit of the lattice, in steps.
    """

    face: Ints
    A_image_face: Floats
    A_image_lattice: Floats
    pips: Ints
    residual: Floats

    def __len__(self) -> int:
        return len(self.face)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "Faces":
        """The faces that `index` names, in that order."""
        return Faces(*(getattr(self, field.name)[index] for field in fields(self)))

    def joined(self, other: "Faces") -> "Faces":
        """These faces, then the others."""
        return Faces(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))

    @property
    def count(self) -> Ints:
        """How many pips each face has."""
        return np.asarray((self.pips >= 0).sum(axis=1), np.int64)


def find_faces(blobs: Blobs, shapes: Floats | None, width_px: int, height_px: int) -> Faces:
    """Every face of two or more pips that the spots suggest, the same die many times over.

    `shapes` N×2×2 is what a circle on the dice's plane looks like at each spot (unit determinant); None takes each
    pair's own pips for such circles.
    """
    first, second = _pairs(blobs, shapes)
    delta = (blobs.xy_px[first] - blobs.xy_px[second]) / 2
    middle = (blobs.xy_px[first] + blobs.xy_px[second]) / 2
    own = blobs.shape_px2 / np.sqrt(np.linalg.det(blobs.shape_px2))[:, None, None] if shapes is None else shapes
    shape = (own[first] + own[second]) / 2
    across = np.sqrt(np.linalg.det(shape))[:, None, None] * (np.array([[0.0, -1.0], [1.0, 0.0]]) @ np.linalg.inv(shape))
    uv = np.stack([delta, np.einsum("nij,nj->ni", across, delta)], axis=2)  # N×2×2, columns u and v
    where = middle[:, None] + np.einsum("nij,kj->nki", uv, _SITES_UV)
    pips = _spots_at(blobs, where, blobs.light[first], width_px, height_px)
    pips[:, 0], pips[:, 1] = first, second
    pips = np.where(_alike(blobs, pips, first), pips, -1)
    face = _FACE_OF_CODE[((pips >= 0) * (1 << np.arange(8, -1, -1))).sum(axis=1)]
    A, residual = _fitted(blobs, pips, uv, middle)
    faces = Faces(face, A, A, pips, residual)
    return faces.joined(_narrow_sixes(blobs, first, second, middle, delta, across, width_px, height_px))


def _narrow_sixes(
    blobs: Blobs, first: Ints, second: Ints, middle: Floats, u: Floats, across: Floats, width_px: int, height_px: int
) -> Faces:
    """The Sixes whose two rows lie closer together than their length asks for, as on many dice."""
    found: list[Faces] = []
    for narrow in NARROW:
        for hand in (1.0, -1.0):
            # u = y + narrow x with x a quarter turn from y on the die's plane.
            y = (u - narrow * hand * np.einsum("nij,nj->ni", across, u)) / (1 + narrow**2)
            x = hand * np.einsum("nij,nj->ni", across, y)
            wanted = middle[:, None] + np.stack([y - narrow * x, narrow * x - y, narrow * x, -narrow * x], axis=1)
            pips = _spots_at(blobs, wanted, blobs.light[first], width_px, height_px)
            six = _alike(blobs, pips, first).all(axis=1)
            one, two, rest = first[six], second[six], pips[six]
            none = np.full((len(one), 3), -1)
            sites = np.concatenate([one[:, None], two[:, None], rest[:, :2], none, rest[:, 2:]], axis=1)
            corner = narrow * x[six] + y[six], y[six] - narrow * x[six]
            A, residual = _fitted(blobs, sites, np.stack(corner, axis=2), middle[six])
            # The pips run along y, so y gives the size; the other edge of the square is y turned on the plane.
            pose = A.copy()
            pose[:, :, 0] = hand * np.einsum("nij,nj->ni", across[six], pose[:, :, 1])
            found.append(Faces(np.full(len(one), 6), pose, A, sites, residual))
    merged = found[0]
    for more in found[1:]:
        merged = merged.joined(more)
    return merged


def _pairs(blobs: Blobs, shapes: Floats | None) -> tuple[Ints, Ints]:
    """Numbers of the spots that could be opposite corner pips of one face."""
    xy, radius = blobs.xy_px, blobs.radius_px
    first, second = np.triu_indices(len(blobs), 1)
    r = np.maximum(radius[first], radius[second])
    far = np.abs(xy[first] - xy[second]).max(axis=1)
    close = (far < PAIR_SPAN[1] * 1.5 * r) & (r < ALIKE * np.minimum(radius[first], radius[second]))
    first, second = first[close], second[close]
    close = np.abs(blobs.body[first] - blobs.body[second]).max(axis=1, initial=0.0) < 0.5
    first, second = first[close], second[close]
    shape = blobs.shape_px2 if shapes is None else shapes * (radius**2)[:, None, None]
    delta = xy[first] - xy[second]
    span_sq = np.einsum("ni,nij,nj->n", delta, np.linalg.inv((shape[first] + shape[second]) / 2), delta)
    fits = (span_sq > PAIR_SPAN[0] ** 2) & (span_sq < PAIR_SPAN[1] ** 2)
    first, second = first[fits], second[fits]
    fits = _alike(blobs, second[:, None], first)[:, 0]
    return first[fits], second[fits]


def _alike(blobs: Blobs, pips: Ints, model: Ints) -> NDArray[np.bool_]:
    """Which spots N×K (numbers, -1 for none) could be pips of the same face as the N spots `model`."""
    ratio = blobs.radius_px[pips] / blobs.radius_px[model][:, None]
    a, b = blobs.contrast[pips], blobs.contrast[model][:, None]
    longer = np.maximum(np.linalg.norm(a, axis=2), np.linalg.norm(b, axis=2))
    differ = np.linalg.norm(a - b, axis=2) / (longer + 1e-9)
    body = np.abs(blobs.body[pips] - blobs.body[model][:, None]).max(axis=2)
    return np.asarray((pips >= 0) & (ratio < ALIKE) & (ratio > 1 / ALIKE) & (differ < 0.55) & (body < 0.6))


def _spots_at(blobs: Blobs, where: Floats, light: NDArray[np.bool_], width_px: int, height_px: int) -> Ints:
    """The number of the spot of polarity `light` (N,) at each position (N, K, 2), -1 where there is none."""
    labels = np.zeros((2, height_px, width_px), np.int32)
    polarity = blobs.light.astype(np.int64)
    for i in np.argsort(-blobs.radius_px):
        x, y = blobs.xy_px[i]
        cv2.circle(labels[polarity[i]], (round(x), round(y)), max(2, round(1.15 * blobs.radius_px[i])), int(i) + 1, -1)
    x, y = np.rint(where[..., 0]).astype(np.int64), np.rint(where[..., 1]).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < width_px) & (y < height_px)
    at = labels[light.astype(np.int64)[:, None], np.where(inside, y, 0), np.where(inside, x, 0)]
    return np.where(inside, at.astype(np.int64) - 1, -1)


def _fitted(blobs: Blobs, pips: Ints, uv: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """The affine of each lattice: least squares over its pips, held to the diagonal's own frame where they leave it
    open (two or three pips lie on one line). Returns (N×2×3 maps of die-edge coordinates, N misfits in steps).
    """
    there = (pips >= 0).astype(np.float64)
    design = np.concatenate([_SITES_UV, np.ones((9, 1))], axis=1)
    prior = np.concatenate([uv, middle[:, :, None]], axis=2)  # N×2×3
    loose = there[:, 2:4].sum(axis=1) + there[:, 5:].sum(axis=1) == 0
    weight = np.where(loose, 1.0, 0.02)
    normal = np.einsum("nk,ki,kj->nij", there, design, design) + weight[:, None, None] * np.eye(3)
    target = np.einsum("nk,ki,nkj->nij", there, design, blobs.xy_px[pips]) + weight[:, None, None] * np.swapaxes(
        prior, 1, 2
    )
    fit = np.swapaxes(np.linalg.solve(normal, target), 1, 2)  # N×2×3: u, v, middle
    error = np.einsum("kj,nij->nki", design, fit) - blobs.xy_px[pips]
    step = np.abs(np.linalg.det(fit[:, :, :2])) ** 0.5 / np.sqrt(2)
    residual = np.sqrt((there * (error**2).sum(axis=2)).sum(axis=1) / there.sum(axis=1)) / step
    # Corner pips lie at (±SPACING, ±SPACING): u = SPACING (x + y), v = SPACING (y - x).
    x_axis = (fit[:, :, 0] - fit[:, :, 1]) / (2 * SPACING)
    y_axis = (fit[:, :, 0] + fit[:, :, 1]) / (2 * SPACING)
    return np.stack([x_axis, y_axis, fit[:, :, 2]], axis=2), residual
