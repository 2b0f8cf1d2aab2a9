"""The commands that answer at once and touch no device: `score`, `replay` and `rules`."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from companion.config import LANGUAGES
from companion.errors import InputError
from companion.game import DEFAULT_TARGET_HALVES, Game, Kept, Rolled, new_game, step
from companion.notation import halves_of, points
from companion.rules import DICE, Faces, RuleError, groups, roll_of, selections, turn_halves


def score(faces: Faces, roll_number: int = 1, clears: int = 0) -> dict[str, Any]:
    """What a roll is worth, as the JSON row of `mishimash score`; points are whole or half numbers."""
    roll = roll_of(faces)
    rows = [
        {
            "dice": list(selection.dice),
            "points": points(selection.halves),
            "turn_points": points(turn_halves(selection, roll_number, clears)),
            "clears": selection.clears,
            "left": DICE if selection.clears else len(roll) - len(selection.dice),
        }
        for selection in selections(roll)
    ]
    return {
        "roll": list(roll),
        "bust": not rows,
        "groups": [
            {"name": group.name, "face": group.face, "dice": list(group.dice), "points": points(group.halves)}
            for group in groups(roll)
        ],
        "selections": rows,
    }


def parse_roll(text: str) -> Faces:
    """The faces of `115234`, `1 1 5 2 3 4` or `1,1,5`; InputError says what is wrong with any other text."""
    digits = [c for c in text if not c.isspace() and c != ","]
    for c in digits:
        if c not in "0123456789":
            raise InputError(f"{text!r} is no roll: {c!r} is no face; write one to six faces like 115234")
    try:
        return roll_of(map(int, digits))
    except RuleError as error:
        raise InputError(f"{text!r} is no roll: {error}; write one to six faces like 115234") from error


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
    except ValueError as error:
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


def add_parsers(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `score`, `replay` and `rules` to the command line."""
    one = commands.add_parser(
        "score",
        help="what a roll is worth",
        epilog='example: mishimash score "1 1 5 2 3 4" --roll-number 2 --json',
    )
    one.add_argument("roll", nargs="?", metavar="ROLL", help="one to six faces: 115234 or '1 1 5 2 3 4'")
    one.add_argument("--stdin", action="store_true", help="read a roll a line from standard input")
    one.add_argument("--roll-number", type=_from(1), default=1, metavar="K", help="number of this roll in the turn")
    one.add_argument("--clears", type=_from(0), default=0, metavar="C", help="MISHIMASHes so far in the turn")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=_run_score)
    two = commands.add_parser(
        "replay",
        help="play a script of rolls and decisions",
        epilog="example: printf '%%s\\n' '{\"players\":[\"Ana\"]}' '{\"roll\":[1,1,1,2,3,4]}' | mishimash replay -",
    )
    two.add_argument("script", metavar="FILE", help="JSON lines, or - for standard input")
    two.add_argument("--json", action="store_true")
    two.set_defaults(run=_run_replay)
    three = commands.add_parser("rules", help="the rules of the game", epilog="example: mishimash rules --lang pl")
    three.add_argument("--lang", choices=LANGUAGES, default="en")
    three.set_defaults(run=_run_rules)


def _from(least: int) -> Any:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least}, not {text!r}")
        return int(text)

    return number


def _run_score(args: argparse.Namespace) -> int:
    if args.stdin == (args.roll is not None):
        raise InputError("give one roll, or --stdin to read a roll a line")
    for faces in _rolls(sys.stdin) if args.stdin else [parse_roll(args.roll)]:
        row = score(faces, args.roll_number, args.clears)
        print(json.dumps(row, separators=(",", ":")) if args.json else _score_text(row))
    return 0


def _rolls(lines: Iterable[str]) -> Iterator[Faces]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield parse_roll(line.strip())
            except InputError as error:
                raise InputError(f"line {number}: {error}") from error


def _score_text(row: dict[str, Any]) -> str:
    lines = [" ".join(map(str, row["roll"])) + (": BUST" if row["bust"] else ": keep one of")]
    lines += [
        f"  {' '.join(map(str, s['dice'])):12} {s['turn_points']:>6} points"
        + (", MISHIMASH, then all six dice" if s["clears"] else f", then {s['left']} left to roll")
        for s in row["selections"]
    ]
    return "\n".join(lines)


def _run_replay(args: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if args.script == "-" else Path(args.script).read_text(encoding="utf-8")
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


def _run_rules(args: argparse.Namespace) -> int:
    print(files("companion.words").joinpath(f"rules.{args.lang}.txt").read_text(encoding="utf-8").rstrip())
    return 0
