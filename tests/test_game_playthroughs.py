"""Whole games as text people can read: each record, what it did, the state after it, and what may be kept now.

Write a game by hand as comments (`# …`) and records (`> …`), then let the program fill in the rest and read it through:

    .venv/bin/python tests/test_game_playthroughs.py
"""

import json
from pathlib import Path

import pytest

from companion.happenings import happenings
from companion.notation import format_game, format_record, parse_record, points
from companion.rules import selections, turn_halves
from companion.timeline import follow

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))


def retold(text):
    """The same game with everything but its comments and records worked out anew."""
    lines, moment = [], None
    for line in text.splitlines():
        if line.startswith("#"):
            lines.append(line)
        elif line.startswith("> "):
            record = parse_record(line[2:])
            before = moment.game if moment else None
            moment = follow(moment, record)
            lines += ["", f"> {format_record(record)}"]
            lines += [f"  {json.dumps(row, ensure_ascii=False)}" for row in happenings(before, record, moment.game)]
            lines += [f"  {format_game(moment.game)}", *may_keep(moment.game.turn)]
    return "\n".join(lines) + "\n"


def may_keep(turn):
    if not turn.roll:
        return []
    options = (
        f"{' '.join(map(str, s.dice))} ({points(turn_halves(s, turn.roll_number, turn.clears))})"
        for s in selections(turn.roll)
    )
    return [f"  may keep: {' · '.join(options)}"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_game_retold_is_the_game_on_file(file):
    text = file.read_text("utf-8")
    assert retold(text) == text


def test_there_are_games_on_file():
    assert len(FILES) >= 8


if __name__ == "__main__":
    for file in FILES:
        file.write_text(retold(file.read_text("utf-8")), "utf-8")
