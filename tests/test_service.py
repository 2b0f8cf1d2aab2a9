"""How the service speaks with the machine: to the service manager, and through its control socket."""

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion import cli, control_cli
from companion.control_cli import as_text
from hardware import control
from hardware.control import ControlSocket, ask
from hardware.notify import JournalFormatter, Pulse, notify
from hardware.ports import DeviceError


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A service manager's end of the notify socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.settimeout(2)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield end


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ControlSocket]:
    listening = ControlSocket(tmp_path / "control")
    yield listening
    listening.close()


def answered(service: ControlSocket, path: Path, word: str, answer: control.Answer) -> control.Answer:
    """What `ask` gets from a service whose loop answers its first request."""

    def loop() -> None:
        while True:
            for request in service.waiting():
                request.answer(answer | {"word": request.word})
                return

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        return ask(word, path)
    finally:
        thread.join()


def test_the_manager_hears_the_lines_in_one_message(manager: socket.socket) -> None:
    notify("READY=1", "STATUS=Ana, roll 6 dice")
    assert manager.recv(4096).decode() == "READY=1\nSTATUS=Ana, roll 6 dice"


def test_a_manager_that_does_not_listen_holds_nobody_up(manager: socket.socket, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, suppress(BlockingIOError):
        other.setblocking(False)
        other.connect(str(tmp_path / "notify"))
        while True:
            other.send(b"WATCHDOG=1")
    got_there: list[bool] = []
    says = threading.Thread(target=lambda: got_there.append(notify("READY=1")), daemon=True)
    says.start()
    says.join(timeout=5)
    assert got_there == [False]


def test_without_a_manager_nothing_is_sent_and_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify("READY=1")


@pytest.mark.parametrize(
    ("beats", "said"),
    [
        ("", []),
        ("loop loop loop", []),
        ("camera camera", []),
        ("loop camera", ["READY=1"]),
        ("loop camera camera camera", ["READY=1"]),
        ("camera loop loop loop camera", ["READY=1", "WATCHDOG=1"]),
        ("camera loop loop camera loop camera", ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]),
    ],
)
def test_one_part_that_hangs_stops_the_pulse(beats: str, said: list[str]) -> None:
    heard: list[str] = []
    pulse = Pulse(("camera", "loop"), lambda line: heard.append(line) is None)
    for part in beats.split():
        pulse.beat(part)
    assert heard == said


def test_ready_is_said_again_until_the_manager_hears_it() -> None:
    said, hears = list[str](), iter((False, False, True, False, True))
    pulse = Pulse(("camera",), lambda line: said.append(line) is None and next(hears))
    for _ in range(5):
        pulse.beat("camera")
    assert said == ["READY=1", "READY=1", "READY=1", "WATCHDOG=1", "WATCHDOG=1"]


@pytest.mark.parametrize(
    ("level", "lead"),
    [(logging.DEBUG, "<7>"), (logging.INFO, "<6>"), (logging.WARNING, "<4>"), (logging.ERROR, "<3>")],
)
def test_a_record_is_one_line_with_the_journals_level(level: int, lead: str) -> None:
    record = logging.LogRecord("mishimash", level, "", 0, "two\nlines", None, None)
    assert JournalFormatter().format(record) == f"{lead}two | lines"


@pytest.mark.parametrize("word", control.WORDS)
def test_the_loop_answers_what_was_asked(service: ControlSocket, tmp_path: Path, word: str) -> None:
    assert answered(service, tmp_path / "control", word, {"game": "Ana 12.5"}) == {"game": "Ana 12.5", "word": word}


def test_only_owner_and_group_may_ask(service: ControlSocket, tmp_path: Path) -> None:
    assert (tmp_path / "control").stat().st_mode & 0o777 == 0o660


def test_an_unknown_word_is_answered_with_the_known_ones(service: ControlSocket, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="'dance' is no request; known are status, "):
        ask("dance", tmp_path / "control")
    assert list(service.waiting()) == []


@settings(derandomize=True, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage=st.binary(max_size=3000))
def test_garbage_reaches_no_loop(service: ControlSocket, tmp_path: Path, garbage: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
        to.settimeout(1)
        to.connect(str(tmp_path / "control"))
        try:
            to.sendall(garbage)
            to.shutdown(socket.SHUT_WR)
            answer = to.recv(4096)
        except OSError:
            answer = b""
    assert answer == b"" or "error" in json.loads(answer)
    assert list(service.waiting()) == []


@pytest.mark.parametrize("half", [b"", b"stat", b"status" * 1000])
def test_half_a_message_changes_nothing_and_blocks_nobody(service: ControlSocket, tmp_path: Path, half: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
        to.connect(str(tmp_path / "control"))
        to.sendall(half)
        assert answered(service, tmp_path / "control", "status", {})["word"] == "status"
    assert list(service.waiting()) == []


def test_a_request_that_nobody_waits_for_is_not_acted_on(
    service: ControlSocket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "ANSWER_WITHIN_S", 0.05)
    with pytest.raises(DeviceError, match="did not answer within"):
        ask("pause-camera", tmp_path / "control")
    assert list(service.waiting()) == []


def test_where_no_service_runs_the_error_says_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="systemctl start mishimash"):
        ask("status", tmp_path / "control")


def test_a_socket_that_was_left_behind_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "control"))
    service = ControlSocket(tmp_path / "control")
    assert answered(service, tmp_path / "control", "status", {})["word"] == "status"
    service.close()
    assert not (tmp_path / "control").exists()


@pytest.mark.parametrize(
    ("words", "shown"),
    [((), "game: Ana 1\n\ngame: Ana 2\n\n"), (("--json",), '{"game": "Ana 1"}\n{"game": "Ana 2"}\n')],
)
def test_a_watched_status_is_shown_again_until_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], shown: str
) -> None:
    answers = iter(({"game": "Ana 1"}, {"game": "Ana 2"}))

    def ask_one(word: str) -> control.Answer:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(control_cli, "ask", ask_one)
    monkeypatch.setattr(control_cli, "WATCH_S", 0.0)
    assert cli.main(["status", "--watch", *words]) == 130
    assert capsys.readouterr().out == shown


def test_a_status_reads_as_lines() -> None:
    answer = {
        "game": "Ana 12.5",
        "devices": {"camera": "ok", "display": None},
        "readings": [{"values": [1, 5], "sure": True}],
    }
    assert as_text(answer) == "game: Ana 12.5\ndevices:\n  camera: ok\n  display: -\nreadings: values 1 5 sure yes"
