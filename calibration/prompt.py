"""How the guided run speaks with the owner: in a terminal, or at the table on the display and the two buttons."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Protocol, TextIO

from PIL import Image, ImageDraw, ImageFont

from calibration.errors import CalibrationError
from hardware.ports import Button, Buttons, Display, Key, Press

POLL_S = 0.02
# The smallest size at which a 6 and an 8 of the font cannot be mistaken without anti-aliasing.
FONT_PX, LINE_PX = 12, 13


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

    def ask(self, text: str, yes: str, no: str, typed: str = "") -> Answer:
        """Waits for the answer to `text`; `yes` and `no` say in a word what each does, "" when there is only one way.

        `typed` says what may be written instead, where there is a keyboard. Raises Stopped when the owner has enough.
        """


class TerminalPrompter:
    """Asks in a terminal: Enter is yes, n is no, q stops, anything else comes back as typed."""

    def __init__(self, lines: TextIO, out: TextIO) -> None:
        self._lines, self._out = lines, out

    def tell(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def ask(self, text: str, yes: str, no: str, typed: str = "") -> Answer:
        ways = [f"[Enter] {yes}", *([f"[n] {no}"] if no else []), *([f"[{typed}]"] if typed else []), "[q] stop"]
        print(f"{text}\n  {'   '.join(ways)}", file=self._out, flush=True)
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
        self._told = ""

    def tell(self, text: str) -> None:
        self._told = text
        self._display.show(text_picture(text, self._display.size_px))

    def ask(self, text: str, yes: str, no: str, typed: str = "") -> Answer:
        labels = (f"BANK {no}" if no else "", f"ROLL {yes}")
        # What was told just before is still to be read, where there is room for both.
        both = f"{self._told} {text}"
        size_px, self._told = self._display.size_px, ""
        room = (size_px[1] - LINE_PX) // LINE_PX
        self._display.show(text_picture(both if len(wrapped(both, size_px[0])) <= room else text, size_px, labels))
        while True:
            for press in self._buttons.presses(self._clock(), asked=True):
                if isinstance(press, Key):
                    if press.name == "quit":
                        raise Stopped
                elif press.button is Button.BOTH:
                    raise Stopped
                elif isinstance(press, Press) and not press.held:
                    return Answer(Choice.YES if press.button is Button.ROLL else Choice.NO)
            self._sleep(POLL_S)


def text_picture(text: str, size_px: tuple[int, int], labels: tuple[str, str] | None = None) -> Image.Image:
    """A 1-bit picture of the text, wrapped; `labels` stand left and right on the last line. What is too long is cut."""
    picture = Image.new("1", size_px, 0)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    width_px, bottom_px = size_px[0], size_px[1] - (LINE_PX if labels else 0)
    for i, line in enumerate(wrapped(text, width_px)[: bottom_px // LINE_PX]):
        draw.text((0, LINE_PX * i - 1), line, fill=1, font=_font())
    if labels:
        draw.rectangle((0, bottom_px, *size_px), fill=1)
        draw.text((1, bottom_px - 1), labels[0], fill=0, font=_font())
        draw.text((width_px - 1, bottom_px - 1), labels[1], fill=0, font=_font(), anchor="ra")
    return picture


def wrapped(text: str, width_px: int) -> list[str]:
    """The text in lines that fit the width; a word longer than that is a line of its own."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font().getlength(longer, mode="1") <= width_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(FONT_PX)


def parse_faces(typed: str) -> tuple[int, ...]:
    """The faces of `1 2 2 4 5 6` or `122456`, sorted; raises CalibrationError for anything else."""
    digits = [c for c in typed if c not in " ,"]
    if not digits or len(digits) > 6 or not set(digits) <= set("123456"):
        raise CalibrationError(f"'{typed}' is no roll: type one to six faces, like 122456")
    return tuple(sorted(int(c) for c in digits))
