"""Draws dice into the scenery as a camera would see them: side faces, rounded edges, soft shadows, blur."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.die_shape import CORNERS, NORMALS, PIPS, Floats, circle, on_face, rounded_body, rounded_square
from hardware.ports import BGR
from hardware.scenery import Look, Scenery, View, developed

SHIFT = 4  # cv2 draws at sixteenths of a pixel
SHADOW_SCALE = 4


@dataclass(frozen=True)
class Lying:
    """Where a die is: the centre in tray millimetres, how it is turned, and which of the look's colours it has."""

    centre_mm: Floats
    R_tray_die: Floats
    colour: int = 0

    def points_mm(self, edges: Floats, edge_mm: float) -> Floats:
        """Tray points N×3 of die points N×3 (in edges)."""
        return np.asarray(self.centre_mm + edge_mm * edges @ self.R_tray_die.T)


class Painter:
    """Paints dice for one view and look; what never changes is worked out once."""

    def __init__(self, view: View, look: Look, scenery: Scenery) -> None:
        self.view, self.look, self.scenery = view, look, scenery
        self._body = rounded_body(look.rounding)
        flat = rounded_square(0.5 - 0.3 * look.rounding, look.rounding)
        self._faces = {face: on_face(face, flat) for face in NORMALS}
        spots = {face: np.array(PIPS[face], np.float64) * look.pip_spacing for face in NORMALS}
        spots[6] *= (look.six_rows, 1.0)
        self._pips = {f: np.stack([on_face(f, spot + circle(look.pip_radius)) for spot in spots[f]]) for f in NORMALS}
        small = (view.width_px // SHADOW_SCALE, view.height_px // SHADOW_SCALE)
        self._small_floor = cv2.resize(scenery.floor, small, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
        turn = np.linspace(0.0, 2 * np.pi, 6, endpoint=False)
        ring = look.lamp_radius_mm * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
        self._lamp_points = np.asarray(look.lamp_mm) + 0.7 * ring

    def paint(self, dice: Sequence[Lying]) -> BGR:
        """The tray with these dice, H×W×3 uint8, blurred by the lens, without the sensor's noise."""
        image = self._shaded(dice) if dice else self.scenery.image_bgr.copy()
        for die in sorted(dice, key=lambda d: -float(np.linalg.norm(d.centre_mm - self.view.eye_mm))):
            self._paint_die(image, die)
        return np.asarray(cv2.GaussianBlur(image, (0, 0), self.look.blur_px), np.uint8)

    def _shaded(self, dice: Sequence[Lying]) -> BGR:
        """The scenery darkened by the dice's shadows: one hull a lamp point, and the dark line where a die touches."""
        lit = np.zeros(self._small_floor.shape, np.float32)
        hull = np.empty_like(lit, np.uint8)
        for lamp in self._lamp_points:
            hull[:] = 0
            for die in dice:
                corners = die.points_mm(CORNERS, self.look.edge_mm)
                self._fill_small(hull, lamp + (corners - lamp) * (lamp[2] / (lamp[2] - corners[:, 2:])))
            lit += hull
        lit *= 0.55 / (255.0 * len(self._lamp_points))
        hull[:] = 0
        for die in dice:
            low = die.points_mm(CORNERS * 1.12, self.look.edge_mm)
            height = float(low[:, 2].min()) + 0.06 * self.look.edge_mm
            if height < self.look.edge_mm:
                self._fill_small(hull, low * (1.0, 1.0, 0.0))
        contact = cv2.GaussianBlur(hull.astype(np.float32), (0, 0), 2.5) * (0.45 / 255.0)
        dark = 1.0 - np.maximum(cv2.GaussianBlur(lit, (0, 0), 1.2), contact) * self._small_floor
        # Shadows are in linear light, the picture has gamma: the same power law turns one factor into the other.
        shade = cv2.resize(dark ** (1 / 2.2), (self.view.width_px, self.view.height_px), interpolation=cv2.INTER_LINEAR)
        gains = cv2.merge([np.asarray(shade * 255.0, np.uint8)] * 3)
        return np.asarray(cv2.multiply(self.scenery.image_bgr, gains, scale=1 / 255.0), np.uint8)

    def _fill_small(self, mask: NDArray[np.uint8], points_mm: Floats) -> None:
        pixels = self.view.project(points_mm) / SHADOW_SCALE
        outline = cv2.convexHull(_fixed(pixels))
        cv2.fillConvexPoly(mask, outline, 255, cv2.LINE_AA, SHIFT)

    def _paint_die(self, image: BGR, die: Lying) -> None:
        look = self.look
        edge = look.edge_mm
        body = np.array(look.bodies[die.colour % len(look.bodies)])
        ink = np.array(look.pips[die.colour % len(look.pips)])
        faces = []
        for face, n in NORMALS.items():
            normal = die.R_tray_die @ n
            middle = die.centre_mm + 0.5 * edge * normal
            to_eye = self.view.eye_mm - middle
            if to_eye @ normal > 0:
                cosine = float(to_eye @ normal / np.linalg.norm(to_eye))
                faces.append((cosine, face, self._light(middle, normal, to_eye)))
        soft = sum(cosine * light[0] for cosine, _, light in faces) / sum(cosine for cosine, _, _ in faces)
        outline = cv2.convexHull(_fixed(self.view.project(die.points_mm(self._body, edge))))
        cv2.fillConvexPoly(image, outline, self._bgr(body * soft * 0.9), cv2.LINE_AA, SHIFT)
        for _, face, (light, gloss) in sorted(faces):
            square = _fixed(self.view.project(die.points_mm(self._faces[face], edge)))
            cv2.fillConvexPoly(image, square, self._bgr(body * light + gloss), cv2.LINE_AA, SHIFT)
            pips = self._pips[face]
            rings = _fixed(self.view.project(die.points_mm(pips.reshape(-1, 3), edge))).reshape(len(pips), -1, 2)
            for ring in rings:
                cv2.fillConvexPoly(image, ring, self._bgr(ink * light * 0.9 + 0.3 * gloss), cv2.LINE_AA, SHIFT)

    def _light(self, point_mm: Floats, normal: Floats, to_eye: Floats) -> tuple[float, float]:
        """(light on a face, the part that its surface mirrors straight into the camera)."""
        lamp, around = self.look.light(point_mm, normal)
        low = min(1.0, 0.55 + 0.45 * point_mm[2] / self.look.edge_mm)
        to_lamp = np.asarray(self.look.lamp_mm) - point_mm
        half = to_lamp / np.linalg.norm(to_lamp) + to_eye / np.linalg.norm(to_eye)
        gloss = 0.06 * max(0.0, float(half @ normal) / float(np.linalg.norm(half))) ** 40
        left = float(self.view.vignette(self.view.project(point_mm[None]), self.look.vignette)[0])
        return float(lamp + around * low) * left, gloss * left

    def _bgr(self, linear: Floats) -> tuple[int, int, int]:
        b, g, r = developed(linear, self.look)
        return int(b), int(g), int(r)


def _fixed(pixels: Floats) -> NDArray[np.int32]:
    return np.asarray(np.round(pixels * (1 << SHIFT)), np.int32)
