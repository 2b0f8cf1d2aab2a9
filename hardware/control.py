"""The control socket: what other programs on the machine may ask of the running service, and how they ask.

One connection is one question: a line with one word, answered by a line with one JSON object. Anything else, too long
or never finished, is dropped and changes nothing. The socket's permissions let root and the service's group ask.

The service opens a ControlSocket and, in its loop, answers what `waiting()` gives:

    for request in control.waiting():
        request.answer({"ok": True})
"""

import contextlib
import json
import os
import queue
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hardware.ports import DeviceError

WORDS = ("status", "pause-camera", "resume-camera", "reload")
LONGEST = 64
SEND_WITHIN_S = 2.0
ANSWER_WITHIN_S = 5.0
STOP_WITHIN_S = 0.1

Answer = dict[str, Any]


def socket_path() -> Path:
    """Where the socket is: in $RUNTIME_DIRECTORY for the service itself, where systemd puts that for everybody else."""
    return Path(os.environ.get("RUNTIME_DIRECTORY", "/run/mishimash")) / "control"


class Request:
    """One question that waits for its answer."""

    def __init__(self, word: str) -> None:
        self.word = word
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._given_up = threading.Event()

    def answer(self, answer: Answer) -> None:
        """Sends the answer, an object that JSON can hold, to whoever asked."""
        self._answers.put(answer)

    @property
    def given_up(self) -> bool:
        """True when nobody waits any more; then it must not be acted on."""
        return self._given_up.is_set()

    def wait(self) -> Answer:
        """The answer, or that there was none in time."""
        try:
            return self._answers.get(timeout=ANSWER_WITHIN_S)
        except queue.Empty:
            self._given_up.set()
            return {"error": f"the service did not answer within {ANSWER_WITHIN_S:g} s; see journalctl -u mishimash"}


class ControlSocket:
    """Listens in threads of its own; the loop alone decides what a request does. DeviceError when it cannot listen."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        path.unlink(missing_ok=True)
        try:
            self._server = _Server(str(path), _Handler, self._requests.put)
            path.chmod(0o660)
        except OSError as error:
            raise DeviceError(f"cannot listen for requests at {path}: {error.strerror or error}") from error
        threading.Thread(target=self._server.serve_forever, args=(STOP_WITHIN_S,), name="control", daemon=True).start()

    def waiting(self) -> Iterator[Request]:
        """The requests that came since the last call and still wait; returns at once."""
        with contextlib.suppress(queue.Empty):
            while True:
                request = self._requests.get_nowait()
                if not request.given_up:
                    yield request

    def close(self) -> None:
        """Stops listening and takes the socket away."""
        self._server.shutdown()
        self._server.server_close()
        self._path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # with the usual 5, a few half messages would turn the next one away

    def __init__(self, path: str, handler: type["_Handler"], put: Callable[[Request], None]) -> None:
        super().__init__(path, handler)
        self.put = put

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever went away in the middle needs no answer."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = SEND_WITHIN_S
    server: _Server

    def handle(self) -> None:
        line = self.rfile.readline(LONGEST)
        if not line.endswith(b"\n"):
            return
        word = line.decode("ascii", "replace").strip()
        if word in WORDS:
            request = Request(word)
            self.server.put(request)
            answer = request.wait()
        else:
            answer = {"error": f"{word!r} is no request; known are {', '.join(WORDS)}"}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def ask(word: str, path: Path | None = None) -> Answer:
    """The running service's answer to one word of WORDS; DeviceError says why there is none."""
    path = path or socket_path()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
        to.settimeout(ANSWER_WITHIN_S + 1)
        try:
            to.connect(str(path))
            to.sendall(word.encode() + b"\n")
            with to.makefile("rb") as lines:
                answer = json.loads(lines.readline())
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise DeviceError("the service is not running; start it with `sudo systemctl start mishimash`") from error
        except PermissionError as error:
            raise DeviceError(f"you may not use {path}: run this with sudo, or join the group mishimash") from error
        except (OSError, ValueError) as error:
            raise DeviceError(f"the service does not answer at {path}; see `journalctl -u mishimash`") from error
    if not isinstance(answer, dict) or "error" in answer:
        raise DeviceError(str(answer.get("error") if isinstance(answer, dict) else answer))
    return answer
