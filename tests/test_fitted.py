"""Camera and profile belong together: what the camera is opened with, and what happens to pictures that do not fit."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion import cli
from companion.config import CameraConfig
from companion.devices import pi_settings
from companion.fitted import FittedCamera
from companion.screens import screen_of
from companion.table import CameraBack, CameraLost, Settings, new_table, step
from companion.watch import MotionWatcher
from hardware.locks import Locks
from hardware.picamera import PiSettings
from hardware.ports import Frame
from vision.profile import Exposure, TrayProfile
from vision.profile_file import load_profile, save_profile
from vision.read import Reader
from vision.settle import Settler

BEGUN = new_table(Settings(("Ana", "Bo")))


class Focusing:
    """A live camera that first gives pictures of another size."""

    live = True

    def __init__(self, *sizes_px: tuple[int, int]) -> None:
        self.sizes_px = list(sizes_px)
        self.now_s = 0.0

    def frame(self) -> Frame:
        width, height = self.sizes_px.pop(0)
        self.now_s += 0.1
        return Frame(np.full((height, width, 3), 90, np.uint8), self.now_s)

    def close(self) -> None:
        """Nothing to give back."""


def test_the_pi_camera_is_opened_as_it_was_calibrated(tmp_path: Path) -> None:
    config = CameraConfig(width_px=640, height_px=480)
    assert pi_settings(config) == PiSettings(640, 480)
    exposure = Exposure(12_000, 2.5, (1.9, 1.4), 3.0)
    save_profile(TrayProfile("imx708", 1280, 960, exposure=exposure), tmp_path / "profile.toml")
    profile = load_profile(tmp_path / "profile.toml")
    locks = Locks(12_000, 2.5, (1.9, 1.4), 3.0)
    assert pi_settings(config, profile) == PiSettings(1280, 960, locks=locks, model="imx708")
    assert pi_settings(config, TrayProfile("", 1280, 960)) == PiSettings(1280, 960)


def test_a_live_camera_of_another_size_is_trouble_until_its_pictures_fit() -> None:
    camera = FittedCamera(Focusing((640, 480), (640, 480), (320, 240)), TrayProfile("", 320, 240))
    watcher = MotionWatcher(camera, Settler(Reader()), lambda frame, reading: None)
    [lost] = watcher.look(BEGUN)
    assert isinstance(lost, CameraLost)
    assert lost.reason.startswith("the camera: pictures of 640x480, but the profile is for 320x240")
    assert watcher.look(BEGUN) == ()
    assert watcher.look(BEGUN) == (CameraBack(),)
    screen = screen_of(step(BEGUN, lost)[0])
    assert (screen.alert, screen.left) == ("Profile does not fit", "By hand")
    assert "mishimash calibrate" in screen.lines[0]


def test_a_profile_of_another_camera_is_refused_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile, script = tmp_path / "profile.toml", tmp_path / "script.txt"
    save_profile(TrayProfile("imx708", 1024, 768), profile)
    script.write_text("roll\n")
    for source in ("table", "v4l2:0"):
        devices = ("--camera", source, "--buttons", f"script:{script}", "--display", f"png:{tmp_path / 'screens'}")
        assert cli.main(["play", *devices, "--state-dir", str(tmp_path), "--profile", str(profile)]) == 2
        said = f"profile.toml is for the camera imx708, this is {source}: run `mishimash calibrate`\n"
        assert capsys.readouterr().err.endswith(said)


@pytest.mark.parametrize("kind", ["folder", "video"])
def test_a_recording_of_another_size_ends_with_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    picture, profile = np.full((240, 320, 3), 90, np.uint8), tmp_path / "profile.toml"
    save_profile(TrayProfile("", 1024, 768), profile)
    (tmp_path / "looks").mkdir()
    cv2.imwrite(str(tmp_path / "looks" / "roll-1.png"), picture)
    video = cv2.VideoWriter(str(tmp_path / "video.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, (320, 240))
    for _ in range(3):
        video.write(picture)
    video.release()
    source = {"folder": f"folder:{tmp_path / 'looks'}", "video": f"video:{tmp_path / 'video.avi'}"}[kind]
    script = tmp_path / "script.txt"
    script.write_text("roll\n")
    devices = ("--camera", source, "--buttons", f"script:{script}", "--display", f"png:{tmp_path / 'screens'}")
    assert cli.main(["play", *devices, "--profile", str(profile)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "320x240" in err
    assert "1024x768" in err
    assert "mishimash calibrate" in err
