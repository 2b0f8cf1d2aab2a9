"""A game with its past: undo is a record, and the same records always lead to the same moment."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.notation import format_record, parse_record
from companion.rules import RuleError
from companion.timeline import Started, Undone, follow, replay
from tests.random_games import random_records

seeds = st.integers(0, 10**6)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds)
def test_undo_brings_back_the_game_as_it_was_before_any_event(seed):
    moment = None
    for record in random_records(seed, quirks=0.05):
        after = follow(moment, record)
        if not isinstance(record, Started | Undone):
            assert after.undone() is moment
        moment = after


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds)
def test_records_and_the_events_that_still_stand_lead_to_the_same_game(seed):
    records = list(random_records(seed, quirks=0.1))
    moment = replay(records)
    assert replay([records[0], *moment.events()]).game == moment.game


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds)
def test_records_replayed_from_their_lines_lead_to_the_same_game(seed):
    records = list(random_records(seed, quirks=0.1))
    assert replay(parse_record(format_record(record)) for record in records).game == replay(records).game


def test_everything_can_be_undone_up_to_the_start_and_no_further():
    moment = replay(random_records(7))
    while moment.before is not None:
        moment = follow(moment, Undone())
    with pytest.raises(RuleError, match="nothing to undo"):
        follow(moment, Undone())


def test_a_start_in_the_middle_of_a_game_begins_another():
    first, second = list(random_records(1))[:10], list(random_records(2))[:10]
    assert replay([*first, *second]).game == replay(second).game


def test_nothing_follows_before_a_start():
    assert replay([]) is None
    with pytest.raises(RuleError, match="no game has been started"):
        follow(None, Undone())


def test_an_event_that_is_refused_leaves_the_moment_as_it_was():
    moment = replay([Started(("A",), 20)])
    with pytest.raises(RuleError):
        moment.after(parse_record("keep 1 then bank"))
    assert (moment.event, moment.before, moment.game.turn.roll) == (None, None, ())
