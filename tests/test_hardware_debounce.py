"""Debounce, holds and both at once, on traces no worse and no better than real contacts make."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.debounce import DECIDE_S, HOLD_S, RELEASE_S, STUCK_S, Down, Gestures
from hardware.ports import Button, Press, Stuck

POLL_S = 0.010  # how often the program asks
Edge = tuple[Button, bool, float]
steady = settings(derandomize=True, max_examples=100, deadline=None)

ms = st.floats(0.05, 2.0).map(lambda value: value / 1000)


@st.composite
def presses(draw: st.DrawFn, button: Button, short: bool = True) -> tuple[list[Edge], list[tuple[float, float]]]:
    """A trace of bouncing presses, and when each really begins and ends."""
    at_s, trace, truth = 0.05, list[Edge](), list[tuple[float, float]]()
    for _ in range(draw(st.integers(1, 4))):
        at_s += draw(st.floats(0.04, 0.5))
        begin_s = at_s
        for part, budget_s in ((True, 0.007), (False, 0.015)):
            spent = 0.0
            trace.append((button, part, at_s))
            for width in draw(st.lists(ms, max_size=6)):
                gap = draw(ms)
                if spent + width + gap > budget_s:
                    break
                trace += [(button, not part, at_s + width), (button, part, at_s + width + gap)]
                at_s += width + gap
                spent += width + gap
            if part:
                at_s = begin_s + draw(st.floats(0.03, 0.5 if short else 3.0))
                # Worn contacts break for a moment in the middle of a press.
                if draw(st.booleans()) and at_s - begin_s > 0.03:
                    broken_s = begin_s + 0.012 + draw(st.floats(0, 0.1)) * (at_s - begin_s - 0.022)
                    trace += [(button, False, broken_s), (button, True, broken_s + draw(ms) * 2)]
        truth.append((begin_s, at_s))
        at_s += RELEASE_S
    return sorted(trace, key=lambda edge: edge[2]), truth


def run(trace: list[Edge], end_s: float) -> list[tuple[float, Down | Press]]:
    """What comes out, each with the time when the program learnt it: edges at once, the rest when it asks."""
    gestures, found, waiting = Gestures(), list[tuple[float, Down | Press]](), list(trace)
    for poll in range(int(end_s / POLL_S) + 1):
        now_s = poll * POLL_S
        while waiting and waiting[0][2] <= now_s:
            found += [(now_s, one) for one in gestures.edge(*waiting.pop(0))]
        found += [(now_s, one) for one in gestures.advance(now_s)]
    return found


@steady
@given(made=presses(Button.BANK))
def test_each_bouncing_press_is_accepted_once_and_in_time(
    made: tuple[list[Edge], list[tuple[float, float]]],
) -> None:
    trace, truth = made
    found = run(trace, truth[-1][1] + 1.0)
    downs = [(when, one) for when, one in found if isinstance(one, Down)]
    assert [one.edge_s for _, one in downs] == [begin for begin, _ in truth]
    assert all(when - one.edge_s <= DECIDE_S + POLL_S + 1e-9 for when, one in downs)
    assert [one for _, one in found if isinstance(one, Press)] == [
        Press(Button.BANK, False, begin) for begin, _ in truth
    ]


@steady
@given(made=presses(Button.ROLL, short=False))
def test_a_press_is_short_or_held_never_both(made: tuple[list[Edge], list[tuple[float, float]]]) -> None:
    trace, truth = made
    found = [one for _, one in run(trace, truth[-1][1] + 1.0) if isinstance(one, Press)]
    assert [one.at_s for one in found] == [begin for begin, _ in truth]
    for one, (begin_s, end_s) in zip(found, truth, strict=True):
        if abs(end_s - begin_s - HOLD_S) > RELEASE_S:
            assert one.held == (end_s - begin_s > HOLD_S)


@steady
@given(spikes=st.lists(st.tuples(st.floats(0.02, 0.3), st.floats(0.00001, 0.002)), max_size=20))
def test_lone_spikes_on_the_wire_are_no_presses(spikes: list[tuple[float, float]]) -> None:
    trace, at_s = list[Edge](), 0.0
    for gap_s, width_s in spikes:
        at_s += gap_s
        trace += [(Button.BANK, True, at_s), (Button.BANK, False, at_s + width_s)]
    assert run(trace, at_s + 1.0) == []


@steady
@given(flips=st.lists(st.tuples(st.sampled_from([Button.BANK, Button.ROLL]), ms), max_size=300))
def test_whatever_the_contacts_do_presses_stay_in_order_and_no_more_than_their_downs(
    flips: list[tuple[Button, float]],
) -> None:
    level, at_s, trace = {Button.BANK: False, Button.ROLL: False}, 0.0, list[Edge]()
    for button, gap_s in flips:
        at_s += gap_s * 5
        level[button] = not level[button]
        trace.append((button, level[button], at_s))
    found = run(trace, at_s + 2.0)
    downs = [one for _, one in found if isinstance(one, Down)]
    presses_ = [one for _, one in found if isinstance(one, Press)]
    assert len(presses_) <= len(downs)
    assert all(a <= b for (a, _), (b, _) in pairwise(found))
    for button in level:
        edges = [one.edge_s for one in downs if one.button is button]
        assert all(b - a >= RELEASE_S for a, b in pairwise(edges))


def test_a_stuck_button_is_one_hold_and_leaves_the_other_one_alone() -> None:
    trace = [(Button.BANK, True, 0.1), (Button.ROLL, True, 3.0), (Button.ROLL, False, 3.2), (Button.ROLL, True, 4.0)]
    found = [one for _, one in run(trace, 60.0) if isinstance(one, Press)]
    assert found == [Press(Button.BANK, True, 0.1), Press(Button.ROLL, False, 3.0), Press(Button.ROLL, True, 4.0)]


@pytest.mark.parametrize(
    ("roll_s", "release_s", "expected"),
    [
        (0.12, 1.2, [Press(Button.BOTH, True, 0.1)]),
        (0.50, 1.5, [Press(Button.BOTH, True, 0.1)]),
        (0.12, 0.4, [Press(Button.BOTH, False, 0.1)]),
        (0.80, 1.0, [Press(Button.BANK, True, 0.1), Press(Button.ROLL, False, 0.8)]),
    ],
)
def test_overlapping_buttons_are_both_unless_one_was_held_before(
    roll_s: float, release_s: float, expected: list[Press]
) -> None:
    trace = [
        (Button.BANK, True, 0.1),
        (Button.ROLL, True, roll_s),
        (Button.BANK, False, release_s),
        (Button.ROLL, False, release_s + 0.05),
    ]
    assert [one for _, one in run(trace, 3.0) if isinstance(one, Press)] == expected


def test_a_program_that_looked_away_for_seconds_still_tells_short_from_held() -> None:
    gestures = Gestures()
    gestures.edge(Button.BANK, True, 1.0)
    found = gestures.edge(Button.BANK, False, 1.3) + gestures.edge(Button.BANK, True, 2.0) + gestures.advance(9.0)
    assert [one for one in found if isinstance(one, Press)] == [
        Press(Button.BANK, False, 1.0),
        Press(Button.BANK, True, 2.0),
    ]


def test_a_button_that_is_down_for_long_is_told_as_stuck_once_and_as_freed_when_it_comes_up() -> None:
    edges = [(True, 0.1), (False, 30.0), (True, 40.0), (False, 41.0)]
    trace = [(Button.BANK, closed, at_s) for closed, at_s in edges]
    found = [(round(at_s, 2), one) for at_s, one in run(trace, 60.0) if isinstance(one, Stuck)]
    assert [one for _, one in found] == [Stuck(Button.BANK), Stuck(Button.BANK, freed=True)]
    assert found[0][0] <= 0.1 + STUCK_S + 0.05
