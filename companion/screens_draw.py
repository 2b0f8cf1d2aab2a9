"""Drawing on a 1-bit picture: text in bitmap fonts, wrapped lines, dice with pips, the labels of the buttons."""

from itertools import product

from PIL import Image, ImageDraw

from companion.fonts import font
from companion.screens_view import DieView

PIPS = {
    0: (),
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2)),
    6: ((0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)),
}
# Edge of a die in pixels: edge of a pip, and where the three columns of pips begin.
PIP_PLACES_PX = {12: (2, (2, 5, 8)), 14: (2, (3, 6, 9)), 15: (3, (2, 6, 10)), 20: (4, (3, 8, 13)), 24: (4, (4, 10, 16))}
# What stands below a die, with a pixel of space: the line of its group, the bar of the cursor.
BRACKET_PX, CURSOR_PX = 2, 3


class Canvas:
    """A black picture to draw on in white; `misfits` are the texts that did not fit where they belong."""

    def __init__(self, size_px: tuple[int, int]) -> None:
        self.image = Image.new("1", size_px)
        self.misfits: list[str] = []
        self._draw = ImageDraw.Draw(self.image)
        self._draw.fontmode = "1"

    def text(self, at_px: tuple[int, int], text: str, font_name: str, ink: int = 1) -> None:
        """Text with its upper left corner at (x, y)."""
        width, height = text_px(text, font_name), line_px(font_name)
        x, y = at_px
        if x < 0 or y < 0 or x + width > self.image.width or y + height > self.image.height:
            self.misfits.append(text)
        self._draw.text(at_px, text, fill=ink, font=font(font_name))

    def box(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """A filled rectangle."""
        self._draw.rectangle((x, y, x + width - 1, y + height - 1), fill=ink)

    def die(self, x: int, y: int, size: int, die: DieView) -> None:
        """A die with its pips: filled when it is chosen, a bar below when it is under the cursor."""
        ink = 0 if die.chosen else 1
        self.box(x, y, size, size)
        if not die.chosen:
            self.box(x + 1, y + 1, size - 2, size - 2, 0)
        for corner in product((x, x + size - 1), (y, y + size - 1)):
            self._draw.point(corner, 0)
        pip, places = PIP_PLACES_PX[size]
        for column, row in PIPS[die.face]:
            self.box(x + places[column], y + places[row], pip, pip, ink)
        if die.cursor:
            self.box(x + 1, y + size + 1, size - 2, 2)


def text_px(text: str, font_name: str) -> int:
    """The width of a text in pixels."""
    return int(font(font_name).getlength(text))


def line_px(font_name: str) -> int:
    """The height of a line in pixels."""
    return int(font(font_name).size)


def wrapped(text: str, width_px: int, font_name: str) -> list[str]:
    """The lines of a text broken at spaces; a word that is too wide keeps a line of its own."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_px(longer, font_name) <= width_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def dice_px(dice: tuple[DieView, ...], size: int, group_gap: int) -> list[int]:
    """Where each die of a row begins, in pixels from the first; the last number is the width of the row."""
    places, x = [], 0
    for i, die in enumerate(dice):
        if i:
            x += group_gap if die.begins else 1
        places.append(x)
        x += size
    return [*places, x]
