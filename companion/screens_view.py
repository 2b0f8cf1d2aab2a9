"""A screen as data: what is written where, before anything is laid out for a size of display.

A player's name inside a text stands between two marks, so that the layout may shorten the name and nothing else.
"""

import re
from dataclasses import dataclass

from companion.words import Words

NAME_BEGINS, NAME_ENDS = "\x02", "\x03"
NAME = re.compile(f"{NAME_BEGINS}(.*?){NAME_ENDS}")
LONGEST_NAME, SHORTEST_NAME = 20, 3


@dataclass(frozen=True, slots=True)
class DieView:
    """A die as drawn: its face (0 blank), whether it is chosen, scores, is under the cursor, begins a group."""

    face: int
    chosen: bool = False
    grouped: bool = False
    cursor: bool = False
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a list: a text, a value at its right, and whether it is marked."""

    text: str
    value: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything one screen says. `left` and `right` name what the buttons below them do now.

    `big` is what matters from a metre away, `side` stands beside it, `lines` are sentences, `rows` a list (`in_columns`
    when all of it should be seen at once); `alert` takes the place of the head, `notice` that of the body.
    """

    head: str = ""
    head_right: str = ""
    dice: tuple[DieView, ...] = ()
    big: str = ""
    side: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    in_columns: bool = False
    left: str = ""
    right: str = ""
    hint: str = ""
    alert: str = ""
    notice: str = ""


def name(player: str, said: Words) -> str:
    """A player's name as it is called in a language, marked as one that may be shortened."""
    return f"{NAME_BEGINS}{said.called(player)}{NAME_ENDS}"


def cut(text: str, longest: int) -> str:
    """The text as people read it, its names no longer than so many letters."""
    return NAME.sub(lambda found: found[1][:longest].rstrip(), text)
