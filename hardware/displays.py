"""Opens the display that a sink names: the OLED, the terminal, or a folder of PNG files."""

import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hardware.buttons import KEYS
from hardware.oled import OledDisplay
from hardware.panel import LumaPanel, OledSettings
from hardware.ports import DeviceError, Display

SINKS = "oled, terminal, png:DIR"
SIZE_PX = (128, 64)
USUAL_WINDOW = os.terminal_size((80, 24))
OLED = OledSettings()
# Dot numbers of a braille cell, four rows of two, as bits of its code point above U+2800.
BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
HALF_BLOCKS = {"utf": " ▀▄█", "ascii": " '.#"}


def open_display(sink: str, *, oled: OledSettings = OLED) -> Display:
    """The display of a sink, see SINKS; `oled` says which panel it is, and its size is that of every other sink.

    Raises DeviceError with one sentence when there is no sink of that name. A panel that is not there is no error: it
    is taken up as soon as it comes.
    """
    kind, _, name = sink.partition(":")
    size_px = (oled.width_px, oled.height_px)
    if kind == "png":
        if not name:
            raise DeviceError("display 'png:': say where the pictures go, for example png:out")
        return PngDisplay(Path(name), size_px)
    if sink == "oled":
        return OledDisplay(lambda: LumaPanel(oled), size_px)
    if sink == "terminal":
        return TerminalDisplay(sys.stdout, size_px)
    raise DeviceError(f"there is no display '{sink}'; there are: {SINKS}")


class MemoryDisplay:
    """Keeps the pictures it was shown, for tests and for measuring."""

    trouble = ""

    def __init__(self, size_px: tuple[int, int] = SIZE_PX) -> None:
        self.size_px = size_px
        self.pictures: list[Image.Image] = []

    def show(self, picture: Image.Image, brightness: int = 255) -> None:
        """Keeps the picture unless it is the one already shown."""
        if not self.pictures or picture.tobytes() != self.pictures[-1].tobytes():
            self.pictures.append(picture.copy())

    def close(self) -> None:
        """Nothing to give back."""


class PngDisplay:
    """Writes 0001.png, 0002.png … into a folder, one each time the picture changes."""

    trouble = ""

    def __init__(self, folder: Path, size_px: tuple[int, int] = SIZE_PX) -> None:
        self.size_px = size_px
        self._folder = folder
        self._shown = b""
        self._count = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DeviceError(f"{folder}: cannot be made ({error.strerror}); give another folder") from None

    def show(self, picture: Image.Image, brightness: int = 255) -> None:
        """Writes the picture unless it is the one already shown; DeviceError when the folder takes no file."""
        if picture.tobytes() == self._shown:
            return
        self._shown = picture.tobytes()
        self._count += 1
        path = self._folder / f"{self._count:04d}.png"
        try:
            picture.save(path)
        except OSError as error:
            raise DeviceError(f"{path}: cannot be written ({error.strerror}); is the disk full?") from None

    def close(self) -> None:
        """Nothing to give back: the files stay."""


class TerminalDisplay:
    """The picture in a terminal, drawn over itself in place, beside the keys that work.

    Half blocks where the window is wide enough, braille otherwise, plain ASCII without UTF-8. In a pipe each new
    picture is printed below the last one.
    """

    trouble = ""

    def __init__(self, out: TextIO, size_px: tuple[int, int] = SIZE_PX, keys: Sequence[tuple[str, str]] = KEYS) -> None:
        self.size_px = size_px
        self._out, self._keys = out, keys
        self._shown: tuple[bytes, os.terminal_size] | None = None
        self._tty = out.isatty()
        self._utf = (out.encoding or "ascii").lower().startswith("utf")

    def show(self, picture: Image.Image, brightness: int = 255) -> None:
        """Redraws when the picture or the window's size has changed; one write, so that nothing flickers."""
        window = self._window()
        if self._shown == (now := (picture.tobytes(), window)):
            return
        first = self._shown is None or self._shown[1] != window
        self._shown = now
        lines = self._framed(np.asarray(picture, bool), window)
        if not self._tty:
            text = "\n".join(lines) + "\n"
        else:
            # Hide the cursor and clear once; then write from the top, clearing what is left of each line.
            text = ("\x1b[?25l\x1b[2J" if first else "") + "\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines)
        self._out.write(text)
        self._out.flush()

    def close(self) -> None:
        """Leaves the last picture standing and gives the cursor back."""
        if self._tty and self._shown is not None:
            self._out.write("\x1b[?25h\r\n")
            self._out.flush()

    def _window(self) -> os.terminal_size:
        try:
            window = os.get_terminal_size(self._out.fileno())
        except (OSError, ValueError):
            return USUAL_WINDOW
        # A serial line and some containers say that they have no columns at all.
        return window if window.columns else USUAL_WINDOW

    def _framed(self, lit: NDArray[np.bool_], window: os.terminal_size) -> list[str]:
        height, width = lit.shape
        beside = [f" {key:>7}  {what}" for key, what in self._keys]
        beside_width = max(map(len, beside), default=0)
        roomy = window.columns >= width + 2 + beside_width and window.lines > height // 2 + 3
        rows = half_blocks(lit, self._utf) if roomy or not self._utf else braille(lit)
        across, down, corners = ("─", "│", "┌┐└┘") if self._utf else ("-", "|", "++++")
        rule = across * len(rows[0])
        framed = [corners[0] + rule + corners[1], *(down + r + down for r in rows), corners[2] + rule + corners[3]]
        if window.columns < len(framed[0]) + beside_width:
            hints = "   ".join(f"{key}\xa0{what}".replace(" ", "\xa0") for key, what in self._keys)
            return framed + [
                line.replace("\xa0", " ")
                for line in textwrap.wrap(hints, max(20, window.columns - 1), break_on_hyphens=False)
            ]
        top = max(0, (len(framed) - len(beside)) // 2)
        return [line + (beside[i - top] if top <= i < top + len(beside) else "") for i, line in enumerate(framed)]


def braille(lit: NDArray[np.bool_]) -> list[str]:
    """Lines of braille characters, each two pixels wide and four high."""
    height, width = lit.shape
    cells = lit.reshape(height // 4, 4, width // 2, 2).transpose(0, 2, 1, 3)
    return ["".join(chr(0x2800 + int(code)) for code in row) for row in (cells * BRAILLE).sum(axis=(2, 3))]


def half_blocks(lit: NDArray[np.bool_], utf: bool = True) -> list[str]:
    """Lines of characters, each one pixel wide and two high."""
    signs = HALF_BLOCKS["utf" if utf else "ascii"]
    pairs = lit[0::2].astype(int) + 2 * lit[1::2].astype(int)
    return ["".join(signs[pair] for pair in row) for row in pairs]
