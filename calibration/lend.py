"""The camera borrowed from a running service, and handed back whatever happens in between."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from calibration.errors import CalibrationError
from hardware.control import ask, socket_path
from hardware.ports import DeviceError

DEVICES = ("picamera2", "v4l2")
RENEW_S = 10.0


class Loan:
    """What the borrower tells the service at the end: set `profile_changed` to have the new profile taken over."""

    def __init__(self) -> None:
        self.profile_changed = False


@contextmanager
def borrowed(source: str) -> Iterator[Loan]:
    """The right to open the camera of a source; asks the running service, if there is one, to let go of it meanwhile.

    The loan is renewed every ten seconds, so that a service may take the camera back from a borrower that died. Raises
    CalibrationError when the service does not lend it.
    """
    loan = Loan()
    if source.partition(":")[0] not in DEVICES or not _lends():
        yield loan
        return
    # A line that drops ends the program too, and the camera is to be handed back even so.
    before = {ending: signal.signal(ending, _leave) for ending in (signal.SIGHUP, signal.SIGTERM)}
    done = threading.Event()
    renewing = threading.Thread(target=_renew, args=(done,), name="loan", daemon=True)
    renewing.start()
    try:
        yield loan
    finally:
        done.set()
        renewing.join()
        ask("reload" if loan.profile_changed else "resume-camera")
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _leave(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def _renew(done: threading.Event) -> None:
    while not done.wait(RENEW_S):
        try:
            ask("pause-camera")
        except DeviceError:
            return


def _lends() -> bool:
    """Whether a running service has let go of the camera; false when none runs."""
    if not socket_path().exists():
        return False
    try:
        ask("pause-camera")
    except DeviceError as error:
        if isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError):
            return False
        raise CalibrationError(f"the running service does not lend its camera: {error}") from error
    return True
