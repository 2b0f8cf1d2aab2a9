"""What lies before the camera while calibrating, and who puts it there: the owner, or the simulated tray by itself."""

from collections import deque
from dataclasses import asdict
from typing import Protocol

from calibration.errors import CalibrationError
from calibration.light import flickers
from calibration.prompt import Prompter
from hardware.locks import Locks
from hardware.ports import BGR, Camera, EndOfFrames
from hardware.reviving import RevivingCamera
from hardware.simulated import SimulatedTray
from vision.motion import Stillness, luma, thumbnail
from vision.profile import Exposure

PATIENCE_FRAMES = 300
REST_S = 0.6


class Scene(Protocol):
    """Gives still pictures of what is asked for, and says what took them."""

    def taken_with(self) -> tuple[str, Exposure | None]:
        """The camera's name, "" for a recording of any, and what it holds locked; known once a picture was taken."""

    def look(self) -> BGR:
        """A picture of whatever lies there now."""

    def board(self, how: str) -> BGR:
        """A picture of the board, lying or held as `how` says."""

    def empty(self, count: int) -> list[BGR]:
        """Up to `count` pictures of the empty tray, one after another."""

    def roll(self, number: int) -> BGR:
        """A picture of roll `number`, at rest."""


class CameraScene:
    """A real table: asks the owner to put things there, then waits until nothing moves."""

    def __init__(self, camera: Camera, source: str, prompter: Prompter) -> None:
        self._camera, self._source, self._prompter = camera, source, prompter

    def taken_with(self) -> tuple[str, Exposure | None]:
        if not self._camera.live:
            return "", None
        device = getattr(self._camera, "device", self._camera)
        locks: Locks | None = getattr(device, "locks", None)
        return str(getattr(device, "model", self._source)), Exposure(**asdict(locks)) if locks else None

    def look(self) -> BGR:
        return self._still(1)[0]

    def board(self, how: str) -> BGR:
        self._prompter.ask(how, "take it", "")
        return self._still(1)[0]

    def empty(self, count: int) -> list[BGR]:
        self._prompter.ask("Clear the tray: no dice, no board, no hands.", "take it", "")
        if isinstance(self._camera, RevivingCamera):
            # Opened anew, the device settles on the light of the empty tray, not of the white board, and locks it.
            self._camera.close()
        pictures = self._still(count)
        if flickers(pictures):
            self._prompter.tell("The light flickers: use another lamp, or an exposure of 10 ms or a multiple of it.")
        return pictures

    def roll(self, number: int) -> BGR:
        self._prompter.ask(f"Roll {number}: throw all dice, let them rest, hands away.", "take it", "")
        return self._still(1)[0]

    def _still(self, count: int) -> list[BGR]:
        """`count` successive pictures of a scene at rest; a recording has one of each scene."""
        stillness, pictures = Stillness(), deque[BGR](maxlen=count)
        try:
            for _ in range(PATIENCE_FRAMES):
                frame = self._camera.frame()
                if not self._camera.live:
                    return [frame.image_bgr]
                still_s = stillness.update(thumbnail(luma(frame.image_bgr)), frame.captured_s)
                if still_s == 0.0:
                    pictures.clear()
                pictures.append(frame.image_bgr)
                if still_s and still_s >= REST_S and len(pictures) == count:
                    return list(pictures)
        except EndOfFrames as end:
            message = f"the recording is too short ({end}): it needs the board, the empty tray and rolls"
            raise CalibrationError(message) from end
        raise CalibrationError("something keeps moving before the camera: hands away, the tray steady, and try again")


class SimulatedScene:
    """The simulated tray lays the board, clears itself and throws its own dice."""

    def __init__(self, tray: SimulatedTray, prompter: Prompter) -> None:
        self._tray, self._prompter = tray, prompter

    def taken_with(self) -> tuple[str, Exposure | None]:
        return "table", None

    def look(self) -> BGR:
        return self._tray.frame().image_bgr

    def board(self, how: str) -> BGR:
        self._prompter.tell(f"{how} (The simulated tray does it by itself.)")
        return self._tray.board_picture()

    def empty(self, count: int) -> list[BGR]:
        self._prompter.tell("The simulated tray clears itself.")
        self._tray.clear()
        return [self._tray.empty_picture() for _ in range(count)]

    def roll(self, number: int) -> BGR:
        self._prompter.tell(f"Roll {number}: the simulated tray throws its dice.")
        self._tray.throw()
        self._tray.frame()
        while not self._tray.at_rest():
            self._tray.frame()
        return self._tray.frame().image_bgr


def scene_of(camera: Camera, source: str, prompter: Prompter) -> Scene:
    """The scene before the camera of a source."""
    if isinstance(camera, SimulatedTray):
        return SimulatedScene(camera, prompter)
    return CameraScene(camera, source, prompter)
