"""How a check on a booted system is told, and when a time that is too long is the machine's fault."""

import time

from boot_container import Container


def core_share() -> float:
    """How much of a core a busy program gets here now; 1.0 where nothing else wants it."""
    began_s, used_s = time.monotonic(), time.process_time()
    while time.monotonic() - began_s < 1.0:
        pass
    return (time.process_time() - used_s) / (time.monotonic() - began_s)


class Verdicts:
    """What held on one system and what did not, told as it comes; `slow` is what the machine was too busy for."""

    def __init__(self, system: Container) -> None:
        self._system = system
        self.held = 0
        self.failed: list[str] = []
        self.slow: list[str] = []

    def say(self, name: str, fine: object, more: str = "") -> None:
        """One line; what the service last said beside it when something does not hold."""
        self.held += bool(fine)
        self._print("ok    " if fine else "FAILED", name, more)
        if not fine:
            self.failed.append(name)
            print(self._system.run("journalctl -u mishimash -n 15 -o short-iso --no-pager", check=False), flush=True)

    def say_time(self, name: str, took_s: float, at_most_s: float) -> None:
        """A time that is too long counts only as far as the service had a core to itself."""
        name = f"{name} within {at_most_s:g} s"
        if took_s > at_most_s and took_s * (share := core_share()) <= at_most_s:
            self.slow.append(name)
            self._print("BUSY  ", name, f"({took_s:.1f} s where a busy program gets {share:.2f} of a core)")
        else:
            self.say(name, took_s <= at_most_s, f"({took_s:.1f} s)")

    def _print(self, verdict: str, name: str, more: str) -> None:
        print(f"check-boot: {self._system.name}: {verdict} {name} {more}".rstrip(), flush=True)

    @property
    def in_short(self) -> str:
        """How many there are of each."""
        return f"{self.held} ok, {len(self.failed)} failed, {len(self.slow)} not judged on a machine this busy"
