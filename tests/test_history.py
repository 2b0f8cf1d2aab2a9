"""What the log tells of the past: games, players' records, dice, and the command that prints them."""

import csv
import io
import json
import math
import sqlite3
from contextlib import closing

import pytest
from PIL import Image

from companion.cli import main
from companion.happenings import happenings
from companion.history import export_rows, played_games, player_records
from companion.history_dice import FaceCounts, dice_report, p_value_of_chi_square
from companion.history_plot import picture, terminal_bars
from companion.log import Log
from companion.log_file import Entry
from companion.notation import format_record, parse_record
from companion.timeline import follow, replay
from tests.random_games import random_records

TWO_GAMES = """
start "Ana" "Bo" target=1000
rolled 1 2 3 4 5 6
keep 1 2 3 4 5 6 then roll
rolled 1 1 1 5 5 2
keep 1 1 1 then bank
rolled 2 2 3 4 6 6 confidence=0.6
undo
rolled 1 2 3 4 6 6 corrected
keep 1 then roll
rolled 2 2 3 4 6
rolled 5 2 2 3 4 6
keep 5 then bank
end
start "Bo" "Cyd" target=5
rolled 2 2 2 3 4 6
keep 2 2 2 then bank
""".strip().splitlines()


def entries_of(lines, colours=None):
    """Entries as the log gives them; `colours` by line number."""
    return [Entry(n, f"2026-11-29T20:{n:02}:00+01:00", parse_record(line), (colours or {}).get(n, ()))
            for n, line in enumerate(lines, 1)]  # fmt: skip


@pytest.fixture
def state_dir(tmp_path):
    with Log.open(tmp_path) as log:
        for line in TWO_GAMES:
            log.append(parse_record(line))
    return tmp_path


def test_the_games_of_a_log_stand_where_its_records_lead():
    first, second = played_games(entries_of(TWO_GAMES))
    assert (first.number, second.number) == (1, 2)
    assert first.game == replay(map(parse_record, TWO_GAMES[:13])).game
    assert second.game == replay(map(parse_record, TWO_GAMES[13:])).game
    assert first.game.winners == (0,)
    assert [told.entry.number for told in first.told if not told.stands] == [6, 7]


def test_players_records_count_what_stands_and_not_what_was_undone():
    records = {record.name: record for record in player_records(played_games(entries_of(TWO_GAMES)))}
    ana, bo, cyd = records["Ana"], records["Bo"], records["Cyd"]
    assert (ana.games, ana.won, ana.turns, ana.points, ana.busts, ana.mishimashes) == (1, 1, 2, 45.5, 0, 1)
    assert (ana.best_turn, ana.longest_turn, ana.points_a_turn) == (45, 2, 22.75)
    assert (bo.games, bo.won, bo.turns, bo.points, bo.busts, bo.longest_turn) == (2, 0, 2, 2, 1, 2)
    assert (cyd.games, cyd.turns, cyd.points_a_turn) == (1, 0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_points_of_all_records_are_the_totals_of_a_game(seed):
    lines = [format_record(record) for record in random_records(seed, quirks=0.1)]
    (game,) = played_games(entries_of(lines))
    points = {record.name: record.points for record in player_records([game])}
    assert points == {n: t / 2 for n, t in zip(game.game.players, game.game.totals, strict=True)}


def test_exported_rows_are_those_of_events_with_their_place_and_fate():
    rows = list(export_rows(played_games(entries_of(TWO_GAMES))))
    moment, expected = None, []
    for number, line in enumerate(TWO_GAMES, 1):
        record = parse_record(line)
        before = moment.game if moment and number != 14 else None
        moment = follow(moment, record)
        expected += [(number, row["event"]) for row in happenings(before, record, moment.game)]
    assert [(row["number"], row["event"]) for row in rows] == expected
    assert {row["number"] for row in rows if row["undone"]} == {6, 7}


def test_colours_follow_their_dice_when_the_values_are_sorted():
    games = played_games(entries_of(['start "A" target=9', "rolled 5 1 2 2 3 4"], {2: ("e", "a", "b", "b", "c", "d")}))
    (roll,) = (row for row in export_rows(games) if row["event"] == "roll")
    assert (roll["values"], roll["colours"]) == ([1, 2, 2, 3, 4, 5], ["a", "b", "b", "c", "d", "e"])


def test_dice_are_counted_once_for_each_roll_that_stands_and_by_colour_where_known():
    colours = {2: ("red", "red", "red", "white", "white", ""), 4: ("red",) * 6, 6: ("red",) * 6}
    report = dice_report(played_games(entries_of(TWO_GAMES, colours)))
    assert report.everything.counts == (5, 10, 5, 5, 4, 6)
    assert {kind.name: kind.counts for kind in report.by_colour} == {
        "red": (4, 2, 1, 0, 2, 0),
        "white": (0, 0, 0, 1, 1, 0),
    }
    assert (report.rolls, report.corrected, report.corrected_share) == (6, 1, 1 / 6)


@pytest.mark.parametrize(
    ("statistic", "p"),
    # Quantiles of the chi-square distribution with 5 degrees of freedom, from printed tables.
    [(0, 1), (1.145, 0.95), (1.61, 0.9), (4.351, 0.5), (9.236, 0.1), (11.07, 0.05), (15.086, 0.01), (20.515, 0.001)],
)
def test_p_values_are_those_of_printed_tables(statistic, p):
    assert p_value_of_chi_square(statistic) == pytest.approx(p, rel=2e-3)


def test_p_values_are_those_of_the_density_integrated():
    def density(x):
        return x**1.5 * math.exp(-x / 2) / (2**2.5 * math.gamma(2.5))

    step = 0.01
    for statistic in (0.5, 3, 8, 14):
        tail = sum(density(statistic + (k + 0.5) * step) * step for k in range(8000))
        assert p_value_of_chi_square(statistic) == pytest.approx(tail, rel=1e-4)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((1, 2, 3, 4, 5, 6), "too few dice to say: 21"),
        ((0,) * 6, "too few dice to say: 0"),
        ((100,) * 6, "nothing speaks against fair dice: fair dice are this uneven in 100 %"),
        ((80, 90, 100, 100, 110, 128), "somewhat uneven"),
        ((100, 100, 100, 100, 100, 200), "uneven beyond chance: fair dice are this uneven in fewer than 0.01 %"),
    ],
)
def test_a_verdict_is_in_plain_words(counts, verdict):
    assert FaceCounts("all dice", counts).verdict().startswith(verdict)


def test_bars_are_as_long_as_their_counts():
    bars = terminal_bars(FaceCounts("all dice", (40, 20, 10, 0, 1, 39)))
    assert [bar.count("█") for bar in bars] == [40, 20, 10, 0, 1, 39]
    assert all(str(face) in bar for face, bar in enumerate(bars, 1))


def test_a_picture_has_a_panel_for_each_kind_and_bars_of_the_counts_height():
    kinds = [FaceCounts("all dice", (40, 20, 10, 0, 1, 39)), FaceCounts("red", (0,) * 6)]
    image = picture(kinds)
    assert image.size == (640, 520)
    heights = [sum(image.getpixel((x, y)) == (72, 120, 168) for y in range(260)) for x in range(64, 640, 98)]
    assert heights[0] > heights[1] > heights[2] > heights[4] > heights[3]


def run(capsys, *words):
    code = main(["history", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_overview_names_games_and_players(capsys, state_dir):
    code, out, _ = run(capsys, "--state-dir", state_dir)
    assert code == 0
    assert "2 games" in out
    assert "Ana 45.5, Bo 0" in out
    assert "Ana won" in out
    assert "Cyd to play" in out
    assert "longest turn" in out


def test_a_game_is_told_again_as_text(capsys, state_dir):
    code, out, _ = run(capsys, 1, "--state-dir", state_dir)
    assert code == 0
    for line in ("roll 1: 1 2 3 4 5 6", "MISHIMASH! 10 of them", "BANK: 45 for Ana", "undone", "(corrected)"):
        assert line in out


def test_the_dice_are_judged_and_drawn(capsys, state_dir, tmp_path):
    code, out, _ = run(capsys, "dice", "--state-dir", state_dir, "--png", tmp_path / "dice.png")
    assert code == 0
    assert "all dice: 35 dice" in out
    assert "p = " in out
    assert "1 of them corrected" in out
    with Image.open(tmp_path / "dice.png") as image:
        assert image.size == (640, 260)


def test_both_exports_hold_the_same_rows(capsys, state_dir):
    _, as_json, _ = run(capsys, "export", "--json", "--state-dir", state_dir)
    _, as_csv, _ = run(capsys, "export", "--csv", "--state-dir", state_dir)
    objects = [json.loads(line) for line in as_json.splitlines()]
    table = list(csv.DictReader(io.StringIO(as_csv)))
    assert [(row["number"], row["event"], row.get("player") or "") for row in objects] == [
        (int(row["number"]), row["event"], row["player"]) for row in table
    ]
    assert any(row["values"] == "1 2 3 4 5 6" for row in table)


def test_games_can_be_read_while_another_is_played(capsys, tmp_path):
    with Log.open(tmp_path) as log:
        log.append(parse_record(TWO_GAMES[0]))
        assert run(capsys, "--state-dir", tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["7"], "no game '7': there are games 1 to 2"),
        (["cats"], "no game 'cats'"),
        (["export"], "--csv or --json"),
        (["dice", "--json"], "--csv or --json"),
        (["1", "--png", "x.png"], "--png goes with `history dice`"),
        (["dice", "--png", "/no/such/folder/x.png"], "cannot write the plot"),
    ],
)
def test_bad_questions_are_answered_in_one_line(capsys, state_dir, words, reason):
    code, _, err = run(capsys, *words, "--state-dir", state_dir)
    assert code == 2
    assert reason in err
    assert err.count("\n") == 1


def test_winners_who_share_the_lead_win(capsys, tmp_path):
    with Log.open(tmp_path) as log:
        for line in ('start "Ana" "Bo" target=9', "end"):
            log.append(parse_record(line))
    assert "Ana and Bo win: Ana 0, Bo 0" in run(capsys, 1, "--state-dir", tmp_path)[1]


def test_a_log_without_a_game_and_records_before_the_first_game_are_answered_in_one_line(capsys, tmp_path):
    Log.open(tmp_path).close()
    code, _, err = run(capsys, "--state-dir", tmp_path)
    assert (code, "no games are kept" in err, err.count("\n")) == (2, True, 1)
    with closing(sqlite3.connect(tmp_path / "games.db")) as db, db:
        db.execute("INSERT INTO records (at, record) VALUES ('then', 'undo')")
    code, _, err = run(capsys, "--state-dir", tmp_path)
    assert (code, "no game has been started" in err, err.count("\n")) == (2, True, 1)


def test_a_folder_without_games_and_a_file_that_is_no_log_are_answered_in_one_line(capsys, tmp_path):
    code, _, err = run(capsys, "--state-dir", tmp_path)
    assert (code, "no games are kept" in err, err.count("\n")) == (2, True, 1)
    (tmp_path / "games.db").write_bytes(b"meow" * 500)
    code, _, err = run(capsys, "--state-dir", tmp_path)
    assert (code, "cannot be read as a game log" in err, err.count("\n")) == (2, True, 1)
