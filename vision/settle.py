"""Says what happened in the tray: frames go in, rolls and set-asides come out, each once, when the dice rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision import follow
from vision.follow import Followed
from vision.motion import Changes, Stillness, Thumbnail, luma, reaches_in, thumbnail
from vision.reading import Reading

# How long something that reaches into the tray may lie still over a die before the die counts as gone.
PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class Moving:
    """Dice or a hand began to move. Exactly one of the other events follows once all is at rest."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """A new roll is at rest and read surely; `thrown` is false when the dice lay there before anything moved."""

    reading: Reading
    thrown: bool = True


@dataclass(frozen=True, slots=True)
class Unsure:
    """All is at rest, but the reader does not stand behind what it sees, for `reading.reasons`."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class SetAside:
    """Dice were lifted out or put back, the others lie where they were.

    `taken`: faces missing from the roll as first read, sorted, all of them and not only the latest; () when all are
    back. `left`: what lies in the tray.
    """

    taken: tuple[int, ...]
    left: Reading


@dataclass(frozen=True, slots=True)
class Emptied:
    """No dice lie in the tray any more."""


@dataclass(frozen=True, slots=True)
class Nudged:
    """Without a throw, a die shows another face or one that was not in the roll lies there: somebody must be asked."""

    before: Reading
    now: Reading


@dataclass(frozen=True, slots=True)
class Unchanged:
    """All is at rest again and the dice lie as before: a hand, a shadow or a lamp, no more."""

    reading: Reading


Seen = Moving | Rolled | Unsure | SetAside | Emptied | Nudged | Unchanged


class Reads(Protocol):
    """A reader of dice, as far as settling needs one."""

    def read(self, image_bgr: NDArray[np.uint8], expect: int | None = None) -> Reading:
        """The dice of one picture; `expect` is how many there should be, None when any number may be."""


class Settler:
    """Watches a tray: tells rest from motion, and a set-aside from a new roll.

    `rest_s`: how long nothing may move and the reading must stay the same and sure. `watched`: the blocks of the
    picture in which motion counts (vision.motion.tray_blocks), None for all: hands beside the tray disturb no roll.
    """

    def __init__(self, reader: Reads, rest_s: float = 0.4, watched: Changes | None = None) -> None:
        self._reader = reader
        self._rest_s = rest_s
        # How many dice the game waits for, None while it waits for no roll. May be set at any time.
        self.expect: int | None = None
        self._stillness = Stillness(watched)
        self._moving = self._ever_moved = self._concluded = False
        # The looks of this rest, each with the time in the rest since when it holds.
        self._looks: list[tuple[float, Reading]] = []
        self._conclusion: tuple[Thumbnail, Unsure | Unchanged] | None = None
        # The dice of the roll and the picture they were last surely seen in; None before the first sure reading.
        self._dice: tuple[Followed, ...] | None = None
        self._sure_picture: Thumbnail | None = None
        # Whether that roll had another number of dice than the game waited for.
        self._miscounted = False

    def update(self, image_bgr: NDArray[np.uint8], captured_s: float) -> tuple[Seen, ...]:
        """What this frame (H×W×3 uint8, monotonic seconds) lets one say: mostly nothing, at most one event.

        Frames may be missing, late or repeated; one no later than its predecessor is ignored.
        """
        picture = thumbnail(luma(image_bgr))
        still_s = self._stillness.update(picture, captured_s)
        if still_s is None:
            return ()
        if still_s == 0.0:
            began, self._moving = not self._moving, True
            self._ever_moved, self._concluded = True, False
            self._looks.clear()
            return (Moving(),) if began else ()
        if self._concluded:
            return ()
        if not self._looks and self._conclusion and not self._stillness.differs(picture, self._conclusion[0]):
            # After a motion all is as it was: no need to read.
            return self._conclude(self._conclusion[1]) if still_s >= self._rest_s else ()
        seen = self._look(image_bgr, picture, still_s)
        return self._conclude(seen) if seen else ()

    def hold(self, faces: Sequence[int]) -> None:
        """Tells which faces the game holds for the roll: one that was corrected or accepted counts in `SetAside.taken`.

        May be told again with every frame; another number of dice than the roll's changes nothing.
        """
        self._dice = self._dice and follow.hold(self._dice, faces)

    def _conclude(self, seen: Seen) -> tuple[Seen, ...]:
        self._moving, self._concluded = False, True
        return (seen,)

    def _look(self, image_bgr: NDArray[np.uint8], picture: Thumbnail, still_s: float) -> Seen | None:
        """Reads the picture if a look is due, and says what follows from the looks of this rest."""
        if self._looks and still_s < self._looks[-1][0] + self._rest_s:
            return None
        # Nothing moved since the rest began: the first look holds from then on.
        self._looks.append((still_s if self._looks else 0.0, self._reader.read(image_bgr)))
        reading = verdict([reading for _, reading in self._looks])
        if reading is None or (still_s < PATIENCE_S and self._hidden(image_bgr, picture, reading)):
            return None
        seen = Unsure(reading) if reading.status == "unsure" else self._sure(reading, picture)
        self._conclusion = (picture, seen if isinstance(seen, Unsure) else Unchanged(reading))
        return seen

    def _sure(self, reading: Reading, picture: Thumbnail) -> Seen:
        """What a sure reading means after what was known, and keeps it as known."""
        known, self._sure_picture = self._dice, picture
        if reading.status == "empty":
            self._dice = ()
            return Unchanged(reading) if known == () else Emptied()
        if not known or follow.thrown(known, reading.dice, awaited=self.expect is not None):
            return self._rolled(reading, thrown=known is not None or self._ever_moved)
        self._dice, strange = follow.update(known, reading.dice)
        taken, before = follow.taken(self._dice), follow.taken(known)
        if self._miscounted and self.expect is not None and (strange or taken != before):
            # The game still waits for the right number of dice: one was added or taken away.
            return self._rolled(reading, thrown=True)
        if strange and self.expect not in (None, len(reading.dice)):
            # Thrown among dice that should have been taken out, or not all of them thrown.
            return self._rolled(reading, thrown=True)
        if strange:
            return Nudged(Reading(tuple(one.die for one in known if one.there), "ok"), reading)
        return Unchanged(reading) if taken == before else SetAside(taken, reading)

    def _rolled(self, reading: Reading, thrown: bool) -> Rolled:
        self._dice = follow.follow(reading.dice)
        self._miscounted = self.expect not in (None, len(reading.dice))
        return Rolled(reading, thrown)

    def _hidden(self, image_bgr: NDArray[np.uint8], picture: Thumbnail, reading: Reading) -> bool:
        """Whether a die is missing where something reaches in over the picture's border: a hand may hide it."""
        if not self._dice or self._sure_picture is None or reading.status == "unsure":
            return False
        height_px, width_px = image_bgr.shape[:2]
        changed = self._stillness.changes(picture, self._sure_picture)
        now, _ = follow.update(self._dice, reading.dice)
        gone = [then.die for then, later in zip(self._dice, now, strict=False) if then.there and not later.there]
        return any(
            reaches_in(changed, (die.x_px / width_px, die.y_px / height_px), die.size_px / 2 / width_px) for die in gone
        )


def verdict(looks: Sequence[Reading]) -> Reading | None:
    """What successive looks at one rest say together: surely only what the last two agree on, None while it is open."""
    if len(looks) < 2:
        return None
    before, now = looks[-2:]
    if now.status == "unsure":
        return now
    if before.status == "unsure":
        # The first look may have caught the last of the motion; this one has to be confirmed like any other.
        return None
    if before.status == now.status and follow.agree(before.dice, now.dice):
        return now
    said = " and then ".join(" ".join(map(str, look.values)) or "no dice" for look in (before, now))
    return replace(now, status="unsure", reasons=(f"two looks disagree: {said}",))
