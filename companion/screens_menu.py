"""The pages over a game as screens: the menu, the scores, the roll being set by hand."""

from dataclasses import replace

from companion.menu import QUESTIONS, items
from companion.screens_view import DieView, Row, Screen, name
from companion.table_state import Correct, Menu, Table
from companion.words import Words, words


def scores_screen(table: Table, said: Words) -> Screen:
    game = table.game
    rows = tuple(
        Row(name(player, said), said.points(total), marked=i in game.winners or i == game.to_play)
        for i, (player, total) in enumerate(zip(game.players, game.totals, strict=True))
    )
    if game.to_play is not None:
        target = said.say("target", points=said.points(game.target_halves))
        return Screen(said.say("scores"), target, rows=rows, in_columns=True)
    if len(game.winners) == 1:
        return Screen(said.say("wins", name=name(game.players[game.winners[0]], said)), rows=rows, in_columns=True)
    return Screen(said.say("shared_win" if game.winners else "game_over"), rows=rows, in_columns=True)


def menu_screen(table: Table, menu: Menu, said: Words) -> Screen:
    match menu.page:
        case "scores":
            return left_by_either(scores_screen(table, said), said)
        case "recalibrate":
            return left_by_either(Screen(said.say("menu_recalibrate"), lines=(said.say("recalibrate_text"),)), said)
        case "about":
            return left_by_either(Screen("CUBIRI ORIGINAL #2", lines=(said.say("dedication"),)), said)
    if menu.page in QUESTIONS:
        head = said.say(f"ask_{menu.page}", name=name(menu.subject, said))
    else:
        head = said.say("menu") if menu.page == "main" else said.say(f"menu_{menu.page}")
    rows = tuple(
        Row(*_item(item.key, item.value, said), marked=i == menu.cursor)
        for i, item in enumerate(items(table, menu))
    )  # fmt: skip
    return Screen(head, rows=rows, left=said.say("choose"), right=said.say("next"))


def _item(key: str, value: str | int | None, said: Words) -> tuple[str, str]:
    """The text and the value of a line of the menu."""
    match key, value:
        case "language_name", str():
            return words(value).say("language_name"), ""
        case "language", _:
            return said.say("menu_language"), said.say("language_name")
        case "count", int():
            return f"{value} {said.say('menu_count', n=value)}", ""
        case "points", int():
            return said.points(value), ""
        case "level", int():
            return str(value), ""
        case "target", int():
            return said.say("menu_target"), said.points(value)
        case "leave" | "join", str():
            return f"{said.say(f'menu_{key}')} {name(value, said)}", ""
        case _:
            return said.say(f"menu_{key}"), "" if value is None else str(value)


def correct_screen(page: Correct, said: Words) -> Screen:
    dice = tuple(DieView(face, cursor=i == page.cursor) for i, face in enumerate(page.faces))
    if page.cursor < len(page.faces):
        face = page.faces[page.cursor]
        big = str(face) if face else "?"
        return Screen(said.say("set_dice"), dice=dice, big=big, left=said.say("change"), right=said.say("next_die"))
    lines = (said.say("all_right"),)
    return Screen(said.say("set_dice"), dice=dice, lines=lines, left=said.say("done"), right=said.say("next_die"))


def left_by_either(screen: Screen, said: Words) -> Screen:
    """The screen that either button leaves."""
    return replace(screen, left=said.say("ok"), right=said.say("ok"))
