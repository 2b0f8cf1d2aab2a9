"""What the service manager hears of us: ready, alive, stopping; and log lines with the level that the journal wants.

Where no service manager listens (NOTIFY_SOCKET is not set) nothing is sent, so the program need not know where it runs.
The protocol is sd_notify(3): one datagram of `NAME=value` lines to the socket that NOTIFY_SOCKET names.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable

JOURNAL_LEVELS = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))

SEND_WITHIN_S = 0.1


def supervised() -> bool:
    """True when a service manager waits to hear from this process."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def notify(*lines: str) -> bool:
    """Sends lines such as "READY=1" or "STATUS=Ana to roll" to the service manager; False when they did not get there.

    A manager that does not listen holds the caller up for SEND_WITHIN_S at most. Without a manager it is True.
    """
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name:
        return True
    address = "\0" + name[1:] if name.startswith("@") else name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
        to.settimeout(SEND_WITHIN_S)
        try:
            to.connect(address)
            to.sendall("\n".join(lines).encode())
        except OSError as error:
            # A full or vanished socket must not stop a game; the watchdog restarts us if it stays so.
            logging.getLogger("mishimash").debug("the service manager does not listen at %s: %s", name, error)
            return False
    return True


class Pulse:
    """Says ready when every part has shown life once, and feeds the watchdog each time all of them have since.

    A part beats when it has done its work, well or with a failure that is known and shown: the camera after each look,
    the loop after each picture on the display. One part that hangs stops the pulse, and the service is restarted.
    Ready is said until it gets there: a manager that missed it would end a service that is well.
    """

    def __init__(self, parts: Iterable[str], say: Callable[[str], bool] = notify) -> None:
        self._parts = frozenset(parts)
        self._waiting_for = set(self._parts)
        self._say = say
        self._next = "READY=1"
        self._lock = threading.Lock()

    def beat(self, part: str) -> None:
        """Counts a sign of life of one of the parts; may be called from any thread."""
        with self._lock:
            self._waiting_for.discard(part)
            if not self._waiting_for:
                if self._say(self._next):
                    self._next = "WATCHDOG=1"
                self._waiting_for |= self._parts


class JournalFormatter(logging.Formatter):
    """One line a record, led by the `<level>` that journald takes off and files it under (sd-daemon(3))."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        level = next((level for least, level in JOURNAL_LEVELS if record.levelno >= least), 7)
        return f"<{level}>" + super().format(record).replace("\n", " | ")
