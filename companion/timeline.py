"""A game with its past: every event that led here, so that any of them can be undone."""

from collections.abc import Iterator
from dataclasses import dataclass

from companion.game import Event, Game, step
from companion.rules import RuleError


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
        """All events that led here, oldest first."""
        return tuple(moment.event for moment in reversed(list(self._back())) if moment.event is not None)

    def _back(self) -> Iterator["Moment"]:
        moment: Moment | None = self
        while moment is not None:
            yield moment
            moment = moment.before
