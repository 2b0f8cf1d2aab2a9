"""A camera that may fail: closed, opened again after growing pauses, and watched for a picture that never changes.

It can also be lent to another program for a while, which then finds the device free.
"""

import threading
import time
from collections.abc import Callable

from hardware.ports import Camera, DeviceError, Frame

PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
NAP_S = 0.25  # how long a failing frame() makes its caller wait at most
WELL_S = 10.0  # a camera that ran that long begins with the shortest pause again
FROZEN_S = 5.0
EVERY_PX = 16
LET_GO_S = 3.0
LOAN_S = 30.0  # a borrower that has not asked again for so long is dead
CLOSED = "the camera was given back"
LENT = "the camera is lent to another program; `mishimash resume-camera` takes it back"


class RevivingCamera:
    """A live camera made of devices that fail: `frame` gives a picture or says in one sentence why there is none."""

    live = True

    def __init__(
        self,
        open_device: Callable[[], Camera],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._open_device, self._clock, self._sleep = open_device, clock, sleep
        self._device: Camera | None = None
        self._failures = 0
        self._retry_s = float("-inf")
        self._opened_s = 0.0
        self._trouble = ""
        self._sample = b""
        self._sample_s = 0.0
        self._closed = False
        self._lent = threading.Event()
        self._lent_s = 0.0
        self._let_go = threading.Event()

    def frame(self) -> Frame:
        """The next picture. DeviceError while there is none; it comes within NAP_S or the device's own waiting time."""
        if self._lent.is_set() and self._clock() - self._lent_s > LOAN_S:
            self.take_back()
        if self._lent.is_set():
            self._drop()
            self._let_go.set()
            self._sleep(NAP_S)
            raise DeviceError(LENT)
        if self._device is None and (wait_s := self._retry_s - self._clock()) > 0:
            self._sleep(min(wait_s, NAP_S))
            if self._clock() < self._retry_s:
                raise DeviceError(self._trouble)
        try:
            if self._device is None:
                self._device, self._opened_s, self._sample = self._open_device(), self._clock(), b""
            if self._closed:
                raise DeviceError(CLOSED)
            frame = self._device.frame()
            self._check_alive(frame)
        except DeviceError as error:
            self._give_up(error)
            raise
        if frame.captured_s - self._opened_s > WELL_S:
            self._failures = 0
        return frame

    @property
    def device(self) -> Camera | None:
        """The device now open, None while there is none."""
        return self._device

    @property
    def trouble(self) -> str:
        """What is wrong with the open device although it gives pictures, one sentence; "" while all is well."""
        return str(getattr(self._device, "trouble", ""))

    def lend(self) -> None:
        """Lets go of the device for LOAN_S from now; to be asked again as long as it is needed.

        Returns when the thread that takes pictures has closed it, or after LET_GO_S.
        """
        self._lent_s = self._clock()
        if self._lent.is_set():
            return
        self._let_go.clear()
        self._lent.set()
        self._let_go.wait(LET_GO_S)

    def take_back(self) -> None:
        """Opens the device again with the next picture."""
        self._lent.clear()
        self._failures, self._retry_s = 0, float("-inf")

    def close(self) -> None:
        """Gives the device back for good, also one that another thread is opening just now."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        if device := self._device:
            self._device = None
            device.close()

    def _give_up(self, error: DeviceError) -> None:
        self._drop()
        self._retry_s = self._clock() + PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
        self._failures += 1
        self._trouble = str(error)

    def _check_alive(self, frame: Frame) -> None:
        """A sensor's noise changes every picture; the same bytes for seconds are an old picture given again."""
        part = frame.image_bgr[::EVERY_PX, ::EVERY_PX]
        sample = part.tobytes()
        # Black under a lens cap and burnt-out white are the same every time on a camera that is well.
        if sample != self._sample or part.min() == part.max():
            self._sample, self._sample_s = sample, frame.captured_s
        elif frame.captured_s - self._sample_s > FROZEN_S:
            raise DeviceError(f"the camera has shown the same picture for {FROZEN_S:.0f} s; it is being opened again")
