"""A game with its past, and the records that make it: whatever replays the same records stands at the same moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from companion.game import Event, Game, new_game, step
from companion.rules import RuleError


@dataclass(frozen=True, slots=True)
class Started:
    """A new game began; what was played before it is another game."""

    players: tuple[str, ...]
    target_halves: int


@dataclass(frozen=True, slots=True)
class Undone:
    """The last event that still stood was taken back. History keeps both."""


Record = Started | Event | Undone


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Moment:
    """A game after `event` happened in the moment `before`; the first moment of a game has neither.

    Linked, so that a new moment costs the same however long the game is.
    """

    game: Game
    event: Event | None = None
    before: "Moment | None" = None

    def after(self, event: Event) -> "Moment":
        """The next moment; RuleError when the rules do not allow the event."""
        return Moment(step(self.game, event), event, self)

    def undone(self) -> "Moment":
        """The moment before the last event; RuleError at the start of the game."""
        if self.before is None:
            raise RuleError("there is nothing to undo")
        return self.before

    def events(self) -> tuple[Event, ...]:
        """All events that led here, oldest first, without those that were undone."""
        return tuple(moment.event for moment in reversed(list(self._back())) if moment.event is not None)

    def _back(self) -> Iterator["Moment"]:
        moment: Moment | None = self
        while moment is not None:
            yield moment
            moment = moment.before


def follow(moment: Moment | None, record: Record) -> Moment:
    """The moment after a record; RuleError when it cannot follow."""
    if isinstance(record, Started):
        return Moment(new_game(record.players, record.target_halves))
    if moment is None:
        raise RuleError("no game has been started")
    return moment.undone() if isinstance(record, Undone) else moment.after(record)


def replay(records: Iterable[Record]) -> Moment | None:
    """The moment that records lead to, None for no records; RuleError when one cannot follow."""
    moment: Moment | None = None
    for record in records:
        moment = follow(moment, record)
    return moment
