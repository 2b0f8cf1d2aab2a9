"""The course of a game: order of play, final round, sudden death, comers and leavers; examples, and random games."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game import Ended, Joined, Kept, Left, Rolled, new_game, step
from companion.happenings import happenings
from companion.notation import format_game, parse_game, parse_record
from companion.rules import RuleError, is_bust, selections, turn_halves
from companion.timeline import follow
from tests.random_games import random_records

BUST = "rolled 2 2 3 4 6 6"
seeds = st.integers(0, 10**6)


def bank(dice):
    """The lines of a turn that rolls dice, filled up with dice that score nothing, and banks them; "" is a bust."""
    if not dice:
        return [BUST]
    roll = (dice + "223466")[:6]
    return [f"rolled {' '.join(roll)}", f"keep {' '.join(dice)} then bank"]


def play(players, target, *turns):
    """The game after turns, each the dice that are banked ("" for a bust)."""
    game = new_game(tuple(players), target * 2)
    for turn in turns:
        for line in bank(turn):
            game = step(game, parse_record(line))
    return game


@pytest.mark.parametrize(
    ("players", "turns", "phase", "plays", "winners"),
    [
        # one player: the game ends with the BANK that reaches the target
        ("A", ["111"], "over", None, "A"),
        ("A", ["1", "1"], "main", "A", ""),
        # the first player reaches it: everybody after plays once more
        ("ABC", ["111"], "final", "B", ""),
        ("ABC", ["111", ""], "final", "C", ""),
        ("ABC", ["111", "", ""], "over", None, "A"),
        # one in the middle reaches it: nobody before plays again
        ("ABC", ["1", "111"], "final", "C", ""),
        ("ABC", ["1", "111", "1"], "over", None, "B"),
        # the last one reaches it: over at once
        ("ABC", ["1", "1", "111"], "over", None, "C"),
        # whoever has most wins, not whoever reached the target first
        ("AB", ["111", "1111"], "over", None, "B"),
        # equal at the top: sudden death between those, in playing order
        ("ABC", ["111", "", "111"], "sudden_death", "A", ""),
        ("ABC", ["111", "", "111", "1"], "sudden_death", "C", ""),
        ("ABC", ["111", "", "111", "1", ""], "over", None, "A"),
        ("ABC", ["111", "", "111", "1", "11"], "over", None, "C"),
        # still equal: another batch
        ("ABC", ["111", "", "111", "1", "1"], "sudden_death", "A", ""),
        ("ABC", ["111", "", "111", "", "", "", "5"], "over", None, "C"),
    ],
)
def test_a_game_ends_as_the_rules_say(players, turns, phase, plays, winners):
    game = play(players, 10, *turns)
    assert game.phase == phase
    assert (None if game.to_play is None else game.players[game.to_play]) == plays
    assert "".join(game.players[i] for i in game.winners) == winners


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["keep 1 then bank"], "no roll to keep"),
        (["rolled 1 2 3"], "6 dice are to be rolled, not 3"),
        (["rolled 1 2 3 4 6 6", "rolled 1 2 3 4 6 6"], "still waits"),
        (["rolled 1 2 3 4 6 6", "keep 2 then roll"], "face 2 scores nothing"),
        (["rolled 1 2 3 4 6 6", "keep 1 then roll", "rolled 1 2 3 4"], "5 dice are to be rolled, not 4"),
        (["end", "rolled 1 2 3 4 6 6"], "the game is over"),
        (['join "A"'], "two players"),
        (['join " "'], "needs a name"),
        ([BUST, BUST, 'join "C"'], "first round only"),
        (['join "a\\nb"'], "can be shown"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused_in_words(lines, reason):
    game = new_game(("A", "B"))
    for line in lines[:-1]:
        game = step(game, parse_record(line))
    with pytest.raises(RuleError, match=reason):
        step(game, parse_record(lines[-1]))


@pytest.mark.parametrize(
    ("players", "target", "reason"),
    [
        ((), 10, "not 0"),
        (tuple("ABCDEFGHI"), 10, "not 9"),
        (("A", "A"), 10, "two players"),
        (("",), 10, "needs a name"),
        (("\ud800",), 10, "can be shown"),
        (("A",), 0, "above 0"),
    ],
)
def test_players_and_targets_that_make_no_game_are_refused(players, target, reason):
    with pytest.raises(RuleError, match=reason):
        new_game(players, target)


def test_a_comer_plays_after_the_others_in_the_first_round():
    game = play("AB", 1000, "1")
    game = step(game, Joined("C"))
    for turn in ("1", "1"):
        for line in bank(turn):
            game = step(game, parse_record(line))
    assert (game.players, game.totals, game.to_play) == (("A", "B", "C"), (2, 2, 2), 0)


def test_a_leaver_is_passed_over_and_keeps_the_total_but_loses_the_turn():
    game = play("ABC", 1000, "1")
    game = step(step(game, Rolled((1, 1, 1, 2, 3, 4))), Kept((1, 1, 1), "roll"))
    game = step(game, Left())
    assert (game.totals, game.to_play) == ((2, 0, 0), 2)
    for _ in range(2):
        game = step(game, parse_record(BUST))
    assert game.to_play == 2


def test_a_game_nobody_is_left_in_is_over_without_a_winner():
    game = step(step(new_game(("A", "B")), Left()), Left())
    assert (game.phase, game.winners) == ("over", ())


def test_a_game_ended_early_goes_to_the_highest_total_or_is_shared():
    assert step(play("ABC", 1000, "1", "11"), Ended()).winners == (1,)
    assert step(play("ABC", 1000, "1", "1"), Ended()).winners == (0, 1)


def played(seed, players=3, quirks=0.0):
    """[(record, game after it)] of a random game."""
    moment, course = None, []
    for record in random_records(seed, players, quirks=quirks):
        moment = follow(moment, record)
        course.append((record, moment.game))
    return course


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds, st.integers(1, 8))
def test_totals_never_fall_and_only_a_bank_changes_one_by_what_the_turn_shows(seed, players):
    for (_, before), (record, after) in pairwise(played(seed, players)):
        changed = {i for i in range(players) if after.totals[i] != before.totals[i]}
        assert all(now >= then for now, then in zip(after.totals, before.totals, strict=True))
        if isinstance(record, Kept) and record.then == "bank":
            (kept,) = (s for s in selections(before.turn.roll) if s.dice == record.faces)
            gained = before.turn.halves + turn_halves(kept, before.turn.roll_number, before.turn.clears)
            assert changed == {before.to_play}
            assert after.totals[before.to_play] - before.totals[before.to_play] == gained
        else:
            assert not changed


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds, st.integers(1, 8))
def test_the_order_of_play_goes_round_until_the_final_round_and_then_never_wraps(seed, players):
    course = played(seed, players)
    who = [
        (game.phase, game.to_play)
        for (_, before), (_, game) in pairwise(course)
        if game.turns_ended != before.turns_ended and game.to_play is not None
    ]
    main = [0] + [i for phase, i in who if phase == "main"]
    assert main == [k % players for k in range(len(main))]
    final = [i for phase, i in who if phase == "final"]
    assert final == list(range(main[-1] + 1, players))[: len(final)]
    end = course[-1][1]
    assert end.phase == "over"
    assert len(end.winners) == 1
    assert end.totals[end.winners[0]] == max(end.totals)
    assert sum(total == max(end.totals) for total in end.totals) == 1


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seeds, st.integers(1, 8))
def test_a_turn_starts_with_six_dice_at_times_one_and_a_roll_of_no_dice_never_waits(seed, players):
    for (_, before), (record, after) in pairwise(played(seed, players, quirks=0.1)):
        turn = after.turn
        assert 1 <= turn.dice <= 6
        assert not turn.roll or (len(turn.roll) == turn.dice and not is_bust(turn.roll))
        if after.to_play is None:
            assert (turn.halves, turn.roll_number, turn.dice, turn.clears) == (0, 0, 6, 0)
        elif after.turns_ended > before.turns_ended:
            assert (turn.halves, turn.roll_number, turn.dice, turn.clears) == (0, 1, 6, 0)
        elif isinstance(record, Kept):
            assert turn.roll_number == before.turn.roll_number + 1


@settings(derandomize=True, deadline=None, max_examples=40)
@given(seeds, st.integers(1, 8))
def test_every_state_of_a_game_survives_its_line(seed, players):
    for _, game in played(seed, players, quirks=0.1):
        assert parse_game(format_game(game)) == game


@settings(derandomize=True, deadline=None, max_examples=40)
@given(seeds, st.integers(1, 8))
def test_the_rows_of_a_game_add_up_to_its_totals_and_end_with_its_winner(seed, players):
    before, rows = None, []
    for record, game in played(seed, players):
        rows += happenings(before, record, game)
        before = game
    banked = dict.fromkeys(before.players, 0)
    for row in rows:
        if row["event"] == "bank":
            banked[row["player"]] += row["points"]
            assert row["total"] == banked[row["player"]]
    assert rows[-1] == {
        "event": "game_over", "winner": before.players[before.winners[0]],
        "winners": [before.players[i] for i in before.winners], "totals": banked,
    }  # fmt: skip
    assert sum(row["event"] == "turn" for row in rows) == before.turns_ended
