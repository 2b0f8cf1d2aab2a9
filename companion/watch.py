"""Turns what a camera shows into the table's words: dice tumble, rest, are set aside, or the camera is lost."""

import logging
from collections.abc import Callable
from typing import Protocol

from companion import table
from hardware.ports import BGR, Camera, DeviceError, Frame
from vision.reading import Reading
from vision.settle import Emptied, Moving, Nudged, Rolled, Seen, SetAside, Settler, Unchanged, Unsure

logger = logging.getLogger("mishimash")

Witness = Callable[[Frame, Reading], None]
"""Is shown each frame that decided something, with its reading."""

LOOK_S = 0.1


class Reads(Protocol):
    """Whatever reads a picture; vision.read.Reader is the one that ships."""

    def read(self, image_bgr: BGR, expect: int | None = None) -> Reading:
        """The dice of one picture; `expect` is how many there should be, None when any number may be."""


class Watcher(Protocol):
    """Looks at a camera, one frame after another."""

    @property
    def now_s(self) -> float:
        """The time of the latest frame, on the frames' clock."""

    def look(self, at: table.Table) -> tuple[table.Input, ...]:
        """What the next frame tells, to a table as it stands now. Raises EndOfFrames."""


class MotionWatcher:
    """Watches moving pictures: a roll counts when it has come to rest."""

    def __init__(self, camera: Camera, settler: Settler, witness: Witness) -> None:
        self._camera = camera
        self._settler = settler
        self._witness = witness
        # Whether the table was told that there is no camera; None before the first look, then the table knows it.
        self._lost: bool | None = None
        self.now_s = 0.0

    def look(self, at: table.Table) -> tuple[table.Input, ...]:
        """What the next frame tells; a live camera that fails is told once, and again when it is back.

        Raises DeviceError for a recording that cannot be played.
        """
        if self._lost is None:
            self._lost = bool(at.camera_lost)
        try:
            frame = self._camera.frame()
        except DeviceError as error:
            if not self._camera.live:
                raise
            if self._lost:
                return ()
            self._lost = True
            logger.warning("%s", error)
            return (table.CameraLost(str(error)),)
        back = (table.CameraBack(),) if self._lost else ()
        if back:
            logger.warning("the camera gives pictures again")
        self._lost = False
        self.now_s = frame.captured_s
        self._settler.expect = at.expects
        self._settler.hold(at.game.turn.roll)
        seen = self._settler.update(frame.image_bgr, frame.captured_s)
        for one in seen:
            if isinstance(one, Rolled | Unsure):
                self._witness(frame, one.reading)
        return (*back, *(_told(one) for one in seen if not _lay_there_before(one)))


class LookWatcher:
    """Takes one picture after another, each a settled look, whenever the table waits for a roll."""

    def __init__(self, camera: Camera, reader: Reads, witness: Witness) -> None:
        self._camera = camera
        self._reader = reader
        self._witness = witness
        self.now_s = 0.0

    def look(self, at: table.Table) -> tuple[table.Input, ...]:
        """What the next picture tells, or nothing while no roll is waited for; each call takes a tenth of a second."""
        self.now_s += LOOK_S
        if at.expects is None:
            return ()
        frame = self._camera.frame()
        reading = self._reader.read(frame.image_bgr)
        self._witness(frame, reading)
        if reading.status == "empty":
            return (table.TrayEmptied(),)
        return (_told(Rolled(reading) if reading.status == "ok" else Unsure(reading)),)


def _lay_there_before(seen: Seen) -> bool:
    """Dice that lay in the tray when the program began were thrown by nobody it knows."""
    return isinstance(seen, Rolled) and not seen.thrown


def _told(seen: Seen) -> table.Input:
    match seen:
        case Moving():
            return table.Tumbling()
        case Rolled(reading):
            dice = sorted(reading.dice, key=lambda die: die.face)
            colours = tuple(die.colour for die in dice)
            return table.DiceRest(reading.values, min(die.confidence for die in dice), colours)
        case Unsure(reading):
            return table.DiceUnsure(reading.values, reading.reasons)
        case SetAside(taken, left):
            return table.SetAside(left.values, taken)
        case Nudged(before, now):
            return table.Nudged(before.values, now.values)
        case Unchanged():
            return table.Unchanged()
        case Emptied():
            return table.TrayEmptied()
