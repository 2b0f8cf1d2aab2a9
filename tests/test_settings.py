"""Who plays for how much: options before the config, the config before the menu, the menu before what was played."""

from pathlib import Path

import pytest

from companion import table
from companion.app import take_step
from companion.config import Config, GameConfig
from companion.contact_sheet import BANK, MENU, ROLL, after
from companion.game import new_game
from companion.log import Log
from companion.menu import items
from companion.settings import settings_of
from companion.table import Settings
from companion.table_state import Menu

CHOSEN = {"players": '["Ana", "Player 2", "Żółć, Jan"]', "target": "400", "language": "pl", "brightness": "80"}
OPTIONS = Config(GameConfig(("Cyd",), 50, "fr"))


@pytest.mark.parametrize(
    ("config", "asked", "players", "target_halves", "language"),
    [
        (Config(), set(), ("Ana", "Player 2", "Żółć, Jan"), 400, "pl"),
        (OPTIONS, {"players", "target", "language"}, ("Cyd",), 100, "fr"),
        (Config(GameConfig(language="fr")), set(), ("Ana", "Player 2", "Żółć, Jan"), 400, "pl"),
        (Config(GameConfig(("Cyd",))), set(), ("Cyd",), 400, "pl"),
        (Config(GameConfig(target=50)), set(), ("Ana", "Player 2", "Żółć, Jan"), 100, "pl"),
        (Config(), {"target"}, ("Ana", "Player 2", "Żółć, Jan"), 2000, "pl"),
    ],
)
def test_what_was_chosen_holds_unless_a_person_says_otherwise(config, asked, players, target_halves, language):
    for game in (None, new_game(("Dan",), 60)):
        settings = settings_of(config, frozenset(asked), CHOSEN, game)
        assert (settings.players, settings.target_halves, settings.language) == (players, target_halves, language)
        assert settings.brightness == 80


def test_the_next_game_is_played_as_the_last_where_nobody_chose():
    last = new_game(("Dan", "Eve"), 60)
    settings = settings_of(Config(), frozenset(), {}, last)
    assert (settings.players, settings.target_halves) == (("Dan", "Eve"), 60)
    assert settings_of(Config(), frozenset({"players"}), {}, last).players == ("Player 1", "Player 2")


def test_the_log_keeps_what_the_menu_chooses_also_while_a_game_goes_on(tmp_path: Path):
    def choose(at: table.Table, page: str, value: str | int) -> table.Table:
        at = after(at, MENU)
        for line in (page, value):
            assert isinstance(at.scene, Menu)
            lines = [line in (item.key, item.value) for item in items(at, at.scene)]
            at = after(at, *(ROLL,) * ((lines.index(True) - at.scene.cursor) % len(lines)))
            at = take_step(at, BANK, book, lambda row: None)
        return after(at, MENU)

    begun = Settings(("Ana", "Bo"))
    with Log.open(tmp_path) as book:
        book.append(table.started(begun))
        at = choose(table.new_table(begun), "target", 500)
        at = take_step(at, table.DiceRest((1, 2, 2, 3, 4, 6)), book, lambda row: None)
        at = choose(choose(choose(at, "players", 3), "target", 4000), "language", "de")
        assert at.game.target_halves == 500
    with Log.open(tmp_path) as book:
        moment = book.moment()
        assert moment is not None
        assert settings_of(Config(), frozenset(), book.choices(), moment.game) == Settings(
            ("Ana", "Bo", "Player 3"), 4000, "de", seats=("Player 1", "Player 2")
        )
