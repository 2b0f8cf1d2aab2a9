"""The course of a game: whose turn it is, what the turn holds, the final round and sudden death.

`step(game, event)` is the only way a game changes. It returns a new game or raises RuleError, and then nothing has
changed. Dice are never rolled here: the table is the chance player and tells the outcome as an event.
"""

from dataclasses import dataclass, replace
from typing import Literal

from companion.rules import DICE, Faces, RuleError, is_bust, roll_of, selection_of, turn_halves

Phase = Literal["main", "final", "sudden_death", "over"]
Then = Literal["roll", "bank"]

DEFAULT_TARGET_HALVES = 2000
MOST_PLAYERS = 8


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn: half-points held, the number of the roll at hand or coming, dice to roll, MISHIMASHes so far.

    `roll` holds the faces that wait for a decision, and is empty while the dice are in the player's hand.
    """

    halves: int = 0
    roll_number: int = 1
    dice: int = DICE
    clears: int = 0
    roll: Faces = ()


NEW_TURN = Turn()


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment. Players are named by their index; `to_play` is None and `winners` set once it is over.

    `coming` are those who still play after `to_play` in this final round or sudden-death batch, in order (empty in the
    main phase, which goes round without end); `batch` are those the sudden-death batch is between; `gone` have left.
    """

    players: tuple[str, ...]
    target_halves: int
    totals: tuple[int, ...]
    phase: Phase = "main"
    to_play: int | None = 0
    turn: Turn = NEW_TURN
    turns_ended: int = 0
    coming: tuple[int, ...] = ()
    batch: tuple[int, ...] = ()
    gone: frozenset[int] = frozenset()
    winners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rolled:
    """The dice came to rest; `confidence` is the reading's weakest, `corrected` when a person said what they show."""

    faces: Faces
    confidence: float = 1.0
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """The player kept these dice and then rolls the others or banks."""

    faces: Faces
    then: Then


@dataclass(frozen=True, slots=True)
class Joined:
    """A player came to the table; only in the first round."""

    name: str


@dataclass(frozen=True, slots=True)
class Left:
    """The player whose turn it is left the table; the turn's points are lost, the total stays."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The players ended the game early; the highest total wins, or is shared."""


Event = Rolled | Kept | Joined | Left | Ended


def new_game(players: tuple[str, ...], target_halves: int = DEFAULT_TARGET_HALVES) -> Game:
    """A game before its first roll; RuleError when players or target make no game."""
    if not 1 <= len(players) <= MOST_PLAYERS:
        raise RuleError(f"a game has 1 to {MOST_PLAYERS} players, not {len(players)}")
    if target_halves < 1:
        raise RuleError("the target must be above 0")
    for i, name in enumerate(players):
        _check_name(name, players[:i])
    return Game(players, target_halves, totals=(0,) * len(players))


def step(game: Game, event: Event) -> Game:
    """The game after an event; RuleError when the rules do not allow it now."""
    if game.to_play is None:
        raise RuleError("the game is over")
    match event:
        case Rolled():
            return _rolled(game, event)
        case Kept():
            return _kept(game, event)
        case Joined():
            return _joined(game, event)
        case Left():
            return _next_turn(replace(game, gone=game.gone | {game.to_play}), game.totals)
        case Ended():
            return _over(game, _leaders(game, _present(game)))


def _rolled(game: Game, event: Rolled) -> Game:
    turn = game.turn
    if turn.roll:
        raise RuleError("the roll before this one still waits for BANK or ROLL AGAIN")
    roll = roll_of(event.faces)
    if len(roll) != turn.dice:
        raise RuleError(f"{turn.dice} dice are to be rolled, not {len(roll)}")
    if is_bust(roll):
        return _next_turn(game, game.totals)
    return replace(game, turn=Turn(turn.halves, turn.roll_number, turn.dice, turn.clears, roll))


def _kept(game: Game, event: Kept) -> Game:
    turn = game.turn
    if not turn.roll:
        raise RuleError("there is no roll to keep dice from")
    selection = selection_of(turn.roll, event.faces)
    held = turn.halves + turn_halves(selection, turn.roll_number, turn.clears)
    if event.then == "bank":
        return _banked(game, held)
    return replace(
        game,
        turn=Turn(
            halves=held,
            roll_number=turn.roll_number + 1,
            dice=DICE if selection.clears else turn.dice - len(selection.dice),
            clears=turn.clears + selection.clears,
        ),
    )


def _banked(game: Game, held: int) -> Game:
    player = game.to_play
    assert player is not None
    totals = tuple(total + held * (i == player) for i, total in enumerate(game.totals))
    if game.phase == "main" and totals[player] >= game.target_halves:
        after = tuple(i for i in _present(game) if i > player)
        return _next_turn(replace(game, phase="final", coming=after), totals)
    return _next_turn(game, totals)


def _joined(game: Game, event: Joined) -> Game:
    if game.phase != "main" or game.turns_ended >= len(game.players):
        raise RuleError("a player can join in the first round only")
    if len(game.players) == MOST_PLAYERS:
        raise RuleError(f"a game has at most {MOST_PLAYERS} players")
    _check_name(event.name, game.players)
    return replace(game, players=(*game.players, event.name), totals=(*game.totals, 0))


def _next_turn(game: Game, totals: tuple[int, ...]) -> Game:
    """The game after the turn at hand ended with these totals; made in one piece, as resuming replays thousands."""
    goes_round = game.phase == "main"
    following = _present_after(game) if goes_round else game.coming
    game = replace(
        game,
        totals=totals,
        turn=NEW_TURN,
        turns_ended=game.turns_ended + 1,
        to_play=following[0] if following else None,
        coming=() if goes_round else following[1:],
    )
    if following:
        return game
    if goes_round:
        return _over(game, ())
    contenders = [i for i in game.batch if i not in game.gone] if game.phase == "sudden_death" else _present(game)
    return _settle(game, _leaders(game, contenders))


def _settle(game: Game, leaders: tuple[int, ...]) -> Game:
    """One leader wins; several play another sudden-death batch in playing order."""
    if len(leaders) <= 1:
        return _over(game, leaders)
    return replace(game, phase="sudden_death", batch=leaders, to_play=leaders[0], coming=leaders[1:])


def _over(game: Game, winners: tuple[int, ...]) -> Game:
    return replace(game, phase="over", to_play=None, turn=Turn(roll_number=0), coming=(), batch=(), winners=winners)


def _present(game: Game) -> list[int]:
    return [i for i in range(len(game.players)) if i not in game.gone]


def _present_after(game: Game) -> tuple[int, ...]:
    """Who plays after the player whose turn it is, once round the table and back to them."""
    assert game.to_play is not None
    after = game.to_play + 1
    order = (*range(after, len(game.players)), *range(after))
    return tuple(i for i in order if i not in game.gone)


def _leaders(game: Game, among: list[int]) -> tuple[int, ...]:
    best = max((game.totals[i] for i in among), default=0)
    return tuple(i for i in among if game.totals[i] == best)


def _check_name(name: str, others: tuple[str, ...]) -> None:
    if not name.strip():
        raise RuleError("a player needs a name")
    if not name.isprintable():
        raise RuleError(f"a name has letters that can be shown, not {name!r}")
    if name in others:
        raise RuleError(f"two players are called {name!r}; give one of them another name")
