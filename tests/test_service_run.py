"""A run as a service: what ends it, what it answers, and that the camera can be lent meanwhile."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion import table
from companion.config import Config, GameConfig
from companion.errors import InputError
from companion.inputs import Over
from companion.service import POWER_OFF_EXIT, RELOAD_EXIT, Lendable, Service
from companion.table import DiceRest, DiceUnsure, Settings, Table
from hardware.control import Answer, ask, socket_path
from hardware.ports import DeviceError, Frame
from hardware.reviving import RevivingCamera

AT: Table = table.new_table(Settings(players=("Ana", "Bo")))


class Quiet:
    """Inputs to which little happens."""

    now_s = 0.0

    def __init__(self, *seen: table.Input) -> None:
        self.seen = seen

    def next(self, at: Table) -> tuple[table.Input, ...]:
        time.sleep(0.01)
        return self.seen


class Lens:
    """A device that takes grey pictures until it is closed."""

    live = True
    opened = 0

    def __init__(self) -> None:
        Lens.opened += 1

    def frame(self) -> Frame:
        return Frame(np.full((4, 4, 3), 128, np.uint8), time.monotonic())

    def close(self) -> None:
        Lens.opened -= 1


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    before = signal.getsignal(signal.SIGTERM)
    made = Service(Config)
    with made:
        yield made
    signal.signal(signal.SIGTERM, before)


def answer_of(service: Service, word: str, camera: object = None, *seen: table.Input) -> Answer | str:
    """What a running loop answers; the text of the error when it refuses."""
    inputs = service.asked(Quiet(*seen), camera)
    answers: list[Answer | str] = []

    def other_program() -> None:
        try:
            answers.append(ask(word, socket_path()))
        except DeviceError as error:
            answers.append(str(error))

    inputs.next(AT)
    asking = threading.Thread(target=other_program)
    asking.start()
    while asking.is_alive():
        try:
            inputs.next(AT)
        except Over:
            break
    asking.join()
    return answers[0]


def test_sigterm_ends_the_loop_at_its_next_turn(service: Service) -> None:
    inputs = service.asked(Quiet(), None)
    inputs.next(AT)
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(Over):
        inputs.next(AT)


def test_status_tells_the_game_the_devices_and_the_last_readings(service: Service) -> None:
    seen = (DiceRest((1, 5), 0.98765), DiceUnsure((2,), ("glare",)))
    service.troubles = {"display": lambda: "no panel at 0x3c", "buttons": lambda: ""}
    answer = answer_of(service, "status", None, *seen)
    assert isinstance(answer, dict)
    assert answer["game"]["to_play"] == "Ana"
    assert answer["devices"] == {
        "camera": "ok", "storage": "ok", "buttons": "ok", "display": "no panel at 0x3c",
    }  # fmt: skip
    assert {"values": [1, 5], "status": "ok", "confidence": 0.988} in answer["readings"]
    assert {"values": [2], "status": "unsure", "reasons": ["glare"]} in answer["readings"]


def test_the_journal_tells_of_what_changes_something_and_of_no_status(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    answer_of(service, "status")
    answer_of(service, "reload")
    assert caplog.messages == ["asked to reload"]


def test_a_reload_with_another_config_asks_for_a_new_process(service: Service) -> None:
    assert service.exit_code(AT) == 0
    assert answer_of(service, "reload") == {"ok": True}
    assert not service.takes_over(replace(Config(), game=GameConfig(("Cyd",))))
    assert service.exit_code(AT) == RELOAD_EXIT


def test_a_reload_with_the_same_config_takes_the_profile_over_in_this_process(service: Service) -> None:
    assert answer_of(service, "reload") == {"ok": True}
    assert service.takes_over(Config())
    assert not service.takes_over(Config())
    assert service.exit_code(AT) == 0


def test_power_off_is_left_to_systemd_where_there_is_one(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    wished = replace(AT, wish="power_off")
    assert service.exit_code(wished) == 0
    monkeypatch.setenv("NOTIFY_SOCKET", "@nobody")
    assert service.exit_code(wished) == POWER_OFF_EXIT


def test_a_reload_of_a_broken_config_changes_nothing_and_says_why(service: Service) -> None:
    def broken() -> None:
        raise InputError("config.toml: unknown key 'plaiers'")

    service.check_config = broken
    assert answer_of(service, "reload") == "nothing changed: config.toml: unknown key 'plaiers'"
    assert service.exit_code(AT) == 0


def test_a_camera_is_lent_and_taken_back(service: Service) -> None:
    camera = RevivingCamera(Lens)
    assert isinstance(camera, Lendable)
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            try:
                camera.frame()
            except DeviceError:
                continue

    watching = threading.Thread(target=watch)
    watching.start()
    assert answer_of(service, "pause-camera", camera) == {"ok": True}
    assert Lens.opened == 0
    assert answer_of(service, "resume-camera", camera) == {"ok": True}
    stop.set()
    watching.join()
    assert camera.frame().image_bgr.shape == (4, 4, 3)
    camera.close()


def test_what_is_no_device_cannot_be_lent(service: Service) -> None:
    assert answer_of(service, "pause-camera", object()) == "this camera is no device that could be lent"
