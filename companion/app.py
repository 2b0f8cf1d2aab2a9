"""THE loop: something happens, the table takes a step, the log has it on disk, the display shows it."""

import logging
from collections.abc import Callable
from typing import Protocol

from companion import screens, table
from companion.happenings import Row, happenings
from companion.inputs import Inputs, Over
from companion.rules import RuleError
from companion.table import DiceUnsure, Input, Table
from companion.timeline import Record, follow
from hardware.ports import Display

logger = logging.getLogger("mishimash")


class Book(Protocol):
    """Where records are written down; companion.log.Log is the one that ships."""

    def append(self, record: Record) -> None:
        """The record is on disk when this returns."""


def play(at: Table, inputs: Inputs, book: Book, display: Display, tell: Callable[[Row], None]) -> Table:
    """Plays until the inputs are over or the table wishes for the end; the table as it then stands.

    `tell` gets each thing that happens as a row of `--events`.
    """
    while True:
        display.show(screens.picture(at, display.size_px, inputs.now_s))
        try:
            happened = inputs.next(at)
        except Over:
            return at
        for one in happened:
            at = take_step(at, one, book, tell)
            if at.wish:
                return at


def take_step(at: Table, happened: Input, book: Book, tell: Callable[[Row], None]) -> Table:
    """The table after one input; its records are written down and told."""
    try:
        after, records = table.step(at, happened)
    except RuleError as error:
        logger.warning("%s is not possible now: %s", happened, error)
        return at
    moment = at.moment
    for record in records:
        book.append(record)
        following = follow(moment, record)
        for row in happenings(moment.game, record, following.game):
            tell(row)
        moment = following
    if isinstance(happened, DiceUnsure):
        tell({"event": "misread", "values": list(happened.faces), "reasons": list(happened.reasons)})
    return after
