"""What a run as a service has beside one by hand: SIGTERM ends it, systemd watches it, and others may ask it.

It wraps what the loop is made of, so that the loop itself knows nothing of it. Where no systemd started the process
only the clean end on SIGTERM is left:

    with Service(lambda: load_config(file)) as service:
        inputs = service.asked(LiveInputs(service.watched(watcher), …), camera)
        app.play(…, inputs, …)
"""

import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from companion import table
from companion.config import Config
from companion.errors import InputError
from companion.inputs import Inputs, Over
from companion.replay_cli import end_state
from companion.table import DiceRest, DiceUnsure, Table
from companion.watch import Watcher
from hardware.control import Answer, ControlSocket, socket_path
from hardware.health import temperature_c
from hardware.notify import JournalFormatter, Pulse, notify, supervised

# The unit answers one exit code by starting the service anew, the other by switching the machine off.
RELOAD_EXIT, POWER_OFF_EXIT = 75, 73
READINGS_KEPT = 5

logger = logging.getLogger("mishimash")


@runtime_checkable
class Lendable(Protocol):
    """A camera that can be given to another program for a while."""

    def lend(self) -> None:
        """Lets go of the device; `frame` says so until it is taken back."""

    def take_back(self) -> None:
        """Opens the device again with the next `frame`."""


class Service:
    """One run as a service; `check_config` raises InputError when the config on disk cannot be used."""

    def __init__(self, check_config: Callable[[], Config]) -> None:
        self.check_config = check_config
        self.troubles: dict[str, Callable[[], str]] = {}  # of devices that the table knows nothing of; "" is well
        self.stopping = False
        self.renewed: Config | None = None  # the config as it was found when a reload was asked for
        self.pulse = Pulse(("camera", "loop"))
        self.control = ControlSocket(socket_path()) if "RUNTIME_DIRECTORY" in os.environ else None

    def __enter__(self) -> Self:
        signal.signal(signal.SIGTERM, self._stop)
        if supervised():
            to_journal = logging.StreamHandler()
            to_journal.setFormatter(JournalFormatter())
            logging.basicConfig(level=logging.INFO, handlers=[to_journal], force=True)
            # A dozen lines each time a camera that hangs is opened again say nothing.
            logging.getLogger("picamera2").setLevel(logging.WARNING)
        return self

    def __exit__(self, *raised: type[BaseException] | BaseException | TracebackType | None) -> None:
        notify("STOPPING=1")
        if self.control:
            self.control.close()

    def watched(self, watcher: Watcher) -> Watcher:
        """The watcher, with a sign of life after each look."""
        return _Watched(watcher, self.pulse)

    def asked(self, inputs: Inputs, camera: object) -> Inputs:
        """The inputs, with answers to what is asked in between, and an end when the service is stopped."""
        return _Asked(inputs, camera, self)

    def takes_over(self, config: Config) -> bool:
        """Whether a reload was asked for that needs no new process: the config is the same, the profile may be new."""
        if self.stopping or self.renewed != config:
            return False
        self.renewed = None
        self.troubles.pop("profile", None)
        return True

    def exit_code(self, at: Table) -> int:
        """How to leave a table: 0, or what asks systemd for more than an end."""
        if self.renewed is not None:
            return RELOAD_EXIT
        return POWER_OFF_EXIT if supervised() and at.wish == "power_off" else 0

    def _stop(self, *_: Any) -> None:
        self.stopping = True


class _Watched:
    def __init__(self, watcher: Watcher, pulse: Pulse) -> None:
        self._watcher = watcher
        self._pulse = pulse

    @property
    def now_s(self) -> float:
        return self._watcher.now_s

    def look(self, at: Table) -> tuple[table.Input, ...]:
        seen = self._watcher.look(at)
        self._pulse.beat("camera")
        return seen


class _Asked:
    def __init__(self, inputs: Inputs, camera: object, service: Service) -> None:
        self._inputs = inputs
        self._camera = camera
        self._service = service
        self._readings: deque[Answer] = deque(maxlen=READINGS_KEPT)

    @property
    def now_s(self) -> float:
        return self._inputs.now_s

    def next(self, at: Table) -> tuple[table.Input, ...]:
        # The loop asks for the next input when the screen has been shown.
        self._service.pulse.beat("loop")
        for request in self._service.control.waiting() if self._service.control else ():
            request.answer(self._answer(request.word, at))
        if self._service.stopping or self._service.renewed is not None:
            raise Over
        happened = self._inputs.next(at)
        self._readings.extend(_reading(one) for one in happened if isinstance(one, DiceRest | DiceUnsure))
        return happened

    def _answer(self, word: str, at: Table) -> Answer:
        if word != "status":  # which changes nothing, and --watch asks for it each second
            logger.info("asked to %s", word)
        match word:
            case "status":
                return status(at, self._service.troubles) | {"readings": list(self._readings)}
            case "reload":
                return self._reload()
            case _ if not isinstance(self._camera, Lendable):
                return {"error": "this camera is no device that could be lent"}
            case "pause-camera":
                self._camera.lend()
            case "resume-camera":
                self._camera.take_back()
        return {"ok": True}

    def _reload(self) -> Answer:
        try:
            self._service.renewed = self._service.check_config()
        except InputError as error:
            return {"error": f"nothing changed: {error}"}
        return {"ok": True}


def status(at: Table, troubles: Mapping[str, Callable[[], str]]) -> Answer:
    """The table and its devices, as JSON can hold them."""
    devices = {
        "camera": at.camera_lost,
        "storage": at.storage_trouble,
        "buttons": f"{', '.join(sorted(at.stuck))} held down" if at.stuck else "",
    }
    devices |= {name: trouble for name, ask in troubles.items() if (trouble := ask()) or name not in devices}
    return {
        "scene": type(at.scene).__name__.lower(),
        "game": end_state(at.game),
        "waits_for_dice": at.expects,
        "devices": {name: trouble or "ok" for name, trouble in devices.items()},
        "temperature_c": temperature_c(),
    }


def _reading(seen: DiceRest | DiceUnsure) -> Answer:
    if isinstance(seen, DiceRest):
        return {"values": list(seen.faces), "status": "ok", "confidence": round(seen.confidence, 3)}
    return {"values": list(seen.faces), "status": "unsure", "reasons": list(seen.reasons)}
