"""Tells the top face of a die that was spotted: a small net that sees one place at a time, upright and at one size.

It says too how the face truly lies, so that the next look sees it square: without slant, and as large as any other.

The net (`teller.onnx`) learned on the same invented scenes as the spotter, at the places that the latter took for dice,
rightly or not.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.nets import answer

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

SIDE_PX = 64
ACROSS = 2.0
"""Edges of a top face across a place: enough around it to tell a top face from one at the side."""
UNREADABLE, NO_TOP_FACE = 6, 7
"""The classes, after the six faces, of a die whose top face cannot be told and of a place where no top face is."""
SAID = NO_TOP_FACE + 1 + 6
"""What the net says of a place: logits of the classes; then, of the face it shows, x and y of its middle, from that of
the place in edges, and what its edges differ from those of the place, a row of a 2×2 matrix after the other."""
LOOKS = 4
"""So often a place is seen where there is time."""
MOST_OFF = 0.4
"""No more than this is believed of any of them."""
EYE, MIRROR = np.eye(2, dtype=np.float32), np.diag(np.array([1, -1], np.float32))
LIKELIER = 5.0
"""So much likelier NO_TOP_FACE is, against the rest, among the places the spotter finds than among those learned from:
there it was a quarter (training.telling.SHARES), in photographs and on rigs it is half and more; and looks that follow
what the first one took for a face see one more readily."""
RARER = 0.5
"""So much rarer is UNREADABLE: a third of the dice there lean or are hidden, in play hardly one (but that one must not
be read)."""


def tell(image_bgr: Image, xy_px: Floats, A_image_face: Floats, looks: int = LOOKS) -> tuple[Floats, Floats, Floats]:
    """The chances (N, 8) of six faces, of an unreadable die and of NO_TOP_FACE at N places of a picture; and how a top
    face truly lies there: its middle (N, 2) and `A_image_face` (N, 2, 2), both as they were given, px.

    `A_image_face` has the edges of a top face as columns. Each look sees what the one before took for the face, in a
    mirror, which shows the same face; their log chances are averaged.
    """
    if not len(xy_px):
        return np.zeros((0, NO_TOP_FACE + 1), np.float32), xy_px, A_image_face
    logs = []
    for _ in range(looks):
        said = answer("teller", [place(image_bgr, xy, A) for xy, A in zip(xy_px, A_image_face, strict=True)])
        logits, off = said[:, : NO_TOP_FACE + 1], np.clip(said[:, NO_TOP_FACE + 1 :], -MOST_OFF, MOST_OFF)
        logs.append(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
        xy_px = xy_px + np.einsum("nij,nj->ni", A_image_face, off[:, :2])
        A_image_face = A_image_face @ (EYE + off[:, 2:].reshape(-1, 2, 2)) @ MIRROR
    means = np.mean(logs, axis=0)
    means[:, UNREADABLE] += np.log(RARER)
    means[:, NO_TOP_FACE] += np.log(LIKELIER)
    chance = np.exp(means - means.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    return chance, xy_px, A_image_face


def place(image_bgr: Image, xy_px: Floats, A_image_face: Floats) -> Image:
    """What is seen around a point, (64, 64, 3), so that a face with these edges, as columns, is square; ACROSS wide."""
    step_px = ACROSS / SIDE_PX * A_image_face
    finer = max(1, int(np.ceil(np.linalg.norm(step_px, axis=0).max() - 0.3)))  # samples for one: there is more to see
    A_image_place = np.empty((2, 3))
    A_image_place[:, :2] = step_px / finer
    A_image_place[:, 2] = xy_px - A_image_place[:, :2].sum(1) * (SIDE_PX * finer - 1) / 2
    size = (SIDE_PX * finer, SIDE_PX * finer)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(image_bgr, A_image_place, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(seen, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.uint8)
