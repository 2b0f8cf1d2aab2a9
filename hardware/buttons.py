"""Opens the buttons that a source names: the real ones, the keyboard or a script."""

import atexit
import os
import select
import sys
from collections import deque
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

from hardware.gpio import GpioButtons, Wiring
from hardware.ports import Button, Buttons, DeviceError, Key, Press, Pressed

SOURCES = "gpio, keyboard, script:FILE"
WIRING = Wiring()

# What each key does, as the terminal shows it.
KEYS: tuple[tuple[str, str], ...] = (
    ("b", "BANK"),
    ("r", "ROLL"),
    ("s", "hold ROLL: next selection"),
    ("u", "hold BANK: undo"),
    ("m", "hold both: menu"),
    ("space", "throw the dice"),
    ("1-6", "lift a die, put it back"),
    ("q", "quit"),
)
PRESSES: dict[str, tuple[Button, bool]] = {
    "bank": (Button.BANK, False),
    "roll": (Button.ROLL, False),
    "next": (Button.ROLL, False),
    "step": (Button.ROLL, True),
    "undo": (Button.BANK, True),
    "menu": (Button.BOTH, True),
}
HAND = ("throw", "lift", "back")
WORD_OF_KEY = {
    "b": "bank",
    "r": "roll",
    "s": "step",
    "u": "undo",
    "m": "menu",
    " ": "throw",
    "q": "quit",
    "\x04": "quit",
}


def open_buttons(source: str, wiring: Wiring = WIRING) -> Buttons:
    """The buttons of a source, see SOURCES; `wiring` says where the real ones are.

    Raises DeviceError with one sentence when they cannot be had.
    """
    kind, _, name = source.partition(":")
    if kind == "script":
        if not name:
            raise DeviceError("buttons 'script:': say which file, for example script:game.txt")
        return ScriptButtons.read(Path(name))
    if source == "gpio":
        return GpioButtons(wiring)
    if source == "keyboard":
        return KeyboardButtons(sys.stdin)
    raise DeviceError(f"there are no buttons '{source}'; there are: {SOURCES}")


def pressed(word: str, now_s: float) -> Press | Key:
    """The press that a word stands for, or the word itself as a key."""
    if word in PRESSES:
        button, held = PRESSES[word]
        return Press(button, held, now_s)
    return Key(word, (), now_s)


class KeyboardButtons:
    """The keys of a terminal, one stroke each without Enter; the terminal is as before after `close`, or at exit."""

    def __init__(self, terminal: TextIO) -> None:
        if not terminal.isatty():
            raise DeviceError("buttons 'keyboard' need a terminal; without one use --buttons script:FILE")
        # Not on Windows, where this program does not run; imported here so that a laptop can import the module.
        import termios
        import tty

        self._fd = terminal.fileno()
        self._struck: deque[str] = deque()
        self._before: list[Any] | None = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd)
        atexit.register(self.close)

    def presses(self, now_s: float, asked: bool) -> list[Pressed]:
        """The next key that means something, one a call: the table answers it before it is asked of the next."""
        while select.select([self._fd], [], [], 0)[0]:
            struck = os.read(self._fd, 256).decode(errors="ignore")
            if not struck:
                self._struck.append("q")
                break
            if not struck.startswith("\x1b"):
                self._struck.extend(struck.lower())
        while self._struck:
            char = self._struck.popleft()
            if char in WORD_OF_KEY:
                return [pressed(WORD_OF_KEY[char], now_s)]
            if "1" <= char <= "6":
                return [Key("die", (int(char),), now_s)]
        return []

    def light(self, buttons: frozenset[Button]) -> None:
        """A keyboard has no lights."""

    def close(self) -> None:
        """Gives the terminal back as it was found."""
        import termios

        if self._before is not None:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
            self._before = None
            atexit.unregister(self.close)


class ScriptButtons:
    """Words from a file, one a line: one is pressed each time the table asks. `#` begins a comment.

    `bank`, `roll`, `next`, `undo` (hold BANK), `step` (hold ROLL), `menu` (hold both), `wait SECONDS`, `quit`; for the
    simulated tray `throw`, `lift 1 3` and `back 1 3`. Behind the last word it says `quit`.
    """

    def __init__(self, words: list[tuple[str, tuple[float, ...]]]) -> None:
        self._words = words
        self._next = 0
        self._wait_until_s: float | None = None

    @classmethod
    def read(cls, file: Path) -> "ScriptButtons":
        """The script in `file`; DeviceError names the file, the line and the word that is wrong."""
        try:
            text = file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise DeviceError(f"{file}: no such script; check the name and the folder") from None
        except (OSError, UnicodeDecodeError) as error:
            raise DeviceError(f"{file}: cannot be read as text ({error}); a script has a word a line") from None
        return cls.parse(text, str(file))

    @classmethod
    def parse(cls, text: str, name: str) -> "ScriptButtons":
        """The script of a text; `name` is what errors call it."""
        words = []
        for number, line in enumerate(text.splitlines(), 1):
            parts = line.partition("#")[0].split()
            if parts:
                words.append(_word(parts[0].lower(), parts[1:], f"{name}, line {number}"))
        return cls(words)

    @property
    def timed(self) -> bool:
        """Whether the next word has a `wait` of its own before it."""
        return any(word == "wait" for word, _ in self._words[max(0, self._next - 1) : self._next + 1])

    def presses(self, now_s: float, asked: bool) -> list[Pressed]:
        """The next word if the table asks and no `wait` is running."""
        if not asked:
            return []
        while self._next < len(self._words):
            word, numbers = self._words[self._next]
            if word == "wait":
                if self._wait_until_s is None:
                    self._wait_until_s = now_s + numbers[0]
                if now_s < self._wait_until_s:
                    return []
                self._wait_until_s = None
                self._next += 1
                continue
            self._next += 1
            if word in HAND:
                return [Key(word, tuple(int(n) for n in numbers), now_s)]
            return [pressed(word, now_s)]
        return [Key("quit", (), now_s)]

    def light(self, buttons: frozenset[Button]) -> None:
        """A script has no lights."""

    def close(self) -> None:
        """Nothing to give back."""


def _word(word: str, rest: list[str], place: str) -> tuple[str, tuple[float, ...]]:
    """One line of a script, checked."""
    known = [*PRESSES, "wait", "quit", *HAND]
    if word not in known:
        near = get_close_matches(word, known, 1, 0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"the words are: {' '.join(known)}"
        raise DeviceError(f"{place}: '{word}' is no word of a script; {hint}")
    if word == "wait":
        try:
            (seconds,) = (float(text) for text in rest)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds <= 3600:
            raise DeviceError(f"{place}: '{' '.join(['wait', *rest])}' needs one number of seconds, like: wait 0.5")
        return word, (seconds,)
    if word in ("lift", "back"):
        if not rest or not all(text in {"1", "2", "3", "4", "5", "6"} for text in rest):
            raise DeviceError(f"{place}: '{' '.join([word, *rest])}' needs dice from 1 to 6, like: {word} 1 3")
        return word, tuple(float(text) for text in rest)
    if rest:
        raise DeviceError(f"{place}: '{rest[0]}' after '{word}' means nothing; write one word a line")
    return word, ()
