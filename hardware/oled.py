"""The OLED through luma.oled: drawn by a thread of its own, given up and taken up again without the game noticing."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from PIL import Image

from hardware.ports import DeviceError

logger = logging.getLogger("mishimash")

RETRY_S = 1.0
HEARTBEAT_S = 0.5
END_WITHIN_S = 0.5  # a bus may hang


class Panel(Protocol):
    """One display that was found and initialised. Its methods raise DeviceError when it has gone."""

    def draw(self, picture: Image.Image) -> None:
        """Sends the picture."""

    def dim(self, brightness: int) -> None:
        """Sets how bright the panel is, 1 to 255."""

    def check(self) -> None:
        """Asks whether the panel is still there and still knows how it was set up."""

    def off(self) -> None:
        """Blanks the panel, unless its settings leave the last picture standing, and gives the bus back."""


class Keeper:
    """Keeps a panel showing a picture, whatever happens to it. No thread and no clock: `tend` it often.

    A panel that was without power has forgotten its set-up, so it is opened anew, and the picture sent again.
    """

    def __init__(self, open_panel: Callable[[], Panel]) -> None:
        self._open_panel = open_panel
        self._panel: Panel | None = None
        self._shown = b""
        self._brightness = 0  # as the panel has it; 0 while that is not known
        self._due_s = float("-inf")  # the next try, or the next check
        self.trouble = ""  # why nothing is shown, one sentence

    def tend(self, picture: Image.Image | None, now_s: float, brightness: int = 255) -> None:
        """Shows `picture` that bright if it is not shown so yet, looks after the panel if that is due."""
        try:
            if self._panel is None:
                if now_s < self._due_s:
                    return
                self._due_s = now_s + RETRY_S
                self._panel, self._shown, self._brightness = self._open_panel(), b"", 0
            if brightness != self._brightness:
                self._panel.dim(brightness)
                self._brightness = brightness
            if picture is not None and picture.tobytes() != self._shown:
                self._panel.draw(picture)
                self._shown = picture.tobytes()
            elif now_s >= self._due_s:
                self._panel.check()
            else:
                return
            self._due_s, self.trouble = now_s + HEARTBEAT_S, ""
        except DeviceError as error:
            self.trouble, self._due_s = str(error), now_s + RETRY_S
            self.off()

    def off(self) -> None:
        """Blanks the panel if there is one."""
        if self._panel is not None:
            self._panel.off()
            self._panel = None


class OledDisplay:
    """A display that may be missing: `show` only says what is wanted, and the newest picture wins."""

    def __init__(self, open_panel: Callable[[], Panel], size_px: tuple[int, int]) -> None:
        self.size_px = size_px
        self._keeper = Keeper(open_panel)
        self._wanted: tuple[Image.Image, int] | None = None
        self._closing = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._draw, name="oled", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Why nothing is shown, one sentence; "" while all is well."""
        return self._keeper.trouble

    def show(self, picture: Image.Image, brightness: int = 255) -> None:
        """Wants a mode "1" picture of `size_px` shown, as bright as 1 to 255; returns at once."""
        with self._news:
            if self._wanted != (picture, brightness):
                self._wanted = picture.copy(), brightness
                self._news.notify()

    def close(self) -> None:
        """Shows what is wanted last, then turns the panel off; waits END_WITHIN_S at most."""
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join(timeout=END_WITHIN_S)

    def _draw(self) -> None:
        seen: tuple[Image.Image, int] | None = None
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closing or self._wanted is not seen, timeout=HEARTBEAT_S)  # noqa: B023
                seen, closing = self._wanted, self._closing
            before = self._keeper.trouble
            if seen is not None:
                self._keeper.tend(seen[0], time.monotonic(), seen[1])
            if self._keeper.trouble != before:
                logger.warning("display: %s", self._keeper.trouble or "well again")
            if closing:
                break
        self._keeper.off()
