"""A tray of virtual dice before a virtual camera, and the hand that throws, lifts and puts back dice.

The pictures are all that anybody gets: what the dice show is known to the tray alone, and `truth()` is for tests.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.die_shape import NORMALS, top_face
from hardware.drawing import Lying, Painter
from hardware.ports import BGR, DeviceError, Frame, Key
from hardware.scenery import LOOKS, Look, View, build_scenery
from hardware.tumble import Carry, Throw, cocked, places, thrown

FRAME_S = 1 / 15
EXPOSURE_S = 0.010
NOISE_SPARE_PX = 64


@dataclass(frozen=True)
class TrueDie:
    """What a die really shows: `face` 1..6, the centre of its top face in picture pixels, its lean in degrees."""

    face: int
    xy_px: tuple[float, float]
    lean_deg: float

    @property
    def cocked(self) -> bool:
        """Whether it leans so far that nobody would let the roll count."""
        return self.lean_deg > 3.0


class SimulatedTray:
    """A Camera over virtual dice. With a `clock` it waits for each fifteenth of a second; without, time is virtual.

    `seed` decides every face and place; `style` is a name in `hardware.scenery.LOOKS`, "" for the first. The dice that
    `lift` and `put_back` name are counted from 0 in the order of their faces, from the last throw on.
    """

    def __init__(
        self,
        seed: int = 0,
        n_dice: int = 6,
        style: str = "",
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        view: View | None = None,
    ) -> None:
        look = LOOKS.get(style or next(iter(LOOKS)))
        if look is None:
            raise DeviceError(f"the simulated tray has no style '{style}'; it has: {', '.join(LOOKS)}")
        self.look: Look = look
        self.view = view or View()
        self.n_dice = n_dice
        self.live = clock is not None
        self._clock, self._sleep = clock, sleep
        self.seed, self.style = seed, style
        # The camera's thread looks while the hand moves dice.
        self._lock = threading.Lock()
        self._rng = np.random.default_rng(seed)
        self._noise = _sensor_noise(np.random.default_rng(seed + 1), self.view, look.noise)
        self._noise_rng = np.random.default_rng(seed + 2)
        self._scenery = build_scenery(self.view, look, seed)
        self._painter = Painter(self.view, look, self._scenery)
        self._dice: list[Throw] = []
        self._carried: dict[int, Carry] = {}
        self._now_s = clock() if clock else 0.0
        self._still_bgr: BGR | None = None

    def frame(self) -> Frame:
        """The next picture, H×W×3 uint8; waits until it is due when time is real."""
        due_s = self._now_s + FRAME_S
        if self._clock:
            if (early_s := due_s - self._clock()) > 0:
                self._sleep(early_s)
            self._now_s = max(due_s, self._clock())
        else:
            self._now_s = due_s
        with self._lock:
            picture = self._picture()
        return Frame(self._noisy(picture), self._now_s)

    def close(self) -> None:
        """Nothing to give back."""

    def throw(self, n: int | None = None, lean_deg: float = 0.0) -> None:
        """Takes all dice and throws `n` (all by default); with `lean_deg` one of them comes to lean on a wall."""
        n = self.n_dice if n is None else n
        faces = sorted(int(face) for face in self._rng.integers(1, 7, n))
        colours = [int(c) for c in self._rng.permutation(self.n_dice)[:n]]
        ends = places(self._rng, faces, colours, self.look)
        if lean_deg:
            i = int(self._rng.integers(n))
            ends[i] = cocked(self._rng, ends[i], [d for j, d in enumerate(ends) if j != i], self.look, lean_deg)
        with self._lock:
            self._dice = [thrown(self._rng, end, self._now_s) for end in ends]
            self._carried.clear()
            self._still_bgr = None

    def lift(self, indices: Sequence[int]) -> None:
        """Takes dice out of the tray; those that are out or do not exist are passed over."""
        with self._lock:
            for i in indices:
                if 0 <= i < len(self._dice) and (i not in self._carried or self._carried[i].back):
                    self._carried[i] = Carry(self._dice[i].end, self._now_s, back=False)
                    self._still_bgr = None

    def put_back(self, indices: Sequence[int]) -> None:
        """Puts lifted dice back where they were."""
        with self._lock:
            for i in indices:
                if i in self._carried and not self._carried[i].back:
                    self._carried[i] = Carry(self._dice[i].end, self._now_s, back=True)
                    self._still_bgr = None

    def clear(self) -> None:
        """Takes all dice out at once."""
        with self._lock:
            self._dice, self._carried, self._still_bgr = [], {}, None

    def obey(self, key: Key, n_throw: int) -> bool:
        """Does what a key asks of the hand: throw `n_throw` dice, lift or put back dice (counted from 1), or either.

        Returns false when the key is none of the hand's.
        """
        indices = [number - 1 for number in key.numbers]
        match key.name:
            case "throw":
                self.throw(n_throw)
            case "lift":
                self.lift(indices)
            case "back":
                self.put_back(indices)
            case "die":
                out = self.lifted()
                self.put_back([i for i in indices if i in out])
                self.lift([i for i in indices if i not in out])
            case _:
                return False
        return True

    def lifted(self) -> tuple[int, ...]:
        """The dice that are out of the tray or on their way out."""
        return tuple(sorted(i for i, carry in self._carried.items() if not carry.back))

    def empty_picture(self) -> BGR:
        """The empty tray, for the calibration."""
        return self._noisy(self._painter.paint(()))

    def board_picture(self) -> BGR:
        """The calibration's ChArUco board lying in the empty tray."""
        scenery = build_scenery(self.view, self.look, self.seed, board=True)
        return self._noisy(Painter(self.view, self.look, scenery).paint(()))

    def roll_picture(self) -> BGR:
        """All dice thrown and come to rest at once, for the calibration."""
        self.throw()
        self._now_s = max(throw.rests_s for throw in self._dice)
        return self._noisy(self._picture())

    def at_rest(self) -> bool:
        """Whether nothing moves; for tests only."""
        moves: list[Throw | Carry] = [*self._dice, *self._carried.values()]
        return all(self._now_s >= move.rests_s for move in moves)

    def truth(self) -> tuple[TrueDie, ...]:
        """What lies in the tray now; for tests only."""
        found = []
        for die in self._lying_at(self._now_s):
            face, lean_deg = top_face(die.R_tray_die)
            top_mm = die.centre_mm + 0.5 * self.look.edge_mm * die.R_tray_die @ NORMALS[face]
            x_px, y_px = self.view.project(top_mm[None])[0]
            found.append(TrueDie(face, (float(x_px), float(y_px)), lean_deg))
        return tuple(found)

    def _lying_at(self, now_s: float) -> list[Lying]:
        moves = (self._carried.get(i, throw) for i, throw in enumerate(self._dice))
        return [die for move in moves if (die := move.at(now_s, self.look)) is not None]

    def _picture(self) -> BGR:
        """The picture without noise, painted once for as long as nothing moves."""
        if self._still_bgr is not None:
            return self._still_bgr
        picture = self._painter.paint(self._lying_at(self._now_s))
        if self.at_rest():
            self._still_bgr = picture
            return picture
        earlier = self._painter.paint(self._lying_at(self._now_s - EXPOSURE_S))
        return np.asarray(cv2.addWeighted(picture, 0.5, earlier, 0.5, 0.0), np.uint8)

    def _noisy(self, picture: BGR) -> BGR:
        """The picture with the sensor's noise: another piece of one large field each time."""
        top, left = (int(k) for k in self._noise_rng.integers(0, NOISE_SPARE_PX, 2))
        noise = self._noise[top : top + self.view.height_px, left : left + self.view.width_px]
        return np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)


def _sensor_noise(rng: np.random.Generator, view: View, deviation: float) -> NDArray[np.int8]:
    size = (view.height_px + NOISE_SPARE_PX, view.width_px + NOISE_SPARE_PX, 3)
    noise = rng.standard_normal(size, dtype=np.float32)
    noise *= deviation
    return np.rint(noise, out=noise).astype(np.int8)
