"""THE loop: something happens, the table takes a step, the log has it on disk, the display shows it."""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from companion import screens, table
from companion.happenings import Row, happenings
from companion.inputs import Inputs, Over
from companion.rules import RuleError
from companion.settings import written
from companion.table import DiceRest, DisplayBack, Input, LogAnew, StorageBack, StorageTrouble, Table
from companion.table_state import Unsure, WrongCount
from companion.timeline import Moment, Record
from hardware.ports import Display

logger = logging.getLogger("mishimash")

Tell = Callable[[Row], None]
"""Gets each thing that happens as a row of `--events`."""


class Book(Protocol):
    """Where records are written down; companion.log.Log is the one that ships."""

    trouble: str | None
    notice: str | None

    def append(self, record: Record, colours: Sequence[str] = ()) -> Moment:
        """The moment after the record, which is on disk when this returns, or `trouble` says why not.

        `colours` are those of a roll's dice in the order of its faces.
        """

    def choose(self, name: str, value: str) -> None:
        """Remembers a choice of the menu."""

    def flush(self) -> bool:
        """Tries to write what could not be written before; whether all is on disk now."""


def play(at: Table, inputs: Inputs, book: Book, display: Display, tell: Tell) -> Table:
    """Plays until the inputs are over or the table wishes for the end; the table as it then stands."""
    was_dark, noticed = False, book.notice
    while True:
        display.show(screens.picture(at, display.size_px, inputs.now_s), at.brightness)
        try:
            happened = inputs.next(at)
        except Over:
            return at
        for one in happened:
            at = take_step(at, one, book, tell)
            if at.wish:
                return at
        at = _with_trouble(at, book)
        if book.notice != noticed:
            at, _ = table.step(at, LogAnew())
            noticed = book.notice
        is_dark = bool(display.trouble)
        if was_dark and not is_dark:
            at, _ = table.step(at, DisplayBack())
        was_dark = is_dark


def take_step(at: Table, happened: Input, book: Book, tell: Tell) -> Table:
    """The table after one input, its records written down and told."""
    try:
        after, records = table.step(at, happened)
    except RuleError as error:
        logger.warning("%s is not possible now: %s", happened, error)
        return at
    before = at.game
    colours = happened.colours if isinstance(happened, DiceRest) else ()
    for record in records:
        game = book.append(record, colours).game
        for row in happenings(before, record, game):
            tell(row)
        before = game
    scene = after.scene
    if isinstance(scene, Unsure | WrongCount) and scene is not at.scene:
        count = f"{len(scene.faces)} of {after.expects} dice"
        reasons = list(scene.reasons) if isinstance(scene, Unsure) else [count]
        tell({"event": "misread", "values": list(scene.faces), "reasons": reasons})
    _remember_choices(at, after, book)
    return after


def _remember_choices(at: Table, after: Table, book: Book) -> None:
    before, now = written(at.settings), written(after.settings)
    for name in now:
        if now[name] != before[name]:
            book.choose(name, now[name])


def _with_trouble(at: Table, book: Book) -> Table:
    """The table knowing whether the log can be written; it tries again each time something happens."""
    trouble = None if book.flush() else book.trouble
    if (trouble or "") == at.storage_trouble:
        return at
    told = StorageTrouble(trouble) if trouble else StorageBack()
    return table.step(at, told)[0]
