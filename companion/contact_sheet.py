"""Every screen of the table on one sheet a language and size: `python -m companion.contact_sheet [FOLDER]`."""

import sys
from collections.abc import Iterator
from itertools import count, product
from pathlib import Path

from PIL import Image, ImageDraw

from companion.fonts import font
from companion.menu import items
from companion.screens import picture
from companion.screens_layout import PLANS
from companion.table import (
    CameraLost,
    DiceRest,
    DiceUnsure,
    DisplayBack,
    Input,
    LogAnew,
    Nudged,
    Pressed,
    SetAside,
    Settings,
    StorageTrouble,
    Stuck,
    Table,
    Tick,
    Tumbling,
    new_table,
    step,
)
from companion.table_state import SAVER_S, Menu
from companion.words import LANGUAGES

ENLARGED = 3
COLUMNS = {128: 4, 256: 2}
GAP_PX, CAPTION_PX = 4, 16
SHADE, CAPTION_SHADE = 60, 220

BANK, ROLL = Pressed("bank"), Pressed("roll")
UNDO, NEXT_SELECTION, MENU = Pressed("bank", held=True), Pressed("roll", held=True), Pressed("both", held=True)
PLAYERS = ("Ana", "Bo", "Maksymilian", "Cyd")
RICH, PAIRS = DiceRest((1, 1, 5, 2, 3, 4)), DiceRest((1, 1, 3, 3, 4, 4))
BUSTED = DiceRest((2, 2, 3, 4, 6, 6))


def after(table: Table, *inputs: Input) -> Table:
    """The table after all inputs."""
    for one in inputs:
        table, _ = step(table, one)
    return table


def tables(language: str, players: tuple[str, ...] = PLAYERS) -> dict[str, Table]:
    """A table for every screen there is, by the name of the screen."""
    begun = new_table(Settings(players, language=language))
    short = new_table(Settings(players[:2], 40, language))
    rolled = after(begun, RICH)
    again = after(rolled, ROLL)
    final = after(short, PAIRS, BANK)
    tied = after(final, ROLL, PAIRS, BANK)
    menu = after(rolled, MENU)
    shown = {
        "start": begun,
        "roll prompt": after(begun, PAIRS, BANK, ROLL),
        "tumbling": after(begun, Tumbling()),
        "reading": rolled,
        "reading, selected": after(rolled, NEXT_SELECTION),
        "reading, lifted": after(rolled, SetAside((1, 2, 3, 4), (1, 5))),
        "split group": after(begun, DiceRest((2, 2, 2, 5, 3, 4)), SetAside((2, 5, 3, 4), (2, 2))),
        "lifted in vain": after(rolled, SetAside((1, 1, 5, 2, 4), (3,))),
        "straight": after(begun, DiceRest((1, 2, 3, 4, 5, 6))),
        "three pairs": after(begun, PAIRS),
        "roll again": again,
        "bust": after(again, DiceRest((2, 3, 6))),
        "MISHIMASH": after(begun, PAIRS, ROLL),
        "banked": after(rolled, BANK),
        "undone": after(rolled, BANK, UNDO),
        "final round, banked": final,
        "final round": after(final, ROLL),
        "final round, held": after(final, ROLL, RICH, ROLL),
        "sudden death": after(tied, ROLL),
        "game over": after(final, ROLL, BUSTED, ROLL),
        "shared win": _chosen(after(tied, ROLL), "end_game"),
        "unsure": after(begun, DiceUnsure((1, 2, 2, 4, 5, 6), ("a cocked die (4)",))),
        "too few dice": after(again, DiceRest((2, 3))),
        "too many dice": after(again, DiceRest((2, 3, 5, 6))),
        "die turned": after(rolled, Nudged((1, 1, 5, 2, 3, 4), (1, 1, 5, 6, 3, 4))),
        "no camera": after(begun, CameraLost("no cable")),
        "other camera": after(begun, CameraLost("run `mishimash calibrate`")),
        "display back": after(rolled, DisplayBack()),
        "new log": after(begun, LogAnew()),
        "not saved": after(rolled, StorageTrouble("full")),
        "button stuck": after(rolled, Stuck("roll")),
        "correct a die": _opened(menu, "correct"),
        "correct, done": after(_opened(menu, "correct"), *(ROLL,) * 6),
        "menu": menu,
        "saver": after(begun, Tick(1), Tick(2 + SAVER_S)),
    }
    shown["menu: join"] = _opened(after(new_table(Settings(players[:3], language=language)), MENU), "join")
    pages = ("scores", "leave", "end_game", "new_game", "players", "target", "language", "brightness")
    for page in (*pages, "recalibrate", "about", "power_off"):
        shown[f"menu: {page}"] = _opened(menu, page)
    shown["switched off"] = _chosen(rolled, "power_off")
    return shown


def sheet(language: str, size_px: tuple[int, int] = (128, 64)) -> Image.Image:
    """All screens of one language and display size, enlarged three times, a caption below each."""
    shown = tables(language)
    large_px = (size_px[0] * ENLARGED, size_px[1] * ENLARGED)
    columns = COLUMNS[size_px[0]]
    cell_width, cell_height = _cell_px(size_px)
    whole = Image.new("L", (columns * cell_width, -(-len(shown) // columns) * cell_height), SHADE)
    pen = ImageDraw.Draw(whole)
    for (caption, table), (x, y) in zip(shown.items(), places_px(size_px), strict=False):
        whole.paste(picture(table, size_px).convert("L").resize(large_px, Image.Resampling.NEAREST), (x, y))
        pen.text((x, y + large_px[1] + 1), caption, fill=CAPTION_SHADE, font=font("ter-u12n"))
    return whole.quantize(4)


def places_px(size_px: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The upper left corners (x, y) of the screens on a sheet, in the order of `tables`, without end."""
    width, height = _cell_px(size_px)
    for i in count():
        row, column = divmod(i, COLUMNS[size_px[0]])
        yield column * width + GAP_PX, row * height + GAP_PX


def _cell_px(size_px: tuple[int, int]) -> tuple[int, int]:
    return size_px[0] * ENLARGED + 2 * GAP_PX, size_px[1] * ENLARGED + 2 * GAP_PX + CAPTION_PX


def file_name(language: str, size_px: tuple[int, int]) -> str:
    """The name of a sheet's file: `de.png` for the usual display, `de-256x64.png` for another."""
    other = "" if size_px == (128, 64) else f"-{size_px[0]}x{size_px[1]}"
    return f"{language}{other}.png"


def main() -> None:
    """Writes a sheet for each language and size of display into docs/screens or the folder named."""
    folder = Path(*sys.argv[1:2] or ["docs/screens"])
    folder.mkdir(parents=True, exist_ok=True)
    for language, size_px in product(LANGUAGES, PLANS):
        sheet(language, size_px).save(folder / file_name(language, size_px), optimize=True)


def _opened(menu: Table, page: str) -> Table:
    """The table after walking down the open menu to a page and choosing it."""
    assert isinstance(menu.scene, Menu)
    keys = [item.key for item in items(menu, menu.scene)]
    return after(menu, *(ROLL,) * keys.index(page), BANK)


def _chosen(table: Table, question: str) -> Table:
    """The table after a question of the menu is answered with yes."""
    return after(_opened(after(table, MENU), question), ROLL, BANK)


if __name__ == "__main__":
    main()
