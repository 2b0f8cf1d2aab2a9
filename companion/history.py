"""What was played before: games and players' records, worked out from the entries of the log alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion.game import Game, Rolled
from companion.happenings import Row, happenings
from companion.log_file import Entry
from companion.timeline import Moment, Started, Undone, follow


@dataclass(frozen=True, slots=True)
class Told:
    """An entry of the log, the rows of what it did, and whether it still stands or was undone later."""

    entry: Entry
    rows: tuple[Row, ...]
    stands: bool


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game from its start to where it stands; `number` counts the games of the log from 1."""

    number: int
    told: tuple[Told, ...]
    game: Game

    @property
    def began_at(self) -> str:
        """The wall time of its start, in the ISO form of the log."""
        return self.told[0].entry.at

    def standing_rows(self) -> Iterator[Row]:
        """What happened and was not undone, in its order."""
        return (row for told in self.told if told.stands for row in told.rows)


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """What a player did in all games; `points` and `best_turn` are whole or half points, `longest_turn` is in rolls."""

    name: str
    games: int = 0
    won: int = 0
    turns: int = 0
    points: float = 0
    busts: int = 0
    mishimashes: int = 0
    best_turn: float = 0
    longest_turn: int = 0

    @property
    def points_a_turn(self) -> float:
        """Banked points divided by finished turns, busts among them."""
        return self.points / self.turns if self.turns else 0.0


def played_games(entries: Iterable[Entry]) -> list[PlayedGame]:
    """All games of a log, oldest first; RuleError when its records are no games."""
    games: list[list[Entry]] = []
    for entry in entries:
        if isinstance(entry.record, Started) or not games:
            games.append([])
        games[-1].append(entry)
    return [_played(number, of_game) for number, of_game in enumerate(games, 1)]


def player_records(games: Iterable[PlayedGame]) -> list[PlayerRecord]:
    """A record for every player's name, most games first, then most points a turn."""
    records: dict[str, PlayerRecord] = {}
    for game in games:
        for i, name in enumerate(game.game.players):
            known = records.get(name, PlayerRecord(name))
            records[name] = replace(known, games=known.games + 1, won=known.won + (i in game.game.winners))
        for row in game.standing_rows():
            if "player" in row:
                records[row["player"]] = _with(records[row["player"]], row)
    return sorted(records.values(), key=lambda record: (-record.games, -record.points_a_turn))


def export_rows(games: Iterable[PlayedGame]) -> Iterator[dict[str, Any]]:
    """Everything that happened, as flat rows: those of `--events` with their game, place in the log, time and fate."""
    for game in games:
        for told in game.told:
            for row in told.rows:
                entry = told.entry
                place = {"game": game.number, "number": entry.number, "at": entry.at, "undone": not told.stands}
                yield {**place, **row, **(_colours(entry) if row["event"] == "roll" else {})}


def _played(number: int, entries: list[Entry]) -> PlayedGame:
    moment: Moment | None = None
    rows: list[tuple[Row, ...]] = []
    standing: list[int] = []
    for i, entry in enumerate(entries):
        before = moment.game if moment else None
        moment = follow(moment, entry.record)
        rows.append(happenings(before, entry.record, moment.game))
        if isinstance(entry.record, Undone):
            standing.pop()
        else:
            standing.append(i)
    assert moment is not None
    stands = set(standing)
    told = tuple(Told(entry, rows[i], i in stands) for i, entry in enumerate(entries))
    return PlayedGame(number, told, moment.game)


def _colours(entry: Entry) -> dict[str, list[str]]:
    """The colours of a roll's dice in the order of its sorted values."""
    if not (isinstance(entry.record, Rolled) and len(entry.colours) == len(entry.record.faces)):
        return {}
    return {"colours": [colour for _, colour in sorted(zip(entry.record.faces, entry.colours, strict=True))]}


def _with(record: PlayerRecord, row: Row) -> PlayerRecord:
    match row["event"]:
        case "roll":
            return replace(record, longest_turn=max(record.longest_turn, row["roll_number"]))
        case "bust":
            return replace(record, turns=record.turns + 1, busts=record.busts + 1)
        case "bank":
            return replace(
                record,
                turns=record.turns + 1,
                points=record.points + row["points"],
                best_turn=max(record.best_turn, row["points"]),
            )
        case "mishimash":
            return replace(record, mishimashes=record.mishimashes + 1)
        case _:
            return record
