"""What a record did, as the rows that `--events` prints, for programs that follow a game and for its history.

Each row is a dict that JSON can carry: "event" says what happened, points are whole or half points.
"""

from typing import Any

from companion.game import Ended, Game, Joined, Kept, Left, Rolled
from companion.notation import points
from companion.rules import bonus_halves, is_bust, selection_of, turn_halves
from companion.timeline import Record, Started, Undone

Row = dict[str, Any]


def happenings(before: Game | None, record: Record, after: Game) -> tuple[Row, ...]:
    """The rows of what happened when a record led from one game to the next; `before` is None where there was none.

    A `turn` row follows whenever somebody's turn begins, and a `game_over` row ends a game.
    """
    rows = _of_record(before, record, after)
    if after.to_play is None:
        rows.append(_game_over(after))
    elif before is None or isinstance(record, Started) or _turn_of(before) != _turn_of(after):
        rows.append({"event": "turn", "player": _player(after), "phase": after.phase})
    return tuple(rows)


def _of_record(before: Game | None, record: Record, after: Game) -> list[Row]:
    if isinstance(record, Started):
        return [{"event": "start", "players": list(after.players), "target": points(after.target_halves)}]
    if isinstance(record, Undone):
        return [{"event": "undo", "player": _player(after)}]
    assert before is not None
    player = _player(before)
    match record:
        case Rolled():
            return _rolled(before, record, player)
        case Kept():
            return _kept(before, record, after, player)
        case Joined(name):
            return [{"event": "join", "player": name}]
        case Left():
            return [{"event": "leave", "player": player}]
        case Ended():
            return [{"event": "end"}]


def _rolled(before: Game, record: Rolled, player: str | None) -> list[Row]:
    turn = before.turn
    roll: Row = {
        "event": "roll", "player": player, "values": sorted(record.faces), "roll_number": turn.roll_number,
        "confidence": record.confidence, "corrected": record.corrected,
    }  # fmt: skip
    if not is_bust(record.faces):
        return [roll]
    return [roll, {"event": "bust", "player": player, "lost": points(turn.halves)}]


def _kept(before: Game, record: Kept, after: Game, player: str | None) -> list[Row]:
    turn = before.turn
    selection = selection_of(turn.roll, record.faces)
    gained = turn_halves(selection, turn.roll_number, turn.clears)
    rows: list[Row] = [
        {
            "event": "keep", "player": player, "values": list(selection.dice), "points": points(selection.halves),
            "turn_points": points(turn.halves + gained), "then": record.then,
        }
    ]  # fmt: skip
    if selection.clears:
        rows.append({"event": "mishimash", "player": player, "bonus": points(bonus_halves(turn.clears))})
    if record.then == "bank":
        assert before.to_play is not None
        total = points(after.totals[before.to_play])
        rows.append({"event": "bank", "player": player, "points": points(turn.halves + gained), "total": total})
    return rows


def _game_over(game: Game) -> Row:
    winners = [game.players[i] for i in game.winners]
    totals = {name: points(total) for name, total in zip(game.players, game.totals, strict=True)}
    winner = winners[0] if len(winners) == 1 else None
    return {"event": "game_over", "winner": winner, "winners": winners, "totals": totals}


def _turn_of(game: Game) -> tuple[int | None, int]:
    return game.to_play, game.turns_ended


def _player(game: Game) -> str | None:
    return None if game.to_play is None else game.players[game.to_play]
