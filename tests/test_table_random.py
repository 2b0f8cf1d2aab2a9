"""Whatever happens at the table, in whatever order: it never fails, and the log always tells the same game."""

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules import Faces
from companion.screens import screen_of
from companion.table import (
    CameraBack,
    CameraLost,
    DiceRest,
    DiceUnsure,
    DisplayBack,
    Freed,
    Input,
    Nudged,
    Pressed,
    SetAside,
    Settings,
    StorageBack,
    StorageTrouble,
    Stuck,
    Table,
    Tick,
    TrayEmptied,
    Tumbling,
    Unchanged,
    new_table,
    started,
    step,
)
from companion.table_state import Correct, Menu
from companion.timeline import Record, replay
from companion.words import LANGUAGES

FACES = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple)
PRESSES = st.builds(Pressed, st.sampled_from(("bank", "roll", "both")), st.booleans())
TROUBLE = st.sampled_from(
    (CameraLost("x"), CameraBack(), DisplayBack(), StorageTrouble("x"), StorageBack(), Stuck("bank"), Freed("bank"))
)
# Dice as the table waits for them are made when the step comes: the number says which faces and which are lifted.
SENSIBLE = st.tuples(st.sampled_from(("roll", "lift", "nudge")), st.integers(0, 6**6 - 1))
ANYTHING = st.one_of(
    st.builds(DiceRest, FACES, st.floats(0.5, 1)),
    st.builds(DiceUnsure, FACES, st.just(("glare",))),
    st.builds(SetAside, FACES, FACES),
    st.builds(Nudged, FACES, FACES),
    st.sampled_from((Tumbling(), TrayEmptied(), Unchanged())),
    st.builds(Tick, st.floats(0, 2000)),
    TROUBLE,
)


def digits(number: int, count: int) -> Faces:
    return tuple(number // 6**i % 6 + 1 for i in range(count))


def sensible(table: Table, kind: str, number: int) -> Input:
    """A roll of as many dice as are waited for, or some dice of the roll lifted or turned."""
    roll = table.game.turn.roll
    if kind == "roll" or not roll:
        return DiceRest(digits(number, table.expects or 6))
    marked = [number >> i & 1 for i in range(len(roll))]
    left = tuple(face for face, mark in zip(roll, marked, strict=True) if not mark)
    taken = tuple(face for face, mark in zip(roll, marked, strict=True) if mark)
    return SetAside(left, taken) if kind == "lift" else Nudged(roll, (number % 6 + 1, *roll[1:]))


@settings(derandomize=True, max_examples=120, deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from((1, 40, 400)),
    st.sampled_from(LANGUAGES),
    st.lists(st.one_of(PRESSES, PRESSES, SENSIBLE, SENSIBLE, ANYTHING), max_size=80),
)
def test_nothing_that_happens_breaks_the_table(players: int, target: int, language: str, story: list[object]) -> None:
    choices = Settings(tuple(f"Player {k + 1}" for k in range(players)), target, language)
    table = new_table(choices)
    records: list[Record] = [started(choices)]
    for part in story:
        happened = sensible(table, *part) if isinstance(part, tuple) else part
        table, more = step(table, happened)  # type: ignore[arg-type]
        records += more
        screen_of(table)
        assert not (table.expects is not None and table.game.turn.roll)
        assert all(total >= 0 for total in table.game.totals)
        if table.selection:
            assert not table.split
    moment = replay(records)
    assert moment is not None
    assert moment.game == table.game
    assert moment.events() == table.moment.events()


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(SENSIBLE | st.sampled_from((Pressed("bank"), Pressed("roll"))), max_size=60))
def test_undo_held_long_enough_comes_back_to_the_first_roll(story: list[object]) -> None:
    table = new_table(Settings(("Ana", "Bo", "Cyd"), 10**6))
    for part in story:
        table, _ = step(table, sensible(table, *part) if isinstance(part, tuple) else part)  # type: ignore[arg-type]
    if isinstance(table.scene, Menu | Correct):
        table, _ = step(table, Pressed("both", held=True))
    # A bust takes two steps: its screen comes back first.
    for _ in range(2 * len(table.moment.events())):
        table, _ = step(table, Pressed("bank", held=True))
    assert table.moment.event is None
