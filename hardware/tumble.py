"""How virtual dice come to rest: places without overlap, and the way from the hand to there. Pure functions of time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hardware.die_shape import Floats, lying, reach, rotation, top_face
from hardware.drawing import Lying
from hardware.scenery import Look

REST_S = 1.1  # no throw takes longer
LIFT_S = 0.3
LIFT_MM = 70.0


@dataclass(frozen=True)
class Throw:
    """One die's way to where it ends: it starts at `start_s`, away by `offset_mm` and turned by `spin_rad`."""

    end: Lying
    start_s: float
    lasts_s: float
    offset_mm: Floats
    spin_rad: Floats
    hops: float

    @property
    def rests_s(self) -> float:
        """From when on the die does not move."""
        return self.start_s + self.lasts_s

    def at(self, now_s: float, look: Look) -> Lying:
        """Where the die is; after `start_s + lasts_s` it rests."""
        left = 1.0 - (now_s - self.start_s) / self.lasts_s
        if now_s >= self.rests_s:
            return self.end
        left = min(left, 1.0) ** 2
        R = rotation(self.spin_rad * left) @ self.end.R_tray_die
        room = np.array([*(np.array(look.floor_mm) / 2), np.inf])
        size = look.edge_mm * reach(R)
        # A turned die stands higher than a flat one: the lowest corner rolls on the floor, hops come on top.
        lift = size[2] - look.edge_mm * reach(self.end.R_tray_die)[2]
        hop = 45.0 * left * abs(np.cos(self.hops * np.pi * left))
        centre = self.end.centre_mm + self.offset_mm * left + np.array([0.0, 0.0, lift + hop])
        return Lying(np.clip(centre, size - room, room - size), R, self.end.colour)


@dataclass(frozen=True)
class Carry:
    """A hand takes a die up and out of the picture towards the player, or (`back`) puts it down where it was."""

    end: Lying
    start_s: float
    back: bool

    @property
    def rests_s(self) -> float:
        """From when on the die does not move."""
        return self.start_s + LIFT_S

    def at(self, now_s: float, look: Look) -> Lying | None:
        """Where the die is; None once it is out of the tray."""
        share = 1.0 if now_s >= self.rests_s else max((now_s - self.start_s) / LIFT_S, 0.0)
        height = 1.0 - share if self.back else share
        if height >= 1.0:
            return None
        aside = np.array([0.0, -look.floor_mm[1] * 1.5 * height**2, LIFT_MM * height])
        return Lying(self.end.centre_mm + aside, self.end.R_tray_die, self.end.colour)


def places(rng: np.random.Generator, faces: Sequence[int], colours: Sequence[int], look: Look) -> list[Lying]:
    """Dice with these faces lying flat at random places; they may touch one another or a wall, never overlap."""
    dice: list[Lying] = []
    room = np.array(look.floor_mm) / 2
    for face, colour in zip(faces, colours, strict=True):
        while True:
            yaw = float(rng.uniform(0, 2 * np.pi))
            if dice and rng.random() < 0.12:
                neighbour = dice[int(rng.integers(len(dice)))]
                side = neighbour.R_tray_die[:, int(rng.integers(3))] * (1.0, 1.0, 0.0)
                if np.linalg.norm(side) < 0.5:
                    continue
                xy = neighbour.centre_mm[:2] + side[:2] * look.edge_mm * 1.01
                yaw = float(np.arctan2(side[1], side[0]))
            else:
                xy = rng.uniform(-room + 0.5 * look.edge_mm, room - 0.5 * look.edge_mm)
            die = Lying(np.array([*xy, look.edge_mm / 2]), lying(face, yaw), colour)
            inside = (np.abs(xy) + look.edge_mm * reach(die.R_tray_die)[:2] <= room).all()
            if inside and not any(overlap(die, other, look.edge_mm) for other in dice):
                dice.append(die)
                break
    return dice


def overlap(one: Lying, other: Lying, edge_mm: float) -> bool:
    """Whether two flat dice overlap, by the separating axis theorem for their squares."""
    apart = (other.centre_mm - one.centre_mm)[:2]
    for die in (one, other):
        for axis in die.R_tray_die.T:
            flat = axis[:2]
            if np.linalg.norm(flat) < 0.5:
                continue
            width = sum(edge_mm * 0.5 * float(np.abs(d.R_tray_die[:2].T @ flat).sum()) for d in (one, other))
            if abs(float(apart @ flat)) >= width:
                return False
    return True


def cocked(rng: np.random.Generator, die: Lying, others: Sequence[Lying], look: Look, lean_deg: float) -> Lying:
    """The same die leaning against a wall by `lean_deg`, its face still on top, clear of the other dice."""
    room = np.array(look.floor_mm) / 2
    wall = int(rng.integers(4))
    towards = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], np.float64)[wall]
    # One edge stands on the floor away from the wall, the opposite one is propped up on the wall.
    yaw = float(np.arctan2(towards[1], towards[0]))
    axis = np.array([towards[1], -towards[0], 0.0]) * np.radians(lean_deg)
    R = rotation(axis) @ lying(top_face(die.R_tray_die)[0], yaw)
    size = look.edge_mm * reach(R)
    for _ in range(1000):
        xy = np.where(towards != 0, towards * (room - size[:2]), rng.uniform(-room + size[:2], room - size[:2]))
        if all(np.linalg.norm(xy - other.centre_mm[:2]) > 1.5 * look.edge_mm for other in others):
            break
    return Lying(np.array([*xy, size[2]]), R, die.colour)


def thrown(rng: np.random.Generator, end: Lying, now_s: float) -> Throw:
    """A random way of about a second that ends in `end`."""
    offset = np.array([rng.uniform(-120, 120), rng.uniform(-160, -60), 0.0])
    spin = rng.normal(size=3)
    spin *= rng.uniform(5.0, 11.0) / np.linalg.norm(spin)
    lasts_s = float(rng.uniform(0.7, REST_S))
    return Throw(end, now_s, lasts_s, offset, spin, float(rng.uniform(1.5, 3.5)))
