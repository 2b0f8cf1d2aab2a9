"""Whole games of four with two buttons at the simulated tray, in each language: pictures in, pictures out."""

import json
from pathlib import Path

import pytest
from PIL import Image

from companion import cli
from companion.screens import picture
from companion.table import Settings, new_table
from companion.words import LANGUAGES

PLAYERS = ("Ana", "Bo", "Cyd", "Dan")
# Throw, keep, throw the others, bank: for more turns than a game to so few points takes.
PRESSES = ("roll", "roll", "roll", "bank") * 20


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_game_of_four_is_read_scored_and_shown(tmp_path: Path, language: str) -> None:
    script, log, shown = tmp_path / "script.txt", tmp_path / "events.jsonl", tmp_path / "screens"
    script.write_text("\n".join(PRESSES), encoding="utf-8")
    table = ("--camera", "table", "--seed", str(LANGUAGES.index(language)))
    game = ("--players", ",".join(PLAYERS), "--target", "12", "--lang", language)
    devices = ("--buttons", f"script:{script}", "--display", f"png:{shown}", "--events", str(log))
    assert cli.main(["play", *table, *game, *devices]) == 0

    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    kinds = [event["event"] for event in events]
    assert "game_over" in kinds
    events = events[: kinds.index("game_over") + 1]
    assert {event["player"] for event in events if event["event"] == "turn"} == set(PLAYERS)
    totals = dict.fromkeys(PLAYERS, 0)
    for event in events:
        if event["event"] == "bank":
            totals[event["player"]] += event["points"]
    assert events[-1]["totals"] == totals
    assert totals[events[-1]["winner"]] == max(totals.values()) >= 12

    first, *others = sorted(shown.glob("*.png"))
    start = picture(new_table(Settings(PLAYERS, 24, language)))
    assert Image.open(first).tobytes() == start.tobytes()
    assert len(others) > len(events)
