"""What live cameras have in common: failing and coming back, frozen pictures, locked values, the pace of looking."""

import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.cameras import open_camera
from hardware.holders import holder
from hardware.locks import Holding, Locks, drift, locks_of
from hardware.pace import LOOK_S, STILL_S, Pace
from hardware.picamera import PiSettings, as_bgr
from hardware.ports import DeviceError, Frame
from hardware.reviving import FROZEN_S, NAP_S, PAUSES_S, WELL_S, RevivingCamera

steady = settings(derandomize=True, max_examples=60, deadline=None)


class Time:
    now_s = 50.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class Wired:
    """A camera on a wire that can be pulled (`works`) and whose picture can stand still (`level`)."""

    live = True

    def __init__(self, time: Time) -> None:
        self.time, self.works, self.level, self.opened, self.closed = time, True, 0, 0, 0
        self.picture: Callable[[], np.ndarray] = self.noise
        self.rng = np.random.default_rng(1)

    def noise(self) -> np.ndarray:
        return self.rng.integers(90, 110, (48, 64, 3), dtype=np.uint8)

    def open(self) -> "Wired":
        if not self.works:
            raise DeviceError("no camera is found")
        self.opened += 1
        return self

    def frame(self) -> Frame:
        self.time.now_s += 1 / 15
        if not self.works:
            raise DeviceError("the camera gave no picture")
        return Frame(self.picture(), self.time.now_s)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def wired() -> Wired:
    return Wired(Time())


@pytest.fixture
def camera(wired: Wired) -> RevivingCamera:
    return RevivingCamera(wired.open, wired.time, wired.time.sleep)


def test_a_pulled_camera_is_closed_said_once_in_each_call_and_taken_up_again(
    wired: Wired, camera: RevivingCamera
) -> None:
    camera.frame()
    wired.works = False
    for _ in range(4):
        with pytest.raises(DeviceError, match=r"gave no picture|no camera is found"):
            camera.frame()
    wired.works = True
    for _ in range(20):
        try:
            camera.frame()
            break
        except DeviceError:
            continue
    assert (wired.opened, wired.closed) == (2, 1)


def test_a_camera_given_back_while_it_is_being_opened_is_not_left_open(wired: Wired, camera: RevivingCamera) -> None:
    def slowly() -> Wired:
        camera.close()
        return wired.open()

    camera._open_device = slowly
    with pytest.raises(DeviceError, match="given back"):
        camera.frame()
    assert (wired.opened, wired.closed) == (1, 1)


def test_pauses_grow_and_no_call_waits_long(wired: Wired, camera: RevivingCamera) -> None:
    wired.works = False
    tries: list[float] = []

    def open_and_note() -> Wired:
        tries.append(wired.time.now_s)
        return wired.open()

    camera._open_device = open_and_note
    while wired.time.now_s < 150.0:
        before_s = wired.time.now_s
        with pytest.raises(DeviceError):
            camera.frame()
        assert wired.time.now_s - before_s <= NAP_S
    assert np.allclose(np.diff(tries)[: len(PAUSES_S)], PAUSES_S, atol=NAP_S)


def test_a_camera_that_ran_well_begins_with_the_shortest_pause_again(wired: Wired, camera: RevivingCamera) -> None:
    for _ in range(5):
        wired.works = False
        with pytest.raises(DeviceError):
            camera.frame()
        wired.works = True
        wired.time.now_s += PAUSES_S[0]
        for _ in range(int((WELL_S + 1) * 15)):
            camera.frame()
    assert wired.opened == 5


def test_the_same_bytes_for_seconds_are_a_frozen_camera(wired: Wired, camera: RevivingCamera) -> None:
    still = wired.noise()
    wired.picture = lambda: still
    begun_s = wired.time.now_s
    for _ in range(int(FROZEN_S * 15)):
        camera.frame()
    with pytest.raises(DeviceError, match="same picture for 5 s"):
        [camera.frame() for _ in range(5)]
    assert FROZEN_S < wired.time.now_s - begun_s < FROZEN_S + 0.3
    assert wired.closed == 1


@pytest.mark.parametrize("level", [0, 255])
def test_a_covered_or_burnt_out_picture_is_not_taken_for_a_frozen_one(
    wired: Wired, camera: RevivingCamera, level: int
) -> None:
    wired.picture = lambda: np.full((48, 64, 3), level, np.uint8)
    while wired.time.now_s < 80.0:
        camera.frame()
    assert wired.opened == 1


@steady
@given(
    exposure=st.integers(100, 60_000),
    gain=st.floats(1, 16),
    red=st.floats(0.5, 4),
    off=st.sampled_from([0.5, 0.9, 1.2]),
)
def test_locked_values_are_those_of_the_metadata_and_a_drift_is_noticed(
    exposure: int, gain: float, red: float, off: float
) -> None:
    metadata = {"ExposureTime": exposure, "AnalogueGain": gain, "ColourGains": (red, 1.5), "LensPosition": 3.2}
    locks = locks_of(metadata)
    assert not drift(metadata, locks)
    assert not drift({"SensorTimestamp": 5}, locks)
    for name in ("ExposureTime", "AnalogueGain"):
        assert drift(metadata | {name: metadata[name] * off}, locks)  # type: ignore[operator]
    assert drift(metadata | {"ColourGains": (red * off, 1.5)}, locks)


def test_a_camera_that_does_not_hold_its_settings_is_locked_again_and_then_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    locks = Locks(10_000, 2.0, (1.8, 1.6), 0.0)
    held = {"ExposureTime": 10_040, "AnalogueGain": 2.0, "ColourGains": (1.8, 1.6), "LensPosition": 0.01}
    off = held | {"ExposureTime": 20_000}
    holding = Holding(locks)
    assert not holding.slips(held)
    assert (holding.slips(off), holding.trouble) == (True, "")
    assert holding.slips(off)
    assert holding.slips(off)
    said = "the camera does not hold its settings (exposure in µs 20000 instead of 10000)"
    assert holding.trouble.startswith(said)
    assert [record.message for record in caplog.records] == [holding.trouble]
    assert (holding.slips(held), holding.trouble) == (False, "")


def test_only_offered_controls_are_set() -> None:
    locks = Locks(10_000, 2.0, (1.8, 1.6), 4.0)
    assert locks.controls({}) == {}
    assert locks.controls({"ExposureTime": None, "AnalogueGain": None}) == {"ExposureTime": 10_000, "AnalogueGain": 2.0}
    assert locks.controls({"LensPosition": None}) == {"LensPosition": 4.0}
    assert locks.controls({"LensPosition": None, "AfMode": None}) == {"LensPosition": 4.0, "AfMode": 0}


def test_a_still_tray_is_looked_at_seldom_and_motion_brings_the_full_rate_back() -> None:
    rng, pace, now_s = np.random.default_rng(2), Pace(), 0.0
    still = rng.integers(60, 180, (240, 320), dtype=np.uint8)

    def look(picture: np.ndarray) -> float:
        nonlocal now_s
        now_s += 1 / 15
        pace.saw(np.clip(picture + rng.normal(0, 5, picture.shape), 0, 255).astype(np.uint8), now_s)
        return pace.rest_s(now_s)

    rests = [look(still) for _ in range(60)]
    assert rests[: int(STILL_S * 15) - 1] == [0.0] * (int(STILL_S * 15) - 1)
    assert rests[-1] == LOOK_S
    with_a_die = still.copy()
    with_a_die[100:118, 150:168] = 230
    assert look(with_a_die) == 0.0


@pytest.mark.parametrize("pixel_format", ["NV12", "YUV420", "RGB888"])
def test_every_format_becomes_bgr_of_the_full_range_without_the_padding(pixel_format: str) -> None:
    noise = np.random.default_rng(3).random((96, 128, 3), dtype=np.float32)
    smooth = np.uint8(cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 15), None, 0, 255, cv2.NORM_MINMAX))
    luma, cr, cb = cv2.split(cv2.cvtColor(smooth, cv2.COLOR_BGR2YCrCb))
    small_cb, small_cr = (cv2.resize(plane, (64, 48), interpolation=cv2.INTER_AREA) for plane in (cb, cr))
    array = {
        "NV12": np.concatenate([luma, np.stack([small_cb, small_cr], axis=-1).reshape(48, 128)]),
        "YUV420": np.concatenate([luma, small_cb.reshape(24, 128), small_cr.reshape(24, 128)]),
        "RGB888": smooth,
    }[pixel_format]
    picture = as_bgr(array, pixel_format, PiSettings(120, 90))
    assert picture.shape == (90, 120, 3)
    assert np.abs(picture.astype(int) - smooth[:90, :120]).max() <= 6


def test_who_holds_a_device_is_named(tmp_path: Path) -> None:
    (process := tmp_path / "4711" / "fd").mkdir(parents=True)
    (tmp_path / "4711" / "comm").write_text("rpicam-vid\n")
    os.symlink("/dev/media0", process / "7")
    (tmp_path / "sys").mkdir()
    assert holder(["/dev/media"], tmp_path) == "rpicam-vid (pid 4711)"
    assert holder(["/dev/video"], tmp_path) == ""


def test_without_picamera2_one_line_says_how_to_get_it() -> None:
    pytest.importorskip("hardware.picamera")
    try:
        import picamera2  # noqa: F401
    except ImportError:
        with pytest.raises(DeviceError, match="apt install python3-picamera2") as error:
            open_camera("picamera2")
        assert "\n" not in str(error.value)
    else:
        pytest.skip("picamera2 is installed here")
