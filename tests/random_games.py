"""Random but repeatable games for tests and benchmarks: a seed gives the same records on every machine."""

import random
from collections.abc import Iterator

from companion.game import Game, Joined, Kept, Left, Rolled
from companion.rules import selections
from companion.timeline import Moment, Record, Started, Undone, follow


def random_records(seed: int, players: int = 3, target_halves: int = 200, quirks: float = 0.0) -> Iterator[Record]:
    """The records of one game played to its end; `quirks` is the share of undos, corrections, comers and leavers."""
    chance = random.Random(seed)
    started = Started(tuple(f"Player {i + 1}" for i in range(players)), target_halves)
    moment = follow(None, started)
    yield started
    while moment.game.to_play is not None:
        record = _quirk(chance, moment) if chance.random() < quirks else _play(chance, moment.game)
        if record is not None:
            moment = follow(moment, record)
            yield record


def endless_records(seed: int) -> Iterator[Record]:
    """One game that never comes to its end."""
    return random_records(seed, players=4, target_halves=10**12, quirks=0.02)


def _play(chance: random.Random, game: Game) -> Record:
    if not game.turn.roll:
        return Rolled(tuple(chance.randint(1, 6) for _ in range(game.turn.dice)), round(chance.uniform(0.9, 1), 3))
    selection = chance.choice(selections(game.turn.roll))
    return Kept(selection.dice, chance.choice(("roll", "bank")))


def _quirk(chance: random.Random, moment: Moment) -> Record | None:
    game = moment.game
    quirk = chance.choice(("undo", "undo", "correct", "join", "leave"))
    if quirk == "undo" and moment.before is not None:
        return Undone()
    if quirk == "correct" and not game.turn.roll:
        return Rolled(tuple(chance.randint(1, 6) for _ in range(game.turn.dice)), corrected=True)
    if quirk == "join" and game.phase == "main" and game.turns_ended < len(game.players) < 8:
        return Joined(f"Late {len(game.players) + 1}")
    if quirk == "leave" and len(game.players) - len(game.gone) > 1:
        return Left()
    return None
