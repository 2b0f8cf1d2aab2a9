"""The doctor's checks, on machines made of folders."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hardware.doctor import Check, Wants, as_table, check_clock, check_heat, check_profile, check_state, failed
from hardware.doctor_devices import check_buttons, check_camera, check_display, check_service, examine
from hardware.gpio import Wiring
from hardware.ports import Button, Key, Press
from hardware.simulated import SimulatedTray
from hardware.tries import card_of_size, echoed, judged

WELL = Check("python", True, "3.11")
LOOK = Check("display", False, "no panel answers", "check its wires", "i2cdetect -y 1")
BAD = Check("camera", False, "none is found", "push the cable home", "rpicam-hello", vital=True)


def machine(root: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_the_table_has_a_line_a_check_and_the_sentence_that_mends_it() -> None:
    assert as_table([WELL, LOOK, BAD], fix_hints=True).splitlines() == [
        "ok     python   3.11",
        "look   display  no panel answers",
        "                check its wires",
        "                $ i2cdetect -y 1",
        "FAILS  camera   none is found",
        "                push the cable home",
        "                $ rpicam-hello",
        "1 of 3 stand in the way of a game",
    ]
    assert "$" not in as_table([LOOK, BAD])


@pytest.mark.parametrize(("checks", "expected"), [([WELL], False), ([WELL, LOOK], False), ([LOOK, BAD], True)])
def test_only_what_is_vital_stands_in_the_way(checks: list[Check], expected: bool) -> None:
    assert failed(checks) is expected


def test_a_laptop_with_the_simulated_tray_is_fit_to_play(tmp_path: Path) -> None:
    checks = examine(Wants("table", "terminal", "keyboard", state_folder=tmp_path / "state", root=tmp_path))
    assert not failed(checks), as_table(checks)
    assert all("\n" not in check.says + check.mend for check in checks)


def test_a_bare_machine_names_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    checks = {check.name: check for check in examine(Wants(state_folder=tmp_path, root=tmp_path))}
    assert checks["buttons"].vital
    assert "no GPIO chip" in checks["buttons"].says
    assert checks["display bus"].command.startswith("sudo raspi-config")
    assert not checks["display bus"].vital


@pytest.mark.parametrize(("hertz", "ok"), [(100_000, False), (400_000, True)])
def test_a_slow_display_bus_is_told_with_the_line_that_mends_it(tmp_path: Path, hertz: int, ok: bool) -> None:
    speed = "sys__class__i2c-adapter__i2c-1__of_node__clock-frequency"
    root = machine(tmp_path, **{"dev__i2c-1": "", speed: hertz.to_bytes(4, "big")})
    check = {check.name: check for check in check_display(Wants(root=root))}["display speed"]
    assert check.ok is ok
    assert "i2c_arm_baudrate=400000" in check.mend


def test_something_that_is_no_bus_is_one_line(tmp_path: Path) -> None:
    checks = check_display(Wants(root=machine(tmp_path, **{"dev__i2c-1": ""})))
    assert [check.ok for check in checks] == [True, False]
    assert "cannot be used" in checks[1].says or "no panel" in checks[1].says


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use every device")
def test_a_device_without_permission_names_the_group(tmp_path: Path) -> None:
    root = machine(tmp_path, **{"dev__gpiochip0": ""})
    (root / "dev" / "gpiochip0").chmod(0)
    check = check_buttons(Wants(root=root))[0]
    assert "usermod -aG gpio" in check.command


@pytest.mark.parametrize(
    ("camera", "ok"), [("table", True), ("v4l2:0", True), ("v4l2:3", False), ("folder:/none", False), ("webcam", False)]
)
def test_the_camera_that_is_named_is_the_one_that_is_checked(tmp_path: Path, camera: str, ok: bool) -> None:
    root = machine(tmp_path, **{"dev__video0": ""})
    assert check_camera(Wants(camera=camera, root=root))[0].ok is ok


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("0", "enough"),
        ("50000", "too little voltage since the start"),
        ("5", "too little voltage now, slowed down now"),
    ],
)
def test_temperature_and_power_are_told_where_the_machine_knows_them(tmp_path: Path, word: str, says: str) -> None:
    throttled = "sys__devices__platform__soc__soc:firmware__get_throttled"
    heat = "sys__class__thermal__thermal_zone0__temp"
    temperature, power = check_heat(Wants(root=machine(tmp_path, **{heat: "81500\n", throttled: word})))
    assert (temperature.ok, temperature.says) == (False, "82 °C")
    assert (power.ok, power.says) == (word == "0", says)
    assert check_heat(Wants(root=tmp_path / "none")) == []


def test_a_clock_in_the_past_and_an_old_profile_are_told(tmp_path: Path) -> None:
    assert not check_clock(Wants(root=tmp_path, now_s=lambda: 0.0)).ok
    (tmp_path / "tray.npz").touch()
    age_s = (tmp_path / "tray.npz").stat().st_mtime
    young = Wants(profile=str(tmp_path / "tray.npz"), now_s=lambda: age_s + 86_400)
    assert (check_profile(young).ok, check_profile(young).says.endswith("1 days old")) == (True, True)
    assert not check_profile(Wants(profile=str(tmp_path / "tray.npz"), now_s=lambda: age_s + 1e8)).ok
    missing = check_profile(Wants(profile=str(tmp_path / "other.npz")))
    assert missing.vital


def test_a_state_folder_that_cannot_be_made_stands_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = check_state(Wants(state_folder=tmp_path / "file" / "state"))
    assert failed([check])
    assert "\n" not in check.says
    assert check_state(Wants(state_folder=tmp_path / "new" / "state")).ok
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ("LoadState=loaded\nActiveState=active\nResult=success", "active"),
        ("LoadState=loaded\nActiveState=failed\nResult=watchdog", "failed (watchdog)"),
        ("LoadState=not-found\nActiveState=inactive\nResult=success", None),
        ("", None),
    ],
)
def test_the_service_is_told_where_it_is_installed(told: str, says: str | None) -> None:
    assert [check.says for check in check_service(lambda command: told)] == ([says] if says else [])


def test_sharp_dark_bright_and_blurred_pictures_are_told_apart() -> None:
    import cv2

    tray = SimulatedTray(seed=1)
    tray.throw()
    while not tray.at_rest():
        tray.frame()
    picture = tray.frame().image_bgr
    assert judged(picture)[1], judged(picture)[0]
    for spoilt, fault in (
        ((picture * 0.15).astype(np.uint8), "too dark"),
        (np.clip(picture.astype(int) * 4 + 60, 0, 255).astype(np.uint8), "too bright"),
        (cv2.GaussianBlur(picture, (0, 0), 6), "not sharp"),
    ):
        says, good = judged(spoilt)
        assert fault in says
        assert not good


@pytest.mark.parametrize("size_px", [(128, 64), (128, 32), (256, 64)])
def test_the_test_card_reaches_every_edge(size_px: tuple[int, int]) -> None:
    card = card_of_size(size_px)
    lit = np.asarray(card)
    assert card.mode == "1"
    assert np.concatenate([lit[0], lit[-1], lit[:, 0], lit[:, -1]]).all()
    assert card.tobytes() != card.transpose(Image.Transpose.ROTATE_180).tobytes()


def test_presses_are_echoed_in_words() -> None:
    presses: list[Press | Key] = [
        Press(Button.BANK),
        Press(Button.ROLL, True),
        Press(Button.BOTH, True),
        Key("lift", (1,)),
    ]
    assert list(echoed(presses)) == ["BANK", "ROLL, held", "BANK and ROLL together, held", "lift 1"]


def test_two_parts_on_one_pin_stand_in_the_way(tmp_path: Path) -> None:
    [check] = check_buttons(Wants(wiring=Wiring(bank_pin=5, buzzer_pin=5), root=tmp_path))
    assert (check.ok, check.vital) == (False, True)
    assert check.says == "bank_pin and buzzer_pin are both GPIO 5"
    assert check.mend == "give each a pin of its own, in [buttons] of the config"
