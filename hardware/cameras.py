"""Opens the camera that a source names: the Pi's, a USB one, a video, a folder of pictures or the simulated tray."""

import logging
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from hardware.holders import holder
from hardware.picamera import PiCamera, PiSettings, require_picamera2
from hardware.pictures import load_picture
from hardware.ports import Camera, DeviceError, EndOfFrames, Frame
from hardware.reviving import RevivingCamera
from hardware.simulated import SimulatedTray

logger = logging.getLogger("mishimash")

SOURCES = "picamera2, table, folder:DIR, video:FILE, v4l2:N"
PI = PiSettings()
PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"}


def open_camera(source: str, *, pi: PiSettings = PI, seed: int = 0, style: str = "", real_time: bool = True) -> Camera:
    """The camera of a source, see SOURCES; `pi` matters to the Pi's camera, the rest to the simulated tray only.

    Raises DeviceError with one sentence when the source is not known or its device cannot be opened.
    """
    kind, _, name = source.partition(":")
    if kind in ("folder", "video", "v4l2") and not name:
        raise DeviceError(f"camera '{source}': say which one, for example {kind}:{'0' if kind == 'v4l2' else 'PATH'}")
    if kind == "folder":
        return FolderCamera(Path(name))
    if kind == "video":
        return VideoCamera(Path(name))
    if source == "table":
        return SimulatedTray(seed, style=style, clock=time.monotonic if real_time else None)
    if kind == "v4l2":
        first = [V4l2Camera(name)]  # opened now, so that a wrong number is said at once
        return RevivingCamera(lambda: first.pop() if first else V4l2Camera(name))
    if source == "picamera2":
        require_picamera2()
        return RevivingCamera(lambda: PiCamera(pi))
    raise DeviceError(f"there is no camera '{source}'; there are: {SOURCES}")


class FolderCamera:
    """Each picture of a folder is one settled look, in name order; what is not a picture is passed over.

    `passed_over` says which files those were and why. A frame's time is its place in the folder, one second apart.
    """

    live = False

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            what = "is not a folder" if folder.exists() else "no such folder"
            raise DeviceError(f"{folder}: {what}; give the folder that holds the pictures")
        self._files = sorted(f for f in folder.iterdir() if f.suffix.lower() in PICTURES and f.is_file())
        if not self._files:
            raise DeviceError(f"{folder}: no pictures in it; it must hold files ending in {' '.join(sorted(PICTURES))}")
        self.passed_over: list[str] = []
        self._next = 0
        self._given = 0

    def frame(self) -> Frame:
        """The next picture that can be read; EndOfFrames after the last, DeviceError if there was not a single one."""
        while self._next < len(self._files):
            path = self._files[self._next]
            self._next += 1
            try:
                image = load_picture(path)
            except DeviceError as error:
                self.passed_over.append(str(error))
                logger.warning("passed over: %s", error)
                continue
            self._given += 1
            return Frame(image, float(self._next - 1), path.name)
        if not self._given:
            raise DeviceError(
                f"{self._files[0].parent}: none of its {len(self._files)} files is a picture; the first: "
                f"{self.passed_over[0]}"
            )
        raise EndOfFrames(f"all {self._given} pictures were shown")

    def close(self) -> None:
        """Nothing to give back."""


class VideoCamera:
    """The frames of a video file, at the times they were recorded."""

    live = False

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise DeviceError(f"{file}: no such video file; check the name and the folder")
        self._video = cv2.VideoCapture(str(file))
        self._fps = self._video.get(cv2.CAP_PROP_FPS)
        if not self._video.isOpened() or not self._fps > 0:
            raise DeviceError(f"{file}: not a video that OpenCV can read; convert it to MP4 or MKV")
        self._file, self._index = file, 0

    def frame(self) -> Frame:
        """The next frame; EndOfFrames after the last, DeviceError if not even the first can be decoded."""
        read, image = self._video.read()
        if not read:
            if not self._index:
                raise DeviceError(f"{self._file}: no frame of it can be decoded; convert it to MP4 or MKV")
            raise EndOfFrames(f"{self._file}: all {self._index} frames were shown")
        self._index += 1
        return Frame(np.asarray(image, np.uint8), (self._index - 1) / self._fps, f"{self._file.name}#{self._index}")

    def close(self) -> None:
        """Closes the file."""
        self._video.release()


class V4l2Camera:
    """A USB camera /dev/videoN through OpenCV."""

    live = True

    def __init__(self, number: str, clock: Callable[[], float] = time.monotonic) -> None:
        if not number.isdigit():
            raise DeviceError(f"camera 'v4l2:{number}': a number must follow, v4l2:0 is /dev/video0")
        self._name, self._clock = f"/dev/video{number}", clock
        if not Path(self._name).exists():
            found = " ".join(sorted(str(p) for p in Path("/dev").glob("video*"))) or "none"
            raise DeviceError(f"{self._name} is not there (found: {found}); plug the camera in or give another number")
        self._device = cv2.VideoCapture(int(number), cv2.CAP_V4L2)
        if not self._device.isOpened():
            who = holder([self._name])
            why = f"{who} holds it; stop that first" if who else "is it a camera? (v4l2-ctl --list-devices)"
            raise DeviceError(f"{self._name} does not open; {why}")

    def frame(self) -> Frame:
        """The camera's next picture; DeviceError when it gives none."""
        read, image = self._device.read()
        if not read:
            raise DeviceError(f"{self._name} gives no picture; check its plug, then start again")
        return Frame(np.asarray(image, np.uint8), self._clock(), self._name)

    def close(self) -> None:
        """Gives the device back."""
        self._device.release()
