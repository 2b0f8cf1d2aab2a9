"""The Raspberry Pi's camera through picamera2: one opened device, whose every fault is one sentence.

`hardware.reviving` closes it after a fault and opens another. picamera2 is imported when a camera is opened.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.holders import holder
from hardware.locks import Holding, Locks, drift, locks_of
from hardware.pace import Pace
from hardware.ports import BGR, DeviceError, Frame

WAIT_S = 2.0
FRAME_US = 33_333
SMALL_PX = (320, 240)
DEVICES = ("/dev/media", "/dev/video")
# Formats of the full picture, best first. picamera2's "RGB888" lies in memory as B, G, R.
FORMATS = ("RGB888", "NV12", "YUV420")
SETTLE_FRAMES = 45
RECHECK_FRAMES = 30


@dataclass(frozen=True, slots=True)
class PiSettings:
    """The size of the pictures, which of several cameras, and what is locked (None: what the camera settles on).

    `model`: the sensor that it must be, "" for any.
    """

    width_px: int = 1024
    height_px: int = 768
    number: int = 0
    locks: Locks | None = None
    model: str = ""


def require_picamera2() -> None:
    """DeviceError when picamera2 cannot be imported here."""
    try:
        import picamera2  # noqa: F401
    except ImportError as error:
        raise DeviceError(
            f"picamera2 is not installed here ({error}); on a Raspberry Pi: sudo apt install python3-picamera2, and "
            "make the environment with --system-site-packages. Elsewhere use --camera table"
        ) from error
    except ValueError as error:
        # What numpy says of a module that was built for another numpy.
        raise DeviceError(
            f"picamera2 does not fit this numpy ({error}); use the system's: pip uninstall numpy in this environment"
        ) from error


class PiCamera:
    """One opened camera; `model` is its sensor, `locks` what is held fixed."""

    live = True

    def __init__(self, settings: PiSettings, clock: Callable[[], float] = time.monotonic) -> None:
        require_picamera2()
        self._clock = clock
        self._settings = settings
        self._camera = _claimed(settings.number)
        try:
            self.model = str(self._camera.camera_properties.get("Model", "camera"))
            if settings.model and settings.model != self.model:
                raise DeviceError(
                    f"the profile was made with the camera {settings.model}, this is {self.model}: connect that one, "
                    "or run `mishimash calibrate` for this one"
                )
            self._format, self._has_small = self._configured()
            self.locks = settings.locks or self._settled()
            self._holding = Holding(self.locks) if self.locks else None
            self._lock()
            self._camera.start()
        except DeviceError:
            self.close()
            raise
        except Exception as error:  # picamera2 and libcamera raise whatever they like
            self.close()
            raise DeviceError(
                f"the camera does not start ({error}); unplug the Pi, check the ribbon, try again"
            ) from error
        self._pace = Pace()
        self._count = 0

    @property
    def trouble(self) -> str:
        """Why what is locked does not hold, one sentence; "" while all is well."""
        return self._holding.trouble if self._holding else ""

    def frame(self) -> Frame:
        """The next picture, at most 30 a second and fewer while nothing moves; DeviceError when none comes in time."""
        if (rest_s := self._pace.rest_s(self._clock())) > 0:
            time.sleep(rest_s)
        try:
            request = self._camera.capture_request(wait=WAIT_S)
            try:
                image = as_bgr(request.make_array("main"), self._format, self._settings)
                small = (
                    request.make_array("lores")[: SMALL_PX[1], : SMALL_PX[0]] if self._has_small else image[::4, ::4, 1]
                )
                metadata = request.get_metadata()
            finally:
                request.release()
        except TimeoutError as error:
            raise DeviceError(f"the camera gave no picture for {WAIT_S:.0f} s; it is being opened again") from error
        except Exception as error:  # picamera2 and libcamera raise whatever they like
            raise DeviceError(f"the camera failed ({error}); it is being opened again") from error
        now_s = self._clock()
        self._pace.saw(small, now_s)
        self._count += 1
        if self._count % RECHECK_FRAMES == 0 and self._holding and self._holding.slips(metadata):
            self._lock()
        return Frame(image, now_s, self.model)

    def close(self) -> None:
        """Gives the camera back, also while another thread waits for a picture of it.

        `stop` would wait for ever for a picture that never comes, if that was not cancelled first.
        """
        with suppress(Exception):
            self._camera.cancel_all_and_flush()
            self._camera.stop()
        with suppress(Exception):
            self._camera.close()

    def _configured(self) -> tuple[str, bool]:
        """Configures the first format that the camera gives at the size wanted: (format, has a small stream)."""
        from libcamera import ColorSpace

        size = (self._settings.width_px, self._settings.height_px)
        controls = {"FrameDurationLimits": (FRAME_US, FRAME_US)}
        controls = {name: value for name, value in controls.items() if name in self._camera.camera_controls}
        why = ""
        for small in ({"size": SMALL_PX, "format": "YUV420"}, None):
            if small and (size[0] < SMALL_PX[0] or size[1] < SMALL_PX[1]):
                continue
            for name in FORMATS:
                try:
                    config = self._camera.create_video_configuration(
                        main={"size": size, "format": name},
                        lores=small,
                        raw=None,
                        buffer_count=4,
                        controls=controls,
                        colour_space=ColorSpace.Sycc(),
                    )
                    self._camera.configure(config)
                except Exception as error:  # picamera2 and libcamera raise whatever they like
                    why = str(error)
                    continue
                # libcamera puts what it can do in the place of what it cannot, and says so only here.
                given = self._camera.camera_configuration()
                if _is(given["main"], size, name) and (small is None or _is(given["lores"], SMALL_PX, "YUV420")):
                    return name, small is not None
                width, height = given["main"]["size"]
                why = f"it offers {width}×{height} {given['main']['format']} instead"
        raise DeviceError(
            f"the camera {self.model} gives no {size[0]}×{size[1]} ({why}); set width_px and height_px in the "
            "config to a size it has (rpicam-hello --list-cameras) and calibrate anew"
        )

    def _settled(self) -> Locks | None:
        """Lets the camera adjust itself, then takes the values it settled on; None where it has nothing to adjust."""
        if "ExposureTime" not in self._camera.camera_controls:
            return None
        self._camera.start()
        before: dict[str, Any] = {}
        for _ in range(SETTLE_FRAMES):
            metadata = self._camera.capture_metadata(wait=WAIT_S)
            if before and not drift(metadata, locks_of(before), share=0.01):
                break
            before = metadata
        self._camera.stop()
        return locks_of(metadata)

    def _lock(self) -> None:
        if self.locks and (values := self.locks.controls(self._camera.camera_controls)):
            self._camera.set_controls(values)


def _is(stream: dict[str, Any], size_px: tuple[int, int], pixel_format: str) -> bool:
    return tuple(stream["size"]) == size_px and stream["format"] == pixel_format


def as_bgr(array: NDArray[np.uint8], pixel_format: str, settings: PiSettings) -> BGR:
    """H×W×3 BGR of what picamera2 gives; its YUV420 keeps the padding of each row, so that is cut off last."""
    if pixel_format in ("NV12", "YUV420"):
        array = _of_yuv(array, planar=pixel_format == "YUV420")
    return np.ascontiguousarray(array[: settings.height_px, : settings.width_px])


def _of_yuv(array: NDArray[np.uint8], planar: bool) -> BGR:
    """BGR of 4:2:0 pictures (3/2·H)×W whose values use the full range; cv2's own conversion takes 16..235 for it."""
    height_px, width_px = 2 * array.shape[0] // 3, array.shape[1]
    small = (height_px // 2, width_px // 2)
    colours = (
        array[height_px:].reshape(2, *small) if planar else array[height_px:].reshape(*small, 2).transpose(2, 0, 1)
    )
    cb, cr = (cv2.resize(plane, (width_px, height_px), interpolation=cv2.INTER_LINEAR) for plane in colours)
    return np.asarray(cv2.cvtColor(cv2.merge([array[:height_px], cr, cb]), cv2.COLOR_YCrCb2BGR), np.uint8)


def _claimed(number: int) -> Any:
    """picamera2's object for camera `number`."""
    from picamera2 import Picamera2

    found = Picamera2.global_camera_info()
    if not found:
        raise DeviceError("no camera is found; push the ribbon cable home at both ends (rpicam-hello --list-cameras)")
    if number >= len(found):
        raise DeviceError(f"there is no camera {number}; {len(found)} found, counted from 0")
    try:
        return Picamera2(number)
    except Exception as error:  # a camera in use is a RuntimeError, but not the only one
        who = holder(DEVICES)
        by = f"by {who}" if who else "by another program"
        raise DeviceError(
            f"the camera is used {by} ({error}); stop that first, or the service: sudo systemctl stop mishimash"
        ) from error
