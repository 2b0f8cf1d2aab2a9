"""What the command says and with which exit code, for good input and bad; the commands that need no picture."""

import io
import json
import os
from pathlib import Path

import pytest

from companion import cli


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of one command."""
    try:
        code = cli.main(words)
    except SystemExit as left:
        code = int(left.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_score_answers_as_the_contract_says(capsys):
    code, out, err = run(capsys, "score", "115234", "--json")
    assert (code, err) == (0, "")
    row = json.loads(out)
    assert row["roll"] == [1, 1, 2, 3, 4, 5]
    assert row["bust"] is False
    assert row["groups"] == [
        {"name": "single", "face": 1, "dice": [1], "points": 1},
        {"name": "single", "face": 1, "dice": [1], "points": 1},
        {"name": "single", "face": 5, "dice": [5], "points": 0.5},
    ]
    assert row["selections"] == [
        {"dice": [1, 1, 5], "points": 2.5, "turn_points": 2.5, "clears": False, "left": 3},
        {"dice": [1, 1], "points": 2, "turn_points": 2, "clears": False, "left": 4},
        {"dice": [1, 5], "points": 1.5, "turn_points": 1.5, "clears": False, "left": 4},
        {"dice": [1], "points": 1, "turn_points": 1, "clears": False, "left": 5},
        {"dice": [5], "points": 0.5, "turn_points": 0.5, "clears": False, "left": 5},
    ]


def test_score_multiplies_by_the_roll_and_adds_the_bonus_of_the_clear(capsys):
    _, out, _ = run(capsys, "score", "1 2 3 4 5 6", "--roll-number", "3", "--clears", "1", "--json")
    assert json.loads(out)["selections"] == [
        {"dice": [1, 2, 3, 4, 5, 6], "points": 15, "turn_points": 65, "clears": True, "left": 6}
    ]


def test_score_reads_a_roll_a_line(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n\n2,3,4\n"))
    code, out, _ = run(capsys, "score", "--stdin", "--json")
    assert code == 0
    assert [json.loads(line)["bust"] for line in out.splitlines()] == [False, True]


SCRIPT = [
    {"players": ["Ana", "Bo"], "target": 20},
    {"roll": [1, 2, 3, 4, 5, 6]},
    {"keep": [1, 2, 3, 4, 5, 6], "then": "roll"},
    {"roll": [1, 1, 1, 5, 5, 2]},
    {"keep": [1, 1, 1], "then": "bank"},
    {"roll": [2, 2, 3, 4, 6, 6]},
]


def script(tmp_path: Path, rows: list[object]) -> str:
    """The path of a script file of these rows; a text stands for itself."""
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def test_replay_prints_the_end_state_as_the_contract_says(capsys, tmp_path):
    code, out, _ = run(capsys, "replay", script(tmp_path, SCRIPT), "--json")
    assert code == 0
    assert json.loads(out) == {
        "totals": {"Ana": 45, "Bo": 0},
        "phase": "over",
        "winner": "Ana",
        "to_play": None,
        "turn": {"points": 0, "roll_number": 0, "dice": 6, "clears": 0},
    }


@pytest.mark.parametrize(
    ("played", "turn", "to_play"),
    [
        (1, {"points": 0, "roll_number": 0, "dice": 6, "clears": 0}, "Ana"),
        (2, {"points": 0, "roll_number": 1, "dice": 6, "clears": 0}, "Ana"),
        (3, {"points": 25, "roll_number": 1, "dice": 6, "clears": 1}, "Ana"),
        (4, {"points": 25, "roll_number": 2, "dice": 6, "clears": 1}, "Ana"),
        (5, {"points": 0, "roll_number": 0, "dice": 6, "clears": 0}, "Bo"),
    ],
)
def test_replay_tells_the_turn_after_every_line(capsys, tmp_path, played, turn, to_play):
    state = json.loads(run(capsys, "replay", script(tmp_path, SCRIPT[:played]), "--json")[1])
    assert (state["turn"], state["to_play"]) == (turn, to_play)


START = {"players": ["Ana", "Bo"], "target": 20}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("score", "1127"), ["'1127'", "not 7"]),
        (("score", ""), ["''", "one to six dice"]),
        (("score", "1111111"), ["not 7"]),
        (("score", "1a"), ["'a'"]),
        (("score",), ["--stdin"]),
        (("score", "1", "--roll-number", "0"), ["--roll-number", "'0'"]),
        (("score", "1", "--clears", "-1"), ["--clears"]),
        (("replay", "no-such-file"), ["no-such-file", "No such file"]),
        (("rules", "--lang", "xx"), ["'xx'"]),
        (("read", "no-such-picture.jpg", "--profile", "no-such-profile.toml"), ["no-such-profile.toml"]),
        (("play", "--config", "no-such.toml"), ["no-such.toml"]),
        (("play", "--camera", "table", "--profile", "no-such.toml"), ["no-such.toml"]),
        (("play", "--camera", "tabel", "--buttons", f"script:{os.devnull}"), ["tabel"]),
        (("play", "--camera", "table", "--target", "0.3"), ["--target", "'0.3'"]),
        (("play", "--camera", "table", "--target", "-5"), ["--target", "'-5'"]),
        (("shuffle",), ["shuffle"]),
    ],
)
def test_bad_words_are_one_line_that_names_them_and_exit_2(capsys, words, says):
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    for part in says:
        assert part in err


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], ["empty"]),
        ([{"roll": [1]}], ["line 1", "players"]),
        ([{"players": []}], ["line 1", "1 to 8 players"]),
        ([{"players": ["Ana", "Ana"]}], ["line 1", "'Ana'"]),
        ([{"players": ["Ana"], "target": 0.3}], ["line 1", "halves"]),
        ([{"players": ["Ana"], "target": True}], ["line 1", "target"]),
        ([START, {"roll": [1, 1, 1]}], ["line 2", "6 dice"]),
        ([START, {"roll": [1, 1, 1, 2, 3, 7]}], ["line 2", "not 7"]),
        ([START, {"roll": [1, 1, 1, 2, 3, "4"]}], ["line 2", '"4"']),
        ([START, {"keep": [1], "then": "bank"}], ["line 2", "no roll"]),
        ([START, {"roll": [1, 1, 1, 2, 3, 4]}, {"keep": [1], "then": "bank"}], ["line 3", "splits a group"]),
        ([START, {"roll": [1, 1, 1, 2, 3, 4]}, {"keep": [], "then": "bank"}], ["line 3", "at least one group"]),
        ([START, {"roll": [1, 1, 1, 2, 3, 4]}, {"keep": [1, 1, 1], "then": "pass"}], ["line 3", "'pass'"]),
        ([START, {"roll": [1, 1, 1, 2, 3, 4]}, {"roll": [1, 1, 1, 2, 3, 4]}], ["line 3", "waits"]),
        ([*SCRIPT, {"roll": [1, 1, 1, 2, 3, 4]}], ["line 7", "over"]),
        ([START, "{"], ["line 2", "JSON"]),
        ([START, "[1]"], ["line 2", "object"]),
        ([START, {"rol": [1]}], ["line 2", "rol"]),
        ([START, "[" * 100_000], ["line 2", "JSON"]),
    ],
)
def test_a_script_that_cannot_be_played_names_the_line_and_the_reason(capsys, tmp_path, rows, says):
    code, out, err = run(capsys, "replay", script(tmp_path, rows))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    for part in says:
        assert part in err


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help_with_an_example(capsys, command):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert "example" in out
