"""Runs inside a Debian root: the program's own camera adapter on the real picamera2 and libcamera's virtual camera.

    python3 virtual_camera.py PROJECT CHECK       prints one line and leaves with 0 when the check holds

The virtual camera has one NV12 stream, no controls, no display or dma-heap to take memory from, and no clock: it gives
as many pictures a second as the machine can make. `borrow_memory` gives picamera2 plain shared memory instead, and a
sensor's pace. Everything else is the real thing.
"""

import json
import mmap
import os
import sys
import time
import types
from pathlib import Path

SIZE_PX = (1280, 720)
FRAME_S = 1 / 30


def borrow_memory() -> None:
    """Lets picamera2 be imported without a display library and allocate frames without /dev/dma_heap."""
    formats = ("RGB888", "BGR888", "XRGB8888", "XBGR8888", "YUV420", "YVU420", "YUYV", "NV12", "NV21")
    kms = types.ModuleType("pykms")
    kms.PixelFormat = types.SimpleNamespace(**dict.fromkeys(formats, 0))
    sys.modules["pykms"] = sys.modules["kms"] = kms

    import libcamera
    import picamera2.picamera2 as real
    from picamera2.allocators import Allocator
    from picamera2.allocators.allocator import Sync

    class Mapped(Sync):
        def __init__(self, allocator: "SharedMemory", buffer: object, write: bool) -> None:
            self._mapped = allocator.mapped[buffer]

        def __enter__(self) -> mmap.mmap:
            return self._mapped

        def __exit__(self, *error: object) -> None: ...

    class SharedMemory(Allocator):
        def __init__(self) -> None:
            super().__init__()
            self.sync, self.mapped, self.by_stream, self.files = Mapped, {}, {}, []
            self.next_s = 0.0

        def allocate(self, configuration: object, camera: object) -> None:
            self.close()
            for stream in configuration:
                self.by_stream[stream.stream] = [self._buffer(stream) for _ in range(stream.buffer_count)]

        def _buffer(self, stream: object) -> object:
            file = os.memfd_create("frame")
            os.ftruncate(file, stream.frame_size)
            self.files.append(file)
            luma = stream.stride * stream.size.height
            lengths = [luma, stream.frame_size - luma] if str(stream.pixel_format) == "NV12" else [stream.frame_size]
            planes = []
            for i, length in enumerate(lengths):
                plane = libcamera.FrameBuffer.Plane()
                plane.fd, plane.offset, plane.length = file, sum(lengths[:i]), length
                planes.append(plane)
            buffer = libcamera.FrameBuffer(planes)
            self.mapped[buffer] = mmap.mmap(file, stream.frame_size)
            return buffer

        def acquire(self, buffers: object) -> None:
            # picamera2 calls this once for each picture that libcamera has completed.
            time.sleep(max(0.0, self.next_s - time.monotonic()))
            self.next_s = time.monotonic() + FRAME_S

        def buffers(self, stream: object) -> list[object]:
            return self.by_stream[stream]

        def close(self) -> None:
            for file in self.files:
                os.close(file)
            self.mapped, self.by_stream, self.files = {}, {}, []

    real.DmaAllocator = SharedMemory
    raw_modes = real.Picamera2._get_raw_modes

    def some_raw_mode(camera: real.Picamera2) -> list[dict[str, object]]:
        # A camera without raw streams has none to tell; picamera2 wants one all the same.
        try:
            return raw_modes(camera)
        except AttributeError:
            return [{"format": "SRGGB10", "size": SIZE_PX}]

    real.Picamera2._get_raw_modes = some_raw_mode


def check_frames(project: Path) -> str:
    """Pictures come at the size wanted and are read to the right values."""
    from hardware.picamera import PiCamera, PiSettings
    from vision.profile_file import load_profile
    from vision.read import Reader

    truth = json.loads((project / "truth.json").read_text())
    reader = Reader(load_profile(project / "tray.profile"))
    camera = PiCamera(PiSettings(*SIZE_PX))
    seen = set()
    for _ in range(12 * len(truth)):
        frame = camera.frame()
        assert frame.image_bgr.shape == (SIZE_PX[1], SIZE_PX[0], 3), frame.image_bgr.shape
        reading = reader.read(frame.image_bgr)
        assert reading.status == "ok", (reading.values, reading.reasons)
        assert list(reading.values) in truth, (reading.values, truth)
        seen.add(reading.values)
    camera.close()
    assert len(seen) > 1, seen
    return f"{len(seen)} of {len(truth)} rolls were read to the right values from {camera.model}"


def refused(width_px: int, height_px: int) -> str:
    """The sentence with which a camera of that size is refused."""
    from hardware.picamera import PiCamera, PiSettings
    from hardware.ports import DeviceError

    try:
        PiCamera(PiSettings(width_px, height_px)).close()
    except DeviceError as error:
        return str(error)
    raise AssertionError("it was not refused")


def check_busy(project: Path) -> str:
    """A camera that is in use says so, and can be had afterwards."""
    from hardware.picamera import PiCamera, PiSettings

    first = PiCamera(PiSettings(*SIZE_PX))
    said = refused(*SIZE_PX)
    assert "the camera is used by" in said, said
    first.close()
    PiCamera(PiSettings(*SIZE_PX)).close()
    return "a camera in use is refused in one sentence and can be had once it is free"


def check_size(project: Path) -> str:
    """A size that the camera does not have is said with what to do."""
    from hardware.picamera import PiCamera, PiSettings

    said = refused(1000, 700)
    assert "gives no 1000×700" in said, said
    assert "width_px" in said, said
    PiCamera(PiSettings(*SIZE_PX)).close()
    return "a size the camera does not have is refused in one sentence"


def check_hang(project: Path) -> str:
    """A capture that hangs is given up in time, and the camera is opened again; run with a libcamera that hangs."""
    from hardware.picamera import WAIT_S, PiCamera, PiSettings
    from hardware.ports import DeviceError
    from hardware.reviving import RevivingCamera

    opened = []

    def open_one() -> PiCamera:
        opened.append(PiCamera(PiSettings(*SIZE_PX)))
        return opened[-1]

    camera = RevivingCamera(open_one)
    began_s, said = time.monotonic(), []
    while len(opened) < 2 or len(said) < 3:
        try:
            camera.frame()
            raise AssertionError("this libcamera was to hang")
        except DeviceError as error:
            said.append(str(error))
        assert time.monotonic() - began_s < 20, said
    camera.close()
    assert all("gave no picture" in text for text in said), said
    return f"a camera that hangs was given up after {WAIT_S:.0f} s and opened again, {len(opened)} times in all"


def check_doctor(project: Path) -> str:
    """The doctor sees the camera."""
    from hardware.doctor import Wants
    from hardware.doctor_devices import check_camera

    checks = check_camera(Wants())
    assert all(check.ok for check in checks), checks
    return f"the doctor finds {checks[-1].says}"


if __name__ == "__main__":
    where = Path(sys.argv[1])
    sys.path.insert(0, str(where))
    borrow_memory()
    print(globals()[f"check_{sys.argv[2]}"](where), flush=True)
