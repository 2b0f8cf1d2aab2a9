"""A drawn tray in motion for the tests of settling: dice, a hand, a shadow, a lamp; and a reader that knows the truth.

The reader vouches for every die whose centre it can see, in the air or at rest, and never says unsure: settling has to
be right without its help.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Die, Reading

WIDTH_PX, HEIGHT_PX, EDGE_PX = 320, 240, 16
FRAME_S = 1 / 15
ROWS, COLUMNS = range(60, 200, 30), range(60, 280, 30)
PLACES_XY = [(column, row) for row in ROWS for column in COLUMNS]
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}


@dataclass
class MovingTray:
    """What lies in the tray and over it; `pictures` of each act leave it as the act ends."""

    seed: int
    noise: float = 2.0
    dice: list[Die] = field(default_factory=list)
    hand_px: int = 0
    shadow_px: int | None = None
    lamp: bool = False

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._floor = self._rng.normal(90, 6, (HEIGHT_PX, WIDTH_PX)).astype(np.float32)
        self._sensor = self._rng.normal(0, self.noise, (HEIGHT_PX + 32, WIDTH_PX + 32)).astype(np.float32)
        self._lamp = np.linspace(1.0, 1.5, WIDTH_PX, dtype=np.float32)[None, :]

    def read(self, image_bgr: NDArray[np.uint8], expect: int | None = None) -> Reading:
        """The dice whose centre the hand does not cover: this is a vision.settle.Reads."""
        seen = tuple(die for die in self.dice if not self._covered(die))
        return Reading(seen, "ok" if seen else "empty")

    def still(self, seconds: float) -> Iterator[NDArray[np.uint8]]:
        """Nothing moves."""
        for _ in range(round(seconds / FRAME_S)):
            yield self.picture()

    def throw(self, n_dice: int) -> Iterator[NDArray[np.uint8]]:
        """All dice are taken and `n_dice` tumble for a second, then rest with random faces in other places."""
        taken = {(die.x_px, die.y_px) for die in self.dice}
        free = [place for place in PLACES_XY if place not in taken]
        for _ in range(15):
            places = self._rng.permutation(len(free))[:n_dice]
            self.dice = [self._die(*free[place]) for place in places]
            yield self.picture()

    def reach(self, lift: tuple[int, ...] = (), stay_s: float = 0.2) -> Iterator[NDArray[np.uint8]]:
        """A hand reaches in from the left over the whole tray, rests there, takes the dice of these numbers, leaves."""
        steps = range(0, WIDTH_PX - 10, 40)
        for self.hand_px in steps:
            yield self.picture()
        yield from self.still(stay_s)
        self.dice = [die for i, die in enumerate(self.dice) if i not in lift]
        for self.hand_px in reversed(steps):
            yield self.picture()

    def put_back(self, dice: list[Die]) -> Iterator[NDArray[np.uint8]]:
        """A hand puts these dice down where they are said to lie."""
        yield from self.reach()
        self.dice = self.dice + dice
        yield from self.reach()

    def turn(self, which: int) -> Iterator[NDArray[np.uint8]]:
        """A finger turns a die over to the next face where it lies."""
        yield from self.reach()
        self.dice[which] = replace(self.dice[which], face=self.dice[which].face % 6 + 1)
        yield from self.reach()

    def shade(self) -> Iterator[NDArray[np.uint8]]:
        """A soft shadow passes from left to right."""
        for self.shadow_px in range(-60, WIDTH_PX + 60, 12):
            yield self.picture()
        self.shadow_px = None

    def switch_lamp(self) -> Iterator[NDArray[np.uint8]]:
        """A lamp at the right goes on or off."""
        self.lamp = not self.lamp
        yield self.picture()

    def picture(self) -> NDArray[np.uint8]:
        """The tray as it is now, 240×320×3 uint8."""
        luma = self._floor.copy()
        for die in self.dice:
            _draw(luma, die)
        if self.lamp:
            luma *= self._lamp
        if self.shadow_px is not None:
            across = np.arange(WIDTH_PX, dtype=np.float32) - self.shadow_px
            luma *= 1 - 0.4 * np.exp(-((across / 30) ** 2))[None, :]
        if self.hand_px:
            cv2.rectangle(luma, (0, 100), (self.hand_px, 160), 170.0, -1)
            cv2.circle(luma, (self.hand_px, 130), 45, 170.0, -1)
        top, left = self._rng.integers(0, 32, 2)
        luma += self._sensor[top : top + HEIGHT_PX, left : left + WIDTH_PX]
        return cv2.cvtColor(np.clip(luma, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)

    def _die(self, x_px: int, y_px: int) -> Die:
        return Die(int(self._rng.integers(1, 7)), 0.99, x_px, y_px, EDGE_PX, float(self._rng.integers(0, 90)))

    def _covered(self, die: Die) -> bool:
        in_arm = die.x_px <= self.hand_px and 100 <= die.y_px <= 160
        return bool(self.hand_px) and (in_arm or np.hypot(die.x_px - self.hand_px, die.y_px - 130) <= 45)


def _draw(luma: NDArray[np.float32], die: Die) -> None:
    centre = np.array([die.x_px, die.y_px])
    turn = np.deg2rad(die.angle_deg)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = centre + EDGE_PX / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ R.T
    cv2.fillConvexPoly(luma, np.rint(corners).astype(np.int32), 220.0)
    for pip in PIPS[die.face]:
        x_px, y_px = centre + 0.26 * EDGE_PX * np.array(pip) @ R.T
        cv2.circle(luma, (round(x_px), round(y_px)), 2, 30.0, -1)
