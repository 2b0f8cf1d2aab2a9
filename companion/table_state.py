"""What stands on the table at one moment: the wishes of the players, the game with its past, and the scene shown.

A scene says what the table waits for. Everything else (the totals, the roll, whose turn it is) is in the game.
"""

from dataclasses import dataclass, replace
from typing import Literal

from companion.game import DEFAULT_TARGET_HALVES, MOST_PLAYERS, Game
from companion.rules import Faces, selection_of, selections, turn_halves
from companion.timeline import Moment, Record, follow

Wish = Literal["power_off"]
NOTE_S = 4.0
BANKED_S = 6.0
SAVER_S = 180.0
LEAST_BRIGHTNESS = 1


@dataclass(frozen=True, slots=True)
class Settings:
    """What the players chose; `seats` are the eight names that players are taken from, in order."""

    players: tuple[str, ...]
    target_halves: int = DEFAULT_TARGET_HALVES
    language: str = "en"
    brightness: int = 200
    seats: tuple[str, ...] = ()

    def seat(self, index: int) -> str:
        """The name of the player on a seat, 0 the first."""
        names = self.players + tuple(name for name in self.seats if name not in self.players)
        unnamed = (f"Player {k}" for k in range(len(names) + 1, len(names) + 2 * MOST_PLAYERS + 1))
        return (*names, *(name for name in unnamed if name not in names))[index]


@dataclass(frozen=True, slots=True)
class Note:
    """Something told for a few seconds: a key of the words and what is filled in (points as half-points)."""

    key: str
    name: str = ""
    halves: int = 0
    until_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Start:
    """A game before its first roll."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The player at turn is asked to roll."""


@dataclass(frozen=True, slots=True)
class Rolling:
    """The dice tumble; `over` is the scene to return to when it was only a hand."""

    over: "WaitingScene"


@dataclass(frozen=True, slots=True)
class WrongCount:
    """The dice rest, but they are not as many as must be rolled."""

    faces: Faces


@dataclass(frozen=True, slots=True)
class Unsure:
    """The dice rest, but the reading does not stand behind them: the best guess, and why in plain words."""

    faces: Faces
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cleared:
    """The selection just kept used every die: all six are rolled again."""

    bonus_halves: int


@dataclass(frozen=True, slots=True)
class Banked:
    """A player has just banked, and the next is asked to roll."""

    player: int
    halves: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A roll waits for BANK or ROLL: the selection chosen, and the dice that lie outside the tray.

    While the lifted dice are no selection, `chosen` is the last one that was; so it is once the tray was `emptied`.
    """

    chosen: Faces
    lifted: Faces = ()
    emptied: bool = False


@dataclass(frozen=True, slots=True)
class Nudge:
    """A resting die shows another face than before: the roll as it would be now, and the decision interrupted."""

    roll: Faces
    decision: Decision


@dataclass(frozen=True, slots=True)
class Bust:
    """A roll without any group, and what it cost."""

    player: int
    faces: Faces
    lost_halves: int


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over."""


@dataclass(frozen=True, slots=True)
class Off:
    """The table goes to sleep."""


WaitingScene = Start | Prompt | Rolling | WrongCount | Unsure | Cleared | Banked
PlayScene = WaitingScene | Decision | Nudge | Bust | Over | Off
WAITING = (Start, Prompt, Rolling, WrongCount, Unsure, Cleared, Banked)


@dataclass(frozen=True, slots=True)
class Menu:
    """A page of the menu with one item marked, over the scene it came from; `subject` is what a question is about."""

    page: str
    cursor: int
    under: PlayScene
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Correct:
    """The faces of a roll being set by hand, 0 for one not set; the cursor behind the last die asks whether done."""

    faces: Faces
    cursor: int
    under: PlayScene


Scene = PlayScene | Menu | Correct


@dataclass(frozen=True, slots=True)
class Table:
    """The whole state at the table; `wish` is what the last step asks of the machine, `now_s` the last
    tick, None before the first.
    """

    settings: Settings
    moment: Moment
    scene: Scene
    note: Note | None = None
    camera_lost: str = ""
    storage_trouble: str = ""
    stuck: frozenset[str] = frozenset()
    now_s: float | None = None
    active_s: float = 0.0
    wish: Wish | None = None

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.moment.game

    @property
    def expects(self) -> int | None:
        """How many dice are waited for; None when no roll is."""
        under = self.scene.under if isinstance(self.scene, Menu | Correct) else self.scene
        return self.game.turn.dice if isinstance(under, WAITING) else None

    @property
    def asks(self) -> bool:
        """Whether a press is waited for right now."""
        return isinstance(self.scene, Unsure | Decision | Nudge | Bust | Over | Menu | Correct)

    @property
    def acceptable(self) -> bool:
        """Whether unsure dice are as many as must be rolled, so that a person may take them as they are shown."""
        return isinstance(self.scene, Unsure) and len(self.scene.faces) == self.game.turn.dice

    @property
    def selection(self) -> Faces:
        """The dice that BANK or ROLL would keep; none while there is no selection."""
        if not isinstance(self.scene, Decision) or self.split:
            return ()
        return self.scene.chosen

    @property
    def split(self) -> bool:
        """Whether the lifted dice are no selection."""
        lifted = self.scene.lifted if isinstance(self.scene, Decision) else ()
        return bool(lifted) and not is_selection(self.game.turn.roll, lifted)

    @property
    def asleep(self) -> bool:
        """Whether nothing has happened for so long that the display should rest."""
        return self.now_s is not None and self.now_s - self.active_s >= SAVER_S

    @property
    def brightness(self) -> int:
        """How bright the display should be now, 1 to 255."""
        return LEAST_BRIGHTNESS if self.asleep else self.settings.brightness

    def with_scene(self, scene: Scene) -> "Table":
        """The table showing another scene."""
        return replace(self, scene=scene)

    def with_note(self, key: str, name: str = "", halves: int = 0) -> "Table":
        """The table telling something for a few seconds."""
        return replace(self, note=Note(key, name, halves, (self.now_s or 0.0) + NOTE_S))

    def following(self, *records: Record) -> "Table":
        """The table after records; RuleError when the rules do not allow one."""
        moment = self.moment
        for record in records:
            moment = follow(moment, record)
        return replace(self, moment=moment)


Step = tuple[Table, tuple[Record, ...]]


def is_selection(roll: Faces, dice: Faces) -> bool:
    """Whether these dice of a roll are a set of whole groups."""
    return tuple(sorted(dice)) in [selection.dice for selection in selections(roll)]


def default_selection(roll: Faces) -> Faces:
    """Everything that scores."""
    return selections(roll)[0].dice


def projected_halves(game: Game, selection: Faces) -> int:
    """What BANK would add to the player's total with this selection of the roll at hand."""
    turn = game.turn
    return turn.halves + turn_halves(selection_of(turn.roll, selection), turn.roll_number, turn.clears)
