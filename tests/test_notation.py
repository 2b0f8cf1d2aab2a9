"""One line of text for records and states: parsing and printing are inverse."""

import math
import string
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game import Ended, Joined, Kept, Left, Rolled, new_game
from companion.notation import (
    NotationError,
    format_game,
    format_record,
    halves_of,
    parse_game,
    parse_record,
    points,
)
from companion.timeline import Started, Undone

names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "Co", "Cn")), min_size=1).filter(
    lambda name: bool(name.strip()) and name.isprintable()
)
dice = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple)
records = st.one_of(
    st.builds(Started, st.lists(names, min_size=1, max_size=8).map(tuple), st.integers(1, 10**6)),
    st.builds(Rolled, dice, st.floats(0, 1), st.booleans()),
    st.builds(Kept, dice, st.sampled_from(["roll", "bank"])),
    st.builds(Joined, names),
    st.sampled_from([Left(), Ended(), Undone()]),
)


@settings(derandomize=True, deadline=None)
@given(records)
def test_a_record_is_one_line_that_parses_to_itself(record):
    line = format_record(record)
    assert "\n" not in line
    assert parse_record(line) == record


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (Started(("Ana", "Bo"), 80), 'start "Ana" "Bo" target=40'),
        (Started(("Mišinka", 'a "b" \\', "target=1"), 5), r'start "Mišinka" "a \"b\" \\" "target=1" target=2.5'),
        (Rolled((1, 1, 2, 5)), "rolled 1 1 2 5"),
        (Rolled((5,), 0.97, corrected=True), "rolled 5 confidence=0.97 corrected"),
        (Kept((1, 1), "roll"), "keep 1 1 then roll"),
        (Kept((5,), "bank"), "keep 5 then bank"),
        (Joined("李 🎲"), 'join "李 🎲"'),
        (Left(), "leave"),
        (Ended(), "end"),
        (Undone(), "undo"),
    ],
)
def test_a_record_reads_as_people_would_write_it(record, line):
    assert format_record(record) == line
    assert parse_record(line) == record


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "roll 1 2",
        "rolled",
        "rolled 7",
        "rolled 1  2",
        "rolled 1 2 ",
        "rolled 1\n",
        "rolled 1 confidence=high",
        "rolled 1 confidence=nan",
        "rolled 1 confidence=1.5",
        "keep 1 then",
        "keep 1 then pass",
        "start target=40",
        'start "Ana"',
        'start "Ana" target=',
        'start "Ana" target=inf',
        'start "Ana" target=nan',
        'start "Ana" target=1.3',
        'start "Ana\\q" target=40',
        'join "Ana',
        "join Ana",
        "undo 2",
        "Undo",
    ],
)
def test_what_is_no_record_is_refused_and_quoted(line):
    with pytest.raises(NotationError) as refusal:
        parse_record(line)
    assert repr(line) in str(refusal.value)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 0.25, 1e308 * 1.7, 2.4999])
def test_points_that_are_no_multiple_of_a_half_are_refused(number):
    with pytest.raises(ValueError, match="halves"):
        halves_of(number)


@settings(derandomize=True)
@given(st.integers(-(10**9), 10**9))
def test_points_and_half_points_are_inverse(halves):
    assert halves_of(points(halves)) == halves
    assert str(points(halves)).endswith(".5") == (halves % 2 == 1)


@pytest.mark.parametrize(
    "line",
    [
        'main "Ana"=0 target=1000 plays=0 turn=0 roll=1 dice=6 clears=0 ended=0',
        'main "Ana"=21.5 "Bo"=7 target=40 plays=0 turn=4 roll=2 dice=5 clears=0 shows=11255 ended=2',
        'final "A b"=40 "plays=1"=7 "ž\\"="=0 target=40 plays=1 turn=0 roll=1 dice=6 clears=0 ended=1 coming=2',
        'sudden_death "A"=40 "B"=40 target=40 plays=0 turn=10 roll=2 dice=6 clears=1 ended=9 coming=1 batch=0,1',
        'over "A"=41 "B"=40 "C"=2.5 target=40 ended=9 gone=2 winners=0',
    ],
)
def test_a_state_is_one_line_that_parses_and_prints_back(line):
    assert format_game(parse_game(line)) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "main",
        'main "Ana"=0 target=40',
        'middle "Ana"=0 target=1000 plays=0 turn=0 roll=1 dice=6 clears=0 ended=0',
        'main "Ana"=x target=1000 plays=0 turn=0 roll=1 dice=6 clears=0 ended=0',
        'main "Ana"=inf target=1000 plays=0 turn=0 roll=1 dice=6 clears=0 ended=0',
        'main "Ana"=0 target=1000 plays=0 turn=0 roll=1 dice=6 clears=0 ended=0 and more',
    ],
)
def test_what_is_no_state_is_refused_and_quoted(line):
    with pytest.raises(NotationError) as refusal:
        parse_game(line)
    assert repr(line) in str(refusal.value)


@settings(derandomize=True, deadline=None)
@given(st.lists(names, min_size=1, max_size=8, unique=True).map(tuple), st.integers(1, 10**5))
def test_any_names_that_make_a_game_survive_the_state_line(players, target_halves):
    game = new_game(players, target_halves)
    assert parse_game(format_game(game)) == game


@settings(derandomize=True)
@given(st.text(string.ascii_lowercase + string.digits + '" =.,\\', max_size=60))
def test_a_line_of_anything_parses_or_is_refused_in_words(line):
    for parse in (parse_record, parse_game):
        with suppress(NotationError):
            parse(line)
