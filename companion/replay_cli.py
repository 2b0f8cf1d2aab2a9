"""The command `mishimash replay`: plays a script of rolls and decisions."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from companion.errors import InputError
from companion.game import DEFAULT_TARGET_HALVES, Game, Kept, Rolled, new_game, step
from companion.notation import halves_of, points
from companion.rules import Faces


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `replay` to the command line."""
    replay = commands.add_parser(
        "replay",
        help="play a script of rolls and decisions",
        epilog="example: printf '%%s\\n' '{\"players\":[\"Ana\"]}' '{\"roll\":[1,1,1,2,3,4]}' | mishimash replay -",
    )
    replay.add_argument("script", metavar="FILE", help="JSON lines, or - for standard input")
    replay.add_argument("--json", action="store_true", help="the end state as one JSON object")
    replay.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the state at the end of the script."""
    try:
        text = sys.stdin.read() if args.script == "-" else Path(args.script).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {args.script}: {error.strerror}; name a file of JSON lines or -") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{args.script} is not text; name a file of JSON lines") from error
    state = end_state(replay(text.splitlines()))
    if args.json:
        print(json.dumps(state, ensure_ascii=False, separators=(",", ":")))
        return 0
    for name, total in state["totals"].items():
        print(f"{name}: {total}")
    if state["phase"] == "over":
        print(f"{state['winner']} wins")
    else:
        turn = state["turn"]
        phase = state["phase"].replace("_", " ")
        print(f"{phase}: {state['to_play']} to play, {turn['dice']} dice, {turn['points']} held")
    return 0


def replay(lines: Iterable[str]) -> Game:
    """The game at the end of a script of JSON lines; InputError names the line that cannot be played."""
    game: Game | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            game = _played(game, _object(line))
        except ValueError as error:
            raise InputError(f"line {number}: {error}") from error
    if game is None:
        raise InputError('the script is empty; its first line names the players: {"players":["Ana","Bo"],"target":20}')
    return game


def end_state(game: Game) -> dict[str, Any]:
    """The JSON row of `mishimash replay`; `roll_number` counts the rolls of the turn so far."""
    turn = game.turn
    return {
        "totals": {name: points(total) for name, total in zip(game.players, game.totals, strict=True)},
        "phase": game.phase,
        "winner": game.players[game.winners[0]] if len(game.winners) == 1 else None,
        "to_play": None if game.to_play is None else game.players[game.to_play],
        "turn": {
            "points": points(turn.halves),
            "roll_number": max(0, turn.roll_number - (not turn.roll)),
            "dice": turn.dice,
            "clears": turn.clears,
        },
    }


def _object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {line.strip()[:60]!r}") from error
    if not isinstance(row, dict):
        raise InputError(f"expected an object in braces, got {line.strip()[:60]!r}")
    return row


def _played(game: Game | None, row: dict[str, Any]) -> Game:
    keys = set(row)
    if game is None:
        if "players" not in row or not keys <= {"players", "target"}:
            raise InputError('the first line names the players: {"players":["Ana","Bo"],"target":20}')
        return new_game(_names(row["players"]), _target(row.get("target", points(DEFAULT_TARGET_HALVES))))
    if keys == {"roll"}:
        return step(game, Rolled(_faces(row["roll"])))
    if keys == {"keep", "then"}:
        if row["then"] not in ("roll", "bank"):
            raise InputError(f'"then" is "roll" or "bank", not {row["then"]!r}')
        return step(game, Kept(_faces(row["keep"]), row["then"]))
    raise InputError(f'expected {{"roll":[…]}} or {{"keep":[…],"then":"roll"|"bank"}}, got keys {sorted(keys)}')


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InputError('"players" is a list of names')
    return tuple(value)


def _target(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f'"target" is a number of points, not {value!r}')
    return halves_of(value)


def _faces(value: object) -> Faces:
    if not isinstance(value, list) or not all(type(face) is int for face in value):
        raise InputError(f"expected a list of faces like [1,1,5], got {json.dumps(value)}")
    return tuple(value)
