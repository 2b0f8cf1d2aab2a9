"""The menu that two buttons can operate: its pages, the items of each, and what choosing one does.

BANK chooses, ROLL goes to the next item, holding either goes back, holding both leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.game import MOST_PLAYERS, Ended, Joined, Left
from companion.rules import RuleError
from companion.table_inputs import Pressed
from companion.table_play import correcting, onward, set_by_hand
from companion.table_state import WAITING, Correct, Menu, Off, Over, PlayScene, Start, Step, Table
from companion.timeline import Started
from companion.words import LANGUAGES

TARGETS_HALVES = (100, 200, 500, 1000, 2000, 4000, 10000)
BRIGHTNESS = (20, 80, 140, 200, 255)
CHOICES = ("players", "target", "language", "brightness")
QUESTIONS = ("new_game", "leave", "join", "end_game", "power_off")


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the menu: the key of its words, and the value shown with it."""

    key: str
    value: str | int | None = None


BACK = Item("back")


def items(table: Table, menu: Menu) -> tuple[Item, ...]:
    """The lines of a page, none for a page of text."""
    match menu.page:
        case "main":
            return (*_main(table, menu.under), BACK)
        case "players":
            return (*(Item("count", count) for count in range(1, MOST_PLAYERS + 1)), BACK)
        case "target":
            choices = sorted({*TARGETS_HALVES, table.settings.target_halves})
            return (*(Item("points", halves) for halves in choices), BACK)
        case "language":
            return (*(Item("language_name", language) for language in LANGUAGES), BACK)
        case "brightness":
            return (*(Item("level", level) for level in range(1, len(BRIGHTNESS) + 1)), BACK)
        case page if page in QUESTIONS:
            return (Item("no"), Item("yes"))
        case _:
            return ()


def opened(table: Table, under: PlayScene) -> Table:
    """The table with the menu open."""
    return replace(table.with_scene(Menu("main", 0, under)), note=None)


def menu_pressed(table: Table, menu: Menu, press: Pressed) -> Step:
    """A press while the menu is open."""
    if press.button == "both":
        return (table.with_scene(menu.under) if press.held else table), ()
    lines = items(table, menu)
    if not lines:
        return table.with_scene(menu.under), ()
    if press.held:
        return _back(table, menu), ()
    if press.button == "roll":
        return table.with_scene(replace(menu, cursor=(menu.cursor + 1) % len(lines))), ()
    return _chosen(table, menu, lines[menu.cursor])


def correct_pressed(table: Table, page: Correct, press: Pressed) -> Step:
    """BANK changes the die at the cursor or says that all are right, ROLL goes to the next; holding leaves it be."""
    if press.button == "both" or press.held:
        return (table.with_scene(page.under) if press.held else table), ()
    at, dice = page.cursor, len(page.faces)
    if press.button == "roll":
        return table.with_scene(replace(page, cursor=(at + 1) % (dice + 1))), ()
    if at < dice:
        faces = (*page.faces[:at], page.faces[at] % 6 + 1, *page.faces[at + 1 :])
        return table.with_scene(replace(page, faces=faces)), ()
    if 0 in page.faces:
        return table.with_scene(replace(page, cursor=page.faces.index(0))).with_note("set_every_die"), ()
    return set_by_hand(table, page.faces, page.under)


def _main(table: Table, under: PlayScene) -> tuple[Item, ...]:
    game, settings = table.game, table.settings
    lines = []
    if correcting(table, under):
        lines.append(Item("enter" if isinstance(under, WAITING) else "correct"))
    lines.append(Item("scores"))
    if game.to_play is not None:
        if len(game.gone) < len(game.players) - 1:
            lines.append(Item("leave", game.players[game.to_play]))
        if _may_join(table):
            lines.append(Item("join", _newcomer(table)))
        if table.moment.event is not None:
            lines.append(Item("end_game"))
    lines += [
        Item("new_game"),
        Item("players", len(settings.players)),
        Item("target", settings.target_halves),
        Item("language", settings.language),
        Item("brightness", _level(settings.brightness)),
        Item("recalibrate"),
        Item("about"),
        Item("power_off"),
    ]
    return tuple(lines)


def _chosen(table: Table, menu: Menu, item: Item) -> Step:
    if menu.page in QUESTIONS:
        return ANSWERS[menu.page](table, menu) if item.key == "yes" else (table.with_scene(menu.under), ())
    if menu.page in CHOICES and item != BACK:
        return _set(table, menu, item)
    match item.key:
        case "back":
            return _back(table, menu), ()
        case "correct" | "enter":
            page = correcting(table, menu.under)
            assert page is not None
            return table.with_scene(page), ()
        case "players":
            return table.with_scene(replace(menu, page="players", cursor=len(table.settings.players) - 1)), ()
        case page_key:
            subject = item.value if page_key in QUESTIONS and isinstance(item.value, str) else ""
            page_of = replace(menu, page=page_key, cursor=0, subject=subject)
            current = [line.value for line in items(table, page_of)]
            cursor = current.index(item.value) if page_key in CHOICES else 0
            return table.with_scene(replace(page_of, cursor=cursor)), ()


def _set(table: Table, menu: Menu, item: Item) -> Step:
    """Changes a setting; players and target begin a new game, at once when this one has not begun."""
    settings = table.settings
    value = item.value
    if menu.page == "language":
        return _back(replace(table, settings=replace(settings, language=str(value))), menu), ()
    assert isinstance(value, int)
    if menu.page == "brightness":
        return _back(replace(table, settings=replace(settings, brightness=BRIGHTNESS[value - 1])), menu), ()
    if menu.page == "players":
        seats = tuple(map(settings.seat, range(MOST_PLAYERS)))
        settings = replace(settings, players=seats[:value], seats=seats)
    else:
        settings = replace(settings, target_halves=value)
    changed = replace(table, settings=settings)
    if table.moment.event is None and isinstance(menu.under, Start):
        begun, records = _new_game(changed, menu)
        return _back(begun, menu), records
    return _back(changed, menu).with_note("next_game"), ()


def _new_game(table: Table, menu: Menu) -> Step:
    started = Started(table.settings.players, table.settings.target_halves)
    return table.following(started).with_scene(Start()), (started,)


def _leave(table: Table, menu: Menu) -> Step:
    return onward(table.following(Left())).with_note("left", menu.subject), (Left(),)


def _join(table: Table, menu: Menu) -> Step:
    joined = Joined(menu.subject)
    table = table.following(joined)
    players = table.game.players
    table = replace(table, settings=replace(table.settings, players=players))
    return table.with_scene(menu.under).with_note("joined", menu.subject), (joined,)


def _end_game(table: Table, menu: Menu) -> Step:
    return table.following(Ended()).with_scene(Over()), (Ended(),)


def _power_off(table: Table, menu: Menu) -> Step:
    return replace(table.with_scene(Off()), wish="power_off"), ()


ANSWERS: dict[str, Callable[[Table, Menu], Step]] = {
    "new_game": _new_game,
    "leave": _leave,
    "join": _join,
    "end_game": _end_game,
    "power_off": _power_off,
}


def _back(table: Table, menu: Menu) -> Table:
    """From a page to its line in the main page, from the main page to the game."""
    if menu.page == "main":
        return table.with_scene(menu.under)
    lines = [item.key for item in _main(table, menu.under)]
    return table.with_scene(Menu("main", lines.index(menu.page), menu.under))


def _may_join(table: Table) -> bool:
    try:
        table.following(Joined(_newcomer(table)))
    except RuleError:
        return False
    return True


def _newcomer(table: Table) -> str:
    """The first seat name that nobody of this game has."""
    taken = table.game.players
    free = (table.settings.seat(index) for index in range(MOST_PLAYERS + 1))
    return next(name for name in free if name not in taken)


def _level(brightness: int) -> int:
    """The step of the menu nearest to a brightness of 1 to 255, counted from 1."""
    return 1 + min(range(len(BRIGHTNESS)), key=lambda i: abs(BRIGHTNESS[i] - brightness))
