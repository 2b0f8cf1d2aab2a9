"""Laying a screen out for a size of display: which fonts, which dice, what stands beside what.

Each size has a plan of its own. The body takes the first arrangement, biggest fonts first, in which everything fits;
only players' names are ever shortened to make it fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from PIL import Image

from companion.screens_draw import BRACKET_PX, CURSOR_PX, Canvas, dice_px, line_px, text_px, wrapped
from companion.screens_view import LONGEST_NAME, NAME_BEGINS, SHORTEST_NAME, Row, Screen, cut

Arrangement = tuple[tuple[str, ...], ...]
STACKED: Arrangement = (("dice",), ("big", "side"), ("lines",))
BESIDE: Arrangement = (("dice", "big"), ("side_line",), ("lines",))
ONE_ROW: Arrangement = (("dice", "big", "side"), ("lines",))
FIGURES: Arrangement = (("dice", "figures"), ("lines",))
ALL_IN_ROW: Arrangement = (("dice", "big", "side", "lines"),)


@dataclass(frozen=True, slots=True)
class Plan:
    """How one size of display is used; fonts and dice from the best to the smallest that will do."""

    head_fonts: tuple[str, ...]
    label_fonts: tuple[str, ...]
    label_pad_px: int
    big_fonts: tuple[str, ...]
    text_fonts: tuple[str, ...]
    row_head_font: str
    row_fonts: tuple[str, ...]
    dice_px: tuple[int, ...]
    group_gap_px: int
    columns: int
    arrangements: tuple[Arrangement, ...]


PLANS = {
    (128, 64): Plan(
        head_fonts=("ter-u12b", "fixed-5x8"), label_fonts=("ter-u12n", "fixed-5x8"), label_pad_px=1,
        big_fonts=("ter-u32b", "ter-u24b", "ter-u20b", "ter-u16b", "ter-u12b"),
        text_fonts=("ter-u12n", "fixed-5x8"), row_head_font="ter-u12b", row_fonts=("ter-u12n", "fixed-5x8"),
        dice_px=(15,), group_gap_px=5, columns=2, arrangements=(STACKED,),
    ),
    (128, 32): Plan(
        head_fonts=("fixed-5x8",), label_fonts=("fixed-5x8",), label_pad_px=2,
        big_fonts=("ter-u24b", "ter-u16b", "ter-u12b", "fixed-5x8"),
        text_fonts=("ter-u12n", "fixed-5x8"), row_head_font="fixed-5x8", row_fonts=("fixed-5x8",),
        dice_px=(14, 12), group_gap_px=3, columns=2, arrangements=(ONE_ROW, FIGURES, STACKED),
    ),
    (256, 64): Plan(
        head_fonts=("ter-u16b", "ter-u12b"), label_fonts=("ter-u12b",), label_pad_px=3,
        big_fonts=("ter-u32b", "ter-u24b", "ter-u20b", "ter-u16b", "ter-u12b"),
        text_fonts=("ter-u16b", "ter-u12n"), row_head_font="ter-u12b", row_fonts=("ter-u12n",),
        dice_px=(20, 15), group_gap_px=7, columns=3, arrangements=(ALL_IN_ROW, ONE_ROW, BESIDE, STACKED),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the display in pixels."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Fonts:
    """One choice of sizes for a body, and how long names may be."""

    big: str
    side: str
    lines: str
    die_px: int
    longest_name: int


@lru_cache(maxsize=8)
def drawn(screen: Screen, size_px: tuple[int, int], page: int = 0) -> tuple[Image.Image, tuple[str, ...]]:
    """The 1-bit picture of a screen, and the texts that did not fit on it; KeyError for a size without a plan.

    `page` counts on without end; a list that is longer than a page shows them in turn. Kept, so copy before drawing.
    """
    plan = PLANS[size_px]
    canvas = Canvas(size_px)
    label_height = _labels(canvas, plan, screen)
    below = size_px[1] - label_height
    if screen.notice:
        screen = Screen(head=screen.head, head_right=screen.head_right, alert=screen.alert, lines=(screen.notice,))
    head_fonts = (plan.row_head_font, "fixed-5x8") if screen.rows else plan.head_fonts
    head_height = line_px(head_fonts[0]) if screen.head or screen.alert or screen.head_right else 0
    body = Box(0, head_height, size_px[0], below - head_height)
    if screen.rows:
        _rows(canvas, plan, screen, body, page)
    elif not _body(canvas, plan, screen, body):
        head_height = 0
        if screen.alert or not _body(canvas, plan, screen, Box(0, 0, size_px[0], below)):
            canvas.misfits += [screen.big, *screen.side, *screen.lines]
    if head_height:
        _head(canvas, head_fonts, screen)
    return canvas.image, tuple(canvas.misfits)


def _labels(canvas: Canvas, plan: Plan, screen: Screen) -> int:
    """Draws the buttons' labels into the lower corners, inverse, or the hint between; returns their height."""
    width, height = canvas.image.size
    left, right = screen.left, screen.right
    if not left and not right:
        if not screen.hint:
            return 0
        font_name = _first_fitting(plan.label_fonts, screen.hint, width)
        tall = line_px(font_name)
        canvas.text(((width - text_px(screen.hint, font_name)) // 2, height - tall), screen.hint, font_name)
        return tall
    pad = plan.label_pad_px
    font_name = _first_fitting(plan.label_fonts, left + right, width - 4 * pad - 3)
    tall = line_px(font_name)
    for text, at_right in ((left, False), (right, True)):
        if text:
            wide = text_px(text, font_name) + 2 * pad
            x = width - wide if at_right else 0
            canvas.box(x, height - tall, wide, tall)
            canvas.text((x + pad, height - tall), text, font_name, ink=0)
    if text_px(left + right, font_name) + 4 * pad > width:
        canvas.misfits.append(f"{left} {right}")
    return tall + 1 if tall > line_px("fixed-5x8") else tall


def _head(canvas: Canvas, fonts: tuple[str, ...], screen: Screen) -> None:
    width = canvas.image.width
    if screen.alert:
        font_name = _first_fitting(fonts, screen.alert, width - 2)
        canvas.box(0, 0, width, line_px(fonts[0]))
        canvas.text(((width - text_px(screen.alert, font_name)) // 2, 0), screen.alert, font_name, ink=0)
        return
    for longest, font_name in product(range(LONGEST_NAME, 0, -1), fonts):
        left, right = cut(screen.head, longest), cut(screen.head_right, longest)
        if text_px(left + right, font_name) <= width - 3:
            break
    else:
        canvas.misfits.append(f"{left} {right}")
    canvas.text((0, 0), left, font_name)
    canvas.text((width - text_px(right, font_name), 0), right, font_name)


def _body(canvas: Canvas, plan: Plan, screen: Screen, box: Box) -> bool:
    """Draws dice, figure and texts in the first way that fits; False when none does, and then nothing is drawn."""
    for fonts, arrangement in _ways(plan, screen):
        rows = [[b for b in (_block(name, plan, screen, fonts, box.width) for name in row) if b] for row in arrangement]
        rows = [row for row in rows if row]
        heights = [max(block.height for block in row) for row in rows]
        widths = [sum(block.width for block in row) + 4 * (len(row) - 1) for row in rows]
        if sum(heights) <= box.height and max(widths, default=0) <= box.width:
            _place(canvas, plan, box, rows, heights)
            return True
    return False


def _ways(plan: Plan, screen: Screen) -> Iterator[tuple[Fonts, Arrangement]]:
    named = any(NAME_BEGINS in text for text in (*screen.side, *screen.lines))
    names = range(LONGEST_NAME, SHORTEST_NAME - 1, -1) if named else (LONGEST_NAME,)
    big_fonts = plan.big_fonts if screen.big else plan.big_fonts[:1]
    dice = plan.dice_px if screen.dice else plan.dice_px[:1]
    for longest, big, die, arrangement in product(names, big_fonts, dice, plan.arrangements):
        for text_font in plan.text_fonts:
            yield Fonts(big, text_font, text_font, die, longest), arrangement
        yield Fonts(big, plan.text_fonts[-1], plan.text_fonts[0], die, longest), arrangement


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a body: dice, or lines of text in one font."""

    width: int
    height: int
    lines: tuple[str, ...] = ()
    font_name: str = ""
    screen: Screen | None = None
    die_px: int = 0


def _block(kind: str, plan: Plan, screen: Screen, fonts: Fonts, width: int) -> Block | None:
    match kind:
        case "dice" if screen.dice:
            row_px = dice_px(screen.dice, fonts.die_px, plan.group_gap_px)[-1]
            below = CURSOR_PX if any(die.cursor for die in screen.dice) else BRACKET_PX
            return Block(row_px, fonts.die_px + below, screen=screen, die_px=fonts.die_px)
        case "big" if screen.big:
            return _text_block((screen.big,), fonts.big)
        case "side" if screen.side:
            return _text_block(tuple(cut(text, fonts.longest_name) for text in screen.side), fonts.side)
        case "figures" if screen.big or screen.side:
            figures = (screen.big, *(cut(text, fonts.longest_name) for text in screen.side))
            return _text_block(tuple(filter(None, figures)), fonts.big)
        case "side_line" if screen.side:
            return _text_block(("  ".join(cut(text, fonts.longest_name) for text in screen.side),), fonts.side)
        case "lines" if screen.lines:
            texts = [cut(text, fonts.longest_name) for text in screen.lines]
            lines = [line for text in texts for line in wrapped(text, width, fonts.lines)]
            return _text_block(tuple(lines), fonts.lines)
        case _:
            return None


def _text_block(lines: tuple[str, ...], font_name: str) -> Block:
    width = max(text_px(line, font_name) for line in lines)
    return Block(width, len(lines) * line_px(font_name), lines, font_name)


def _place(canvas: Canvas, plan: Plan, box: Box, rows: list[list[Block]], heights: list[int]) -> None:
    """Rows spread over the height of the box; blocks over its width, a single one in the middle."""
    spare = box.height - sum(heights)
    y = box.y
    for i, (row, height) in enumerate(zip(rows, heights, strict=True)):
        gap = -(-spare // (len(rows) - i + 1))
        spare -= gap
        y += gap
        free = box.width - sum(block.width for block in row)
        x = box.x + (free // 2 if len(row) == 1 else 0)
        for block in row:
            _draw_block(canvas, plan, block, x, y + (height - block.height) // 2, to_right=block is row[-1] != row[0])
            x += block.width + (free // (len(row) - 1) if len(row) > 1 else 0)
        y += height


def _draw_block(canvas: Canvas, plan: Plan, block: Block, x: int, y: int, to_right: bool) -> None:
    if block.screen:
        dice = block.screen.dice
        places = dice_px(dice, block.die_px, plan.group_gap_px)
        for i, (die, at) in enumerate(zip(dice, places, strict=False)):
            canvas.die(x + at, y, block.die_px, die)
            if die.grouped:
                joined = i + 1 < len(dice) and dice[i + 1].grouped and not dice[i + 1].begins
                canvas.box(x + at, y + block.die_px + 1, block.die_px + joined, 1)
        return
    for line in block.lines:
        spare = block.width - text_px(line, block.font_name)
        canvas.text((x + (spare if to_right else spare // 2), y), line, block.font_name)
        y += line_px(block.font_name)


def _rows(canvas: Canvas, plan: Plan, screen: Screen, box: Box, page: int) -> None:
    """A list around its marked row, or in columns all of it, a page of it where it is long."""
    rows, columns = screen.rows, plan.columns if screen.in_columns else 1
    font_name = plan.row_fonts[0]
    if len(rows) <= box.height // line_px(font_name):
        columns = 1
    elif screen.in_columns:
        roomy = (f for f in plan.row_fonts if columns * (box.height // line_px(f)) >= len(rows))
        font_name = next(roomy, plan.row_fonts[-1])
    tall = line_px(font_name)
    room = columns * (box.height // tall)
    if screen.in_columns:
        first = page % -(-len(rows) // room) * room
    else:
        at = next((i for i, row in enumerate(rows) if row.marked), 0)
        first = max(0, min(at - room // 2, len(rows) - room))
    per_column = room // columns
    width = (box.width - 4 * (columns - 1)) // columns
    for i, row in enumerate(rows[first : first + room]):
        x, y = box.x + i // per_column * (width + 4), box.y + i % per_column * tall
        _row(canvas, row, Box(x, y, width, tall), font_name)


def _row(canvas: Canvas, row: Row, box: Box, font_name: str) -> None:
    value_px = text_px(row.value, font_name)
    room = box.width - 2 - (value_px + text_px(" ", font_name) if row.value else 0)
    fitting = (cut(row.text, longest) for longest in range(LONGEST_NAME, 0, -1))
    text = next((t for t in fitting if text_px(t, font_name) <= room), None)
    if text is None:
        text = cut(row.text, 1)
        canvas.misfits.append(f"{text} {row.value}")
    if row.marked:
        canvas.box(box.x, box.y, box.width, box.height)
    canvas.text((box.x + 1, box.y), text, font_name, ink=not row.marked)
    canvas.text((box.x + box.width - 1 - value_px, box.y), row.value, font_name, ink=not row.marked)


def _first_fitting(font_names: tuple[str, ...], text: str, room_px: int) -> str:
    return next((f for f in font_names if text_px(text, f) <= room_px), font_names[-1])
