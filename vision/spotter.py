"""Spots dice in a picture of which nothing is known: a small net says where top faces are and what they show, and
another (`teller`) looks at each of these places once more.

The net (`spotter.onnx`) learned on invented scenes only, see `training`.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.nets import answer
from vision.teller import LOOKS, NO_TOP_FACE, UNREADABLE, tell

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

STRIDE_PX = 4
FIRST_LOOK_PX, FIRST_LEVELS, SECOND_LEVEL = 1024, (0.5, 0.25), 1.0
MOST_PX = 1.5e6
BEST_EDGE_PX = 44.0  # at which most faces are told rightly on rendered rigs
LEAST_CENTRE = 0.12
USUAL_EDGE_PX, PLANE_EDGE_PX = 24.0, 30.0
EDGES_PX = (10.0, 66.0)  # what the net has learned, 13 to 58, and a little more
_BEST_EDGES_PX = (15.0, 50.0)
_SAME_DIE = 0.55  # edges between the centres of two spots that are the same die
_SAME_PLACE, _SAME_SIZE = 0.3, 0.3  # edges, log units: within which two looks saw the same face
_CLEAR = 0.4
_MAY_BE_CLEAR = 0.25  # no teller makes a spot more than half clear that is less clear than this
_DOUBT = 1e-3  # however sure one net is, the other may overrule it
_SPOTTED, _TOLD = 0.35, 1.3  # how much the log chances of a face count: the teller sees it larger, and several times


@dataclass(frozen=True, slots=True)
class Spots:
    """N dice, clearest first: `xy_px` (N, 2) middles of top faces in pixels of the picture, `A_image_face` (N, 2, 2)
    with their edges as columns, `centre` (N,) 0..1 how clearly one is centred there, `chance` (N, 7) of each class; of
    these two both nets are heard.

    `die` is a map, float32 0..1, of what looks like any part of a die, `map_scale` its pixels to one of the picture.
    """

    xy_px: Floats
    A_image_face: Floats
    centre: Floats
    chance: Floats
    die: Floats
    map_scale: float

    def __len__(self) -> int:
        return len(self.centre)

    @property
    def edge_px(self) -> Floats:
        """The edges of squares as large as the top faces look: (N,)."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.A_image_face))), np.float32)

    @property
    def angle_rad(self) -> Floats:
        """Of an edge of each top face: (N,)."""
        return np.asarray(np.arctan2(self.A_image_face[:, 1, 0], self.A_image_face[:, 0, 0]), np.float32)

    @property
    def slant(self) -> Floats:
        """How much longer each top face looks down than across, and along one diagonal than the other, (N, 2): 0 of a
        square however it is turned, about a quarter of the square of the angle (rad) at which it is seen.
        """
        M = self.A_image_face @ self.A_image_face.transpose(0, 2, 1) / self.edge_px[:, None, None] ** 2
        return np.stack([(M[:, 1, 1] - M[:, 0, 0]) / 4, M[:, 0, 1] / 2], 1)

    def take(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> "Spots":
        """Those of the dice that `which` picks, a bool for each or their numbers."""
        xy_px, A, centre, chance = (part[which] for part in (self.xy_px, self.A_image_face, self.centre, self.chance))
        return Spots(xy_px, A, centre, chance, self.die, self.map_scale)

    def moved(self, x_px: float, y_px: float) -> "Spots":
        """The same dice in a picture of which this was a part that began at (x, y)."""
        return replace(self, xy_px=self.xy_px + np.array([x_px, y_px], np.float32))


def spot(image_bgr: Image) -> Spots:
    """The dice of any size in a picture, H×W×3 uint8, readable or not.

    A look at a small picture tells how large the dice are; then the picture is seen at the size that suits the net.
    """
    height, width = image_bgr.shape[:2]
    whole = FIRST_LOOK_PX / max(height, width)
    looks = [_look(image_bgr, whole * level) for level in FIRST_LEVELS]
    edges_px = _clear_edges(looks)
    if not len(edges_px):
        looks.insert(0, _look(image_bgr, whole * SECOND_LEVEL))
        edges_px = _clear_edges(looks)
    if len(edges_px):
        zoom = BEST_EDGE_PX / float(np.median(edges_px))
        looks.insert(0, _look(image_bgr, min(zoom, float(np.sqrt(MOST_PX / (height * width))))))
    return _told(image_bgr, _joined(looks, width))


def spot_sized(image_bgr: Image, edge_px: float) -> Spots:
    """The dice in a picture, H×W×3 uint8, in which top faces have about this edge; only those that may be clear.

    This must be quick, and what is known of such a picture speaks too: the teller looks at each die only twice.
    """
    spots = glance(image_bgr, PLANE_EDGE_PX / edge_px)
    return _told(image_bgr, spots.take(spots.centre > _MAY_BE_CLEAR), looks=2)


def glance(image_bgr: Image, scale: float) -> Spots:
    """What the spotter alone sees at one look at a picture, H×W×3 uint8, at a scale."""
    return _joined([_look(image_bgr, scale)], image_bgr.shape[1])


def _told(image_bgr: Image, spots: Spots, looks: int = LOOKS) -> Spots:
    """The spots after a closer look at each: as clear, and of such a face, as both nets say."""
    told, xy_px, A = tell(image_bgr, spots.xy_px, spots.A_image_face, looks)
    centre = np.sqrt(spots.centre * (1 - told[:, NO_TOP_FACE]))
    spotted, told = spots.chance + _DOUBT, told[:, :NO_TOP_FACE] + _DOUBT
    both, face = spotted * told, (spotted**_SPOTTED * told**_TOLD)[:, :UNREADABLE]
    unreadable = both[:, UNREADABLE:] / both.sum(1, keepdims=True)
    chance = np.concatenate([face / face.sum(1, keepdims=True) * (1 - unreadable), unreadable], axis=1)
    return replace(spots, xy_px=xy_px, A_image_face=A, centre=centre, chance=chance).take(np.argsort(-centre))


def _clear_edges(looks: list[tuple[Floats, Floats]]) -> Floats:
    rows = np.concatenate([rows for rows, _ in looks])
    return np.asarray(rows[rows[:, 4] > _CLEAR, 2])


def _joined(looks: list[tuple[Floats, Floats]], width_px: int) -> Spots:
    found = _merged(np.concatenate([rows for rows, _ in looks]))
    size = looks[0][1].shape[::-1]
    die = np.mean([cv2.resize(part, size, interpolation=cv2.INTER_LINEAR) for _, part in looks], axis=0)
    A = squares(found[:, 2], found[:, 3])
    return Spots(found[:, :2], A, found[:, 4], found[:, 6:], die, die.shape[1] / width_px)


def squares(edge_px: Floats, angle_rad: Floats) -> Floats:
    """`A_image_face` (N, 2, 2) of N squares that are seen from straight above."""
    c, s = edge_px * np.cos(angle_rad), edge_px * np.sin(angle_rad)
    return np.asarray(np.stack([c, -s, s, c], 1).reshape(-1, 2, 2), np.float32)


def _look(image_bgr: Image, scale: float) -> tuple[Floats, Floats]:
    """What the net sees in the picture at a scale: rows as of `_decode`, and the map of dice."""
    said, x_scale, y_scale = _say(image_bgr, scale)
    return _decode(said, x_scale, y_scale), np.asarray(1 / (1 + np.exp(-said[8])), np.float32)


def _say(image_bgr: Image, scale: float) -> tuple[Floats, float, float]:
    """What the net says of the picture at a scale, (14, h, w), and the true scales of x and y."""
    height, width = image_bgr.shape[:2]
    w, h = (max(32, 8 * round(side * scale / 8)) for side in (width, height))
    small = cv2.resize(image_bgr, (w, h), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    return answer("spotter", [np.asarray(small, np.uint8)])[0], w / width, h / height


def _decode(said: Floats, x_scale: float, y_scale: float) -> Floats:
    """Rows of x, y, edge (px of the picture), angle, centre, rank, chances of 7 classes."""
    centre = 1 / (1 + np.exp(-said[0]))
    peaks = (centre >= cv2.dilate(centre, np.ones((3, 3), np.uint8))) & (centre > LEAST_CENTRE)
    rows, columns = np.nonzero(peaks)
    at = said[:, rows, columns]
    chance = np.exp(at[1:8] - at[1:8].max(0, initial=-np.inf))
    chance /= chance.sum(0)
    edge = USUAL_EDGE_PX * np.exp(at[9])
    x, y = (columns + 0.5 + at[12]) * STRIDE_PX / x_scale, (rows + 0.5 + at[13]) * STRIDE_PX / y_scale
    angle = np.arctan2(at[11], at[10]) / 4
    off = np.maximum(np.maximum(_BEST_EDGES_PX[0] / edge, edge / _BEST_EDGES_PX[1]), 1)
    rank = centre[rows, columns] / off
    keep = (edge > EDGES_PX[0]) & (edge < EDGES_PX[1])
    in_picture = edge / np.sqrt(x_scale * y_scale)
    spots = np.column_stack([x, y, in_picture, angle, centre[rows, columns], rank, chance.T])[keep]
    return np.asarray(spots, np.float32)


def _merged(spots: Floats) -> Floats:
    """Each die once: where it is seen best, its class by all the looks that saw it, the clearer the weightier."""
    kept: list[Floats] = []
    left = spots[np.argsort(-spots[:, 5])]
    while len(left):
        row = left[0].copy()
        away = np.hypot(*(left[:, :2] - row[:2]).T) / np.maximum(left[:, 2], row[2])
        same = (away < _SAME_PLACE) & (np.abs(np.log(left[:, 2] / row[2])) < _SAME_SIZE)
        log_chance = np.average(np.log(left[same, 6:] + 1e-4), axis=0, weights=left[same, 4] ** 2)
        chance = np.exp(log_chance - log_chance.max())
        row[6:] = chance / chance.sum()
        kept.append(row)
        left = left[away > _SAME_DIE]
    return np.array(kept, np.float32).reshape(-1, spots.shape[1])
