"""Counts of faces as bars: in the terminal, and as a picture."""

from collections.abc import Sequence

from PIL import Image, ImageDraw

from companion.fonts import font
from companion.history_dice import FaceCounts
from companion.rules import FACES

BAR_CHARACTERS = 40
EIGHTHS = " ▏▎▍▌▋▊▉"

PANEL_PX = (640, 260)
MARGIN_PX = 24
BARS_TOP_PX, BARS_BOTTOM_PX = 56, 210
INK, BAR, EXPECTED, PAPER = "#202020", "#4878a8", "#c04040", "#ffffff"


def terminal_bars(counts: FaceCounts) -> list[str]:
    """A line for each face: a bar, the count, and its share."""
    most = max(counts.counts) or 1
    return [
        f"  {face} {_bar(count / most)} {count:>6}  {100 * count / (counts.dice or 1):5.1f} %"
        for face, count in zip(FACES, counts.counts, strict=True)
    ]


def picture(kinds: Sequence[FaceCounts]) -> Image.Image:
    """An RGB picture with a panel for each kind of dice: its bars, and a line at the count that fair dice have."""
    width, height = PANEL_PX
    image = Image.new("RGB", (width, height * len(kinds)), PAPER)
    draw = ImageDraw.Draw(image)
    for i, kind in enumerate(kinds):
        _panel(draw, i * height, kind)
    return image


def _panel(draw: ImageDraw.ImageDraw, top: int, kind: FaceCounts) -> None:
    width, height = PANEL_PX
    expected = kind.dice / len(FACES)
    most = max(*kind.counts, expected, 1)

    def y_of(count: float) -> int:
        return top + BARS_BOTTOM_PX - round((BARS_BOTTOM_PX - BARS_TOP_PX) * count / most)

    draw.text((MARGIN_PX, top + 8), f"{kind.name}: {kind.dice} dice", fill=INK, font=font("ter-u20b"))
    step = (width - 2 * MARGIN_PX) // len(FACES)
    for face, count in zip(FACES, kind.counts, strict=True):
        left = MARGIN_PX + (face - 1) * step
        draw.rectangle((left + 8, y_of(count), left + step - 8, top + BARS_BOTTOM_PX), fill=BAR)
        middle = left + step // 2
        draw.text((middle, top + BARS_BOTTOM_PX + 10), f"{face}: {count}", fill=INK, font=font("ter-u16b"), anchor="mm")
    draw.line((MARGIN_PX, y_of(expected), width - MARGIN_PX, y_of(expected)), fill=EXPECTED, width=1)
    draw.text((MARGIN_PX, top + height - 26), kind.verdict(), fill=INK, font=font("ter-u12n"))


def _bar(share: float) -> str:
    eighths = round(share * BAR_CHARACTERS * 8)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(BAR_CHARACTERS)
