"""The rules of one roll, against points worked out another way and against every row of the tables in the rules."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest

from companion.rules import (
    RuleError,
    bonus_halves,
    groups,
    is_bust,
    roll_of,
    selection_of,
    selections,
    turn_halves,
)

ALL_ROLLS = [roll for n in range(1, 7) for roll in combinations_with_replacement(range(1, 7), n)]


def faces(text):
    return tuple(map(int, text.replace(" ", "")))


def points_of_all_dice(kept, whole_roll):
    """Points of dice that must all score within a roll, None when some do not; from the wording of the rules."""
    if len(whole_roll) == 6 and (set(whole_roll) == set(range(1, 7)) or set(Counter(whole_roll).values()) == {2}):
        special = 15 if len(set(whole_roll)) == 6 else 10
        return Fraction(special) if kept == whole_roll else None
    worth = Fraction(0)
    for face, number in Counter(kept).items():
        rolled = whole_roll.count(face)
        if rolled >= 3:
            if number != rolled:
                return None
            worth += (10 if face == 1 else face) * (1, 2, 3, 4)[rolled - 3]
        elif face == 1:
            worth += number
        elif face == 5:
            worth += Fraction(number, 2)
        else:
            return None
    return worth


def selections_by_brute_force(roll):
    """{dice: points} over every subset of the dice of a roll."""
    found = {}
    for size in range(1, len(roll) + 1):
        for kept in set(combinations(roll, size)):
            worth = points_of_all_dice(kept, roll)
            if worth is not None:
                found[kept] = worth
    return found


def test_there_are_923_distinguishable_rolls():
    assert len(ALL_ROLLS) == 923


def test_selections_of_all_923_rolls_are_those_of_a_brute_force_over_subsets_of_dice():
    for roll in ALL_ROLLS:
        expected = selections_by_brute_force(roll)
        got = selections(roll)
        assert {s.dice: Fraction(s.halves, 2) for s in got} == expected, roll
        assert len(got) == len(expected), roll
        assert all(s.clears == (s.dice == roll) for s in got), roll


def test_groups_of_all_923_rolls_use_each_die_once_and_name_what_they_are():
    sizes = {"single": 1, "triple": 3, "four": 4, "five": 5, "six": 6, "straight": 6, "three_pairs": 6}
    for roll in ALL_ROLLS:
        found = groups(roll)
        used = Counter(face for group in found for face in group.dice)
        assert used <= Counter(roll)
        assert is_bust(roll) == (not found)
        for group in found:
            assert len(group.dice) == sizes[group.name]
            assert (group.face is None) == (group.name in ("straight", "three_pairs"))
            assert group.face is None or set(group.dice) == {group.face}


def test_selections_are_ordered_by_turn_points_then_fewer_dice_at_every_multiplier():
    for roll in ALL_ROLLS:
        for roll_number, clears in ((1, 0), (2, 0), (3, 1), (9, 4)):
            order = [(-turn_halves(s, roll_number, clears), len(s.dice)) for s in selections(roll)]
            assert order == sorted(order)


@pytest.mark.parametrize(
    ("dice", "busts", "rolls"),
    [(6, 1080, 46656), (5, 600, 7776), (4, 204, 1296), (3, 60, 216), (2, 16, 36), (1, 4, 6)],
)
def test_as_many_rolls_bust_as_the_rules_say(dice, busts, rolls):
    every = list(product(range(1, 7), repeat=dice))
    assert (sum(map(is_bust, every)), len(every)) == (busts, rolls)


def test_3636_rolls_of_six_dice_can_be_cleared_at_once():
    assert sum(any(s.clears for s in selections(roll)) for roll in product(range(1, 7), repeat=6)) == 3636


@pytest.mark.parametrize(
    ("dice", "name", "points"),
    [
        ("1", "single", 1),
        ("5", "single", 0.5),
        ("111", "triple", 10),
        ("222", "triple", 2),
        ("333", "triple", 3),
        ("444", "triple", 4),
        ("555", "triple", 5),
        ("666", "triple", 6),
        ("1111", "four", 20),
        ("11111", "five", 30),
        ("111111", "six", 40),
        ("2222", "four", 4),
        ("22222", "five", 6),
        ("222222", "six", 8),
        ("555555", "six", 20),
        ("666666", "six", 24),
        ("123456", "straight", 15),
        ("113355", "three_pairs", 10),
        ("224466", "three_pairs", 10),
    ],
)
def test_a_group_is_worth_what_the_table_of_groups_says(dice, name, points):
    (group,) = groups(faces(dice))
    assert (group.name, group.halves / 2) == (name, points)


@pytest.mark.parametrize(
    ("roll", "named", "kept"),
    [
        ("115234", ["single", "single", "single"], ["1", "11", "5", "15", "115"]),
        ("111522", ["triple", "single"], ["111", "5", "1115"]),
        ("222233", ["four"], ["2222"]),
        ("222333", ["triple", "triple"], ["222", "333", "222333"]),
        ("115533", ["three_pairs"], ["113355"]),
        ("123456", ["straight"], ["123456"]),
        ("111155", ["four", "single", "single"], ["1111", "5", "55", "11115", "111155"]),
        ("223466", [], []),
    ],
)
def test_a_roll_has_the_groups_and_selections_of_the_table_of_rolls(roll, named, kept):
    assert sorted(group.name for group in groups(faces(roll))) == sorted(named)
    assert {s.dice for s in selections(faces(roll))} == set(map(faces, kept))


@pytest.mark.parametrize(
    ("roll", "kept", "reason"),
    [
        ("111522", "1", "splits a group"),
        ("111522", "1122", "face 2 scores nothing"),
        ("222233", "222", "splits a group"),
        ("123456", "1", "splits a group"),
        ("115533", "5", "splits a group"),
        ("115234", "111", "has 2 of face 1, not 3"),
        ("115234", "6", "has 0 of face 6, not 1"),
        ("115234", "", "at least one group"),
        ("223466", "2", "face 2 scores nothing"),
    ],
)
def test_a_refused_selection_says_why(roll, kept, reason):
    with pytest.raises(RuleError, match=reason):
        selection_of(faces(roll), faces(kept))


@pytest.mark.parametrize(
    ("roll", "reason"),
    [((), "not 0"), ((1,) * 7, "not 7"), ((1, 7), "not 7"), ((0, 1), "not 0"), ((-1,), "not -1")],
)
def test_what_is_no_roll_is_refused(roll, reason):
    with pytest.raises(RuleError, match=reason):
        roll_of(roll)


def test_bonuses_of_a_turn_grow_by_ten_points_without_a_limit():
    assert [bonus_halves(n) / 2 for n in range(5)] == [10, 20, 30, 40, 50]


def test_the_bonus_is_not_multiplied():
    straight = selection_of(faces("123456"), faces("123456"))
    assert turn_halves(straight, roll_number=3, clears_before=1) / 2 == 15 * 3 + 20
