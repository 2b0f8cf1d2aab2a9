"""How the guided run speaks with the owner: in a terminal, or at the table on the display and the two buttons."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TextIO

from PIL import Image, ImageDraw, ImageFont

from calibration.errors import CalibrationError
from hardware.ports import Button, Buttons, Display, Key

POLL_S = 0.02
LINE_PX = 11
# Without anti-aliasing one space of the font is too narrow to be seen.
GAP = "  "


class Stopped(Exception):  # noqa: N818 - the owner's wish, no error
    """The owner ended the run; what was calibrated so far is not kept."""


class Choice(Enum):
    """What the owner answered."""

    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Answer:
    """`typed` is what else the owner wrote, "" at the table, where there is nothing to write with."""

    choice: Choice
    typed: str = ""


class Prompter(Protocol):
    """Tells the owner what happens and asks what to do."""

    def tell(self, text: str) -> None:
        """Shows a line; returns at once."""

    def ask(self, text: str, yes: str, no: str) -> Answer:
        """Waits for the answer to `text`; `yes` and `no` say what each does. Stopped when the owner has enough."""


class TerminalPrompter:
    """Asks in a terminal: Enter is yes, n is no, q stops, anything else comes back as typed."""

    def __init__(self, lines: TextIO, out: TextIO) -> None:
        self._lines, self._out = lines, out

    def tell(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def ask(self, text: str, yes: str, no: str) -> Answer:
        print(f"{text}\n  [Enter] {yes}   [n] {no}   [q] stop", file=self._out, flush=True)
        line = self._lines.readline()
        word = line.strip().lower()
        if not line or word in ("q", "quit"):
            raise Stopped
        return Answer(Choice.NO if word in ("n", "no") else Choice.YES, "" if word in ("n", "no", "y", "yes") else word)


class TablePrompter:
    """Asks on the display: ROLL is yes, BANK is no, both held together stop."""

    def __init__(
        self,
        buttons: Buttons,
        display: Display,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._buttons, self._display, self._clock, self._sleep = buttons, display, clock, sleep

    def tell(self, text: str) -> None:
        self._display.show(text_picture(text, "", self._display.size_px))

    def ask(self, text: str, yes: str, no: str) -> Answer:
        self._display.show(text_picture(text, f"ROLL {yes}  BANK {no}", self._display.size_px))
        while True:
            for press in self._buttons.presses(self._clock(), asked=True):
                if isinstance(press, Key):
                    if press.name == "quit":
                        raise Stopped
                elif press.button is Button.BOTH:
                    raise Stopped
                elif not press.held:
                    return Answer(Choice.YES if press.button is Button.ROLL else Choice.NO)
            self._sleep(POLL_S)


def text_picture(text: str, footer: str, size_px: tuple[int, int]) -> Image.Image:
    """A 1-bit picture of the text, wrapped, with the footer on the last line; what does not fit is left out."""
    picture = Image.new("1", size_px, 0)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    font = ImageFont.load_default(10)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]}{GAP}{word}" if lines else word
        if lines and draw.textlength(longer, font) <= size_px[0]:
            lines[-1] = longer
        else:
            lines.append(word)
    room = (size_px[1] - (LINE_PX if footer else 0)) // LINE_PX
    for i, line in enumerate(lines[:room]):
        draw.text((0, LINE_PX * i), line, fill=1, font=font)
    if footer:
        draw.rectangle((0, size_px[1] - LINE_PX - 1, size_px[0], size_px[1]), fill=1)
        draw.text((1, size_px[1] - LINE_PX - 1), footer.replace(" ", GAP), fill=0, font=font)
    return picture


def parse_faces(typed: str) -> tuple[int, ...]:
    """The faces of `1 2 2 4 5 6` or `122456`, sorted; raises CalibrationError for anything else."""
    digits = [c for c in typed if c not in " ,"]
    if not digits or len(digits) > 6 or not set(digits) <= set("123456"):
        raise CalibrationError(f"'{typed}' is no roll: type one to six faces, like 122456")
    return tuple(sorted(int(c) for c in digits))
