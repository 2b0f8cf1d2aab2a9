"""The whole guided run at a simulated table, the steps one by one, and the camera borrowed from a running service."""

import contextlib
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.lend import borrowed
from calibration.prompt import TerminalPrompter
from calibration.scene import CameraScene, scene_of
from companion.cli import main
from hardware.control import ControlSocket, socket_path
from hardware.ports import BGR, DeviceError, Frame
from hardware.reviving import RevivingCamera
from hardware.simulated import SimulatedTray
from vision.profile_file import load_profile


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_first_timer_gets_a_profile_that_reads_the_rolls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    answer(monkeypatch, "", "", "n", "", "", "12x", "", "", "")
    path = tmp_path / "profile.toml"
    assert main(["calibrate", "--camera", "table", "--profile", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.count("The simulated tray clears itself.") == 2, "the owner wished to repeat the step"
    assert "'12x' is no roll" in said
    assert said.splitlines()[-1] == "fit for play: 3 rolls read surely"
    profile = load_profile(path, camera="table")
    assert profile.lacks == ()
    assert profile.dice is not None
    assert profile.dice.edge_mm == pytest.approx(16, rel=0.05)
    capsys.readouterr()
    assert main(["calibrate", "show", "--profile", str(path), "--camera", "table"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("now      as calibrated")


def test_a_run_that_is_stopped_leaves_the_profile_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    answer(monkeypatch, "", "q")
    assert main(["calibrate", "--camera", "table", "--profile", str(tmp_path / "profile.toml")]) == 2
    assert capsys.readouterr().err.endswith("stopped; the profile is as it was before\n")
    assert not list(tmp_path.iterdir())


def test_steps_one_by_one_build_on_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = ["--camera", "table", "--profile", str(tmp_path / "profile.toml")]
    assert main(["calibrate", "tray", *options]) == 0
    assert main(["calibrate", "light", *options]) == 0
    profile = load_profile(tmp_path / "profile.toml")
    assert profile.pose is not None
    assert profile.outline_mm is not None
    assert main(["calibrate", "tray", *options]) == 0
    assert load_profile(tmp_path / "profile.toml").empty_bgr is None, "the empty picture is of another pose"


def test_a_damaged_profile_is_told_and_replaced_and_kept_as_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "profile.toml"
    path.write_text("half of a li")
    assert main(["calibrate", "tray", "--camera", "table", "--profile", str(path)]) == 0
    assert capsys.readouterr().err.startswith(f"not used: {path} is no profile")
    assert load_profile(path).pose is not None
    assert Path(f"{path}.1").read_text() == "half of a li"


def test_a_recording_without_an_empty_tray_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "pictures"
    folder.mkdir()
    cv2.imwrite(str(folder / "board.jpg"), SimulatedTray(seed=1).board_picture())
    options = ["--camera", f"folder:{folder}", "--profile", str(tmp_path / "profile.toml")]
    answer(monkeypatch, *[""] * 5, "q")
    assert main(["calibrate", *options]) == 2
    assert "the recording is too short" in capsys.readouterr().out


class Restless:
    """A live camera before which something moves for a while."""

    live = True

    def __init__(self, restless_frames: int) -> None:
        self._rng = np.random.default_rng(0)
        self._left = restless_frames
        self._now_s = 0.0

    def frame(self) -> Frame:
        self._now_s += 1 / 15
        picture: BGR = np.full((120, 160, 3), 90, np.uint8)
        if self._left > 0:
            self._left -= 1
            x, y = (int(k) for k in self._rng.integers(20, 100, 2))
            cv2.circle(picture, (x, y), 15, (200, 200, 220), -1)
        return Frame(picture, self._now_s)

    def close(self) -> None:
        """Nothing to give back."""


def test_a_picture_is_taken_when_the_hands_are_away():
    scene = CameraScene(Restless(20), "v4l2:0", TerminalPrompter(io.StringIO("\n"), io.StringIO()))
    assert [int(picture.max()) for picture in scene.empty(3)] == [90, 90, 90]


def test_what_never_rests_is_said():
    scene = CameraScene(Restless(10**6), "v4l2:0", TerminalPrompter(io.StringIO("\n"), io.StringIO()))
    with pytest.raises(CalibrationError, match="something keeps moving before the camera: hands away"):
        scene.roll(1)


def test_a_recording_belongs_to_no_camera_and_a_device_is_named_by_its_source():
    prompter = TerminalPrompter(io.StringIO(), io.StringIO())
    assert scene_of(Restless(0), "v4l2:0", prompter).taken_with() == ("v4l2:0", None)
    assert scene_of(SimulatedTray(), "table", prompter).taken_with() == ("table", None)


@contextmanager
def service(refuses: str = "") -> Iterator[list[str]]:
    """A service's control socket that writes down what it was asked."""
    asked: list[str] = []
    control, done = ControlSocket(socket_path()), threading.Event()

    def loop() -> None:
        while not done.wait(0.005):
            for request in control.waiting():
                asked.append(request.word)
                request.answer({"error": "no"} if request.word == refuses else {"ok": True})

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield asked
    finally:
        done.set()
        thread.join()
        control.close()


@pytest.fixture
def _runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))


def test_the_service_takes_the_camera_back_from_a_borrower_that_died():
    now = [0.0]
    camera = RevivingCamera(lambda: Restless(0), lambda: now[0], lambda s: None)
    camera.frame()
    lending = threading.Thread(target=camera.lend)
    lending.start()
    while lending.is_alive():
        with contextlib.suppress(DeviceError):
            camera.frame()
    for at_s, renewed in ((20.0, True), (45.0, False)):
        now[0] = at_s
        with pytest.raises(DeviceError, match="lent to another program"):
            camera.frame()
        if renewed:
            camera.lend()
    now[0] = 51.0
    assert camera.frame().image_bgr.shape == (120, 160, 3)


@pytest.mark.usefixtures("_runtime")
def test_the_camera_is_borrowed_and_handed_back():
    with service() as asked:
        with borrowed("picamera2"):
            assert asked == ["pause-camera"]
        assert asked == ["pause-camera", "resume-camera"]


@pytest.mark.usefixtures("_runtime")
def test_a_new_profile_is_taken_over():
    with service() as asked:
        with borrowed("v4l2:0") as loan:
            loan.profile_changed = True
        assert asked == ["pause-camera", "reload"]


@pytest.mark.usefixtures("_runtime")
def test_the_camera_is_handed_back_after_a_failure():
    with service() as asked:
        with pytest.raises(CalibrationError), borrowed("picamera2"):
            raise CalibrationError("no board")
        assert asked == ["pause-camera", "resume-camera"]


@pytest.mark.usefixtures("_runtime")
def test_a_service_that_does_not_lend_is_said():
    with (
        service(refuses="pause-camera"),
        pytest.raises(CalibrationError, match="does not lend its camera: no"),
        borrowed("picamera2"),
    ):
        pass


@pytest.mark.usefixtures("_runtime")
def test_the_socket_of_a_dead_service_is_nobody():
    socket_path().touch()
    with borrowed("picamera2"):
        pass


@pytest.mark.usefixtures("_runtime")
@pytest.mark.parametrize("source", ["picamera2", "table", "folder:pictures"])
def test_without_a_service_or_a_device_nobody_is_asked(source: str):
    with borrowed(source) as loan:
        loan.profile_changed = True
