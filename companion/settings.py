"""What the players wish, from the options, the config and the menu, and how what was chosen there is written down."""

import json
from collections.abc import Mapping

from companion.config import Config, GameConfig
from companion.game import Game
from companion.notation import halves_of
from companion.table import Settings


def written(settings: Settings) -> dict[str, str]:
    """What can be chosen in the menu, as the log keeps it."""
    return {
        "players": json.dumps(settings.players, ensure_ascii=False),
        "target": str(settings.target_halves),
        "language": settings.language,
        "brightness": str(settings.brightness),
    }


def settings_of(
    config: Config, asked: frozenset[str], choices: Mapping[str, str], game: Game | None = None
) -> Settings:
    """What the next game is played with, at a table where `game` goes on, None where none does.

    What an option `asked` for counts most, then players and target of the config where a person set them, then the
    `choices` of the menu, then the game that goes on.
    """
    usual = GameConfig()
    given = asked | {name for name in ("players", "target") if getattr(config.game, name) != getattr(usual, name)}
    of_game = {"players": json.dumps(game.players), "target": str(game.target_halves)} if game else {}
    texts = {name: text for name, text in {**of_game, **choices}.items() if name not in given}
    return Settings(
        players=tuple(json.loads(texts["players"])) if "players" in texts else config.game.players,
        target_halves=int(texts["target"]) if "target" in texts else halves_of(config.game.target),
        language=texts.get("language", config.game.language),
        brightness=int(texts.get("brightness", config.display.brightness)),
        seats=config.game.players,
    )
