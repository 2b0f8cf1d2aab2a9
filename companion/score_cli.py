"""The command `mishimash score`: what a roll is worth."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from companion.errors import InputError
from companion.notation import points
from companion.rules import DICE, Faces, RuleError, groups, roll_of, selections, turn_halves


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `score` to the command line."""
    score = commands.add_parser(
        "score",
        help="what a roll is worth",
        epilog='example: mishimash score "1 1 5 2 3 4" --roll-number 2 --json',
    )
    score.add_argument("roll", nargs="?", metavar="ROLL", help="one to six faces: 115234 or '1 1 5 2 3 4'")
    score.add_argument("--stdin", action="store_true", help="read a roll a line from standard input")
    score.add_argument("--roll-number", type=_from(1), default=1, metavar="K", help="number of this roll in the turn")
    score.add_argument("--clears", type=_from(0), default=0, metavar="C", help="MISHIMASHes so far in the turn")
    score.add_argument("--json", action="store_true", help="one JSON object a roll")
    score.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what each roll is worth."""
    if args.stdin == (args.roll is not None):
        raise InputError("give one roll, or --stdin to read a roll a line")
    for faces in _rolls(sys.stdin) if args.stdin else [parse_roll(args.roll)]:
        row = worth(faces, args.roll_number, args.clears)
        print(json.dumps(row, separators=(",", ":")) if args.json else _score_text(row))
    return 0


def worth(faces: Faces, roll_number: int = 1, clears: int = 0) -> dict[str, Any]:
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


def _from(least: int) -> Any:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least}, not {text!r}")
        return int(text)

    return number


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
