"""What the dice and a press mean while a game is played: one small function for each thing that can happen."""

from collections import Counter
from dataclasses import replace

from companion.game import Ended, Event, Game, Joined, Kept, Left, Rolled
from companion.rules import Faces, bonus_halves, is_bust, selections
from companion.table_inputs import DiceRest, DiceUnsure, Nudged, SetAside, TrayEmptied
from companion.table_state import (
    WAITING,
    Banked,
    Bust,
    Cleared,
    Correct,
    Decision,
    Nudge,
    Over,
    PlayScene,
    Prompt,
    Start,
    Step,
    Table,
    Unsure,
    WrongCount,
    default_selection,
    is_selection,
    projected_halves,
)
from companion.timeline import Moment, Record, Undone


def scene_of(moment: Moment) -> PlayScene:
    """The scene that shows a moment of a game to somebody who comes to the table."""
    game, event = moment.game, moment.event
    if isinstance(event, Rolled) and is_bust(event.faces):
        assert moment.before is not None
        return _bust(moment.before.game, event.faces)
    if game.to_play is None:
        return Over()
    if game.turn.roll:
        return Decision(default_selection(game.turn.roll))
    return Start() if event is None else Prompt()


def onward(table: Table) -> Table:
    """The table asking the player at turn to roll, or showing the end of the game."""
    if table.game.to_play is None:
        return table.with_scene(Over())
    return table.with_scene(Start() if table.moment.event is None else Prompt())


def dice_rest(table: Table, seen: DiceRest) -> Step:
    """A sure roll is taken when one is waited for and the number of dice is right."""
    if len(seen.faces) != table.game.turn.dice:
        return table.with_scene(WrongCount(tuple(sorted(seen.faces)))), ()
    return take_roll(table, Rolled(tuple(sorted(seen.faces)), seen.confidence))


def dice_unsure(table: Table, seen: DiceUnsure) -> Step:
    """An unsure roll is shown with its reasons; nothing is taken."""
    return table.with_scene(Unsure(tuple(sorted(seen.faces)), seen.reasons)), ()


def take_roll(table: Table, rolled: Rolled) -> Step:
    """The roll becomes part of the game and asks for a decision, or shows the bust."""
    rolled_on = table.following(rolled)
    return rolled_on.with_scene(scene_of(rolled_on.moment)), (rolled,)


def lifted(roll: Faces, decision: Decision, seen: SetAside | TrayEmptied) -> Decision:
    """The lifted dice become the selection; with none lifted it is everything that scores again."""
    if isinstance(seen, TrayEmptied):
        return replace(decision, lifted=(), emptied=True)
    dice = tuple(sorted(seen.taken))
    if Counter(dice) - Counter(roll):
        return decision
    if not dice:
        return Decision(default_selection(roll))
    return Decision(dice, dice) if is_selection(roll, dice) else Decision(decision.chosen, dice)


def put_back(table: Table, decision: Decision, seen: DiceRest) -> Step:
    """Dice of the roll that lie in the tray again after all were out; any other dice must wait for a press."""
    if not decision.emptied or Counter(seen.faces) - Counter(table.game.turn.roll):
        return table.with_note("press_first"), ()
    return _lie_again(table, decision, seen.faces), ()


def _lie_again(table: Table, decision: Decision, there: Faces) -> Table:
    """The table when these dice of the roll lie in the tray; the others are out."""
    roll = table.game.turn.roll
    out = (Counter(roll) - Counter(there)).elements()
    return table.with_scene(lifted(roll, decision, SetAside(there, tuple(out))))


def next_selection(table: Table, decision: Decision) -> Table:
    """The next of the roll's selections, most points first."""
    choices = [selection.dice for selection in selections(table.game.turn.roll)]
    at = choices.index(decision.chosen)
    return table.with_scene(Decision(choices[(at + 1) % len(choices)]))


def nudged(table: Table, asking: Decision | Nudge, seen: Nudged) -> Table:
    """Asks whether the new face counts, unless the faces are no longer those of the roll or more dice came back.

    When a question is on the table already, it is about all that turned; a die that was turned back ends it.
    """
    of_game = table.game.turn.roll
    shown, decision = (asking.roll, asking.decision) if isinstance(asking, Nudge) else (of_game, asking)
    before, now = Counter(seen.before), Counter(seen.now)
    as_many = len(seen.before) == len(seen.now)
    if before - Counter(shown) or (not as_many and now - Counter(of_game)):
        return table.with_note("dice_changed")
    if not as_many:
        return _lie_again(table, decision, seen.now)
    roll = tuple(sorted((Counter(shown) - before + now).elements()))
    return table.with_scene(decision if roll == of_game else Nudge(roll, decision))


def keep(table: Table, button: str) -> Step:
    """BANK or ROLL with the selection shown; while a group is split it only says so."""
    if table.split:
        return table.with_note("split_first"), ()
    game, selection = table.game, table.selection
    assert game.to_play is not None
    gained = projected_halves(game, selection)
    if button == "bank":
        kept = Kept(selection, "bank")
        banked = table.following(kept)
        if banked.game.to_play is None:
            return banked.with_scene(Over()), (kept,)
        return banked.with_scene(Banked(game.to_play, gained)), (kept,)
    kept = Kept(selection, "roll")
    cleared = len(selection) == len(game.turn.roll)
    scene = Cleared(bonus_halves(game.turn.clears)) if cleared else Prompt()
    return table.following(kept).with_scene(scene), (kept,)


def correcting(table: Table, under: PlayScene) -> Correct | None:
    """The page that sets by hand what the dice show; None where there is no roll to set."""
    match under:
        case Bust(_, faces):
            return Correct(faces, 0, under)
        case Decision() | Nudge():
            return Correct(table.game.turn.roll, 0, under)
        case Unsure(faces) | WrongCount(faces):
            dice = table.game.turn.dice
            return Correct((*faces, *(0,) * dice)[:dice], 0, under)
        case _ if isinstance(under, WAITING):
            return Correct((0,) * table.game.turn.dice, 0, under)
        case _:
            return None


def set_by_hand(table: Table, faces: Faces, under: PlayScene) -> Step:
    """The roll a person says it is: instead of the last one, or as the one waited for."""
    rolled = Rolled(tuple(sorted(faces)), corrected=True)
    if isinstance(under, WAITING):
        return take_roll(table, rolled)
    moment, joined = table.moment, list[Record]()
    while isinstance(moment.event, Joined):
        joined.insert(0, moment.event)
        moment = moment.undone()
    records: tuple[Record, ...] = ((Undone(),) * (len(joined) + 1)) + tuple(joined) + (rolled,)
    corrected = table.following(*records)
    scene = scene_of(corrected.moment)
    decision = under.decision if isinstance(under, Nudge) else under
    if isinstance(scene, Decision) and isinstance(decision, Decision):
        scene = lifted(corrected.game.turn.roll, scene, SetAside((), decision.lifted))
    return corrected.with_scene(scene).with_note("corrected"), records


def undo(table: Table) -> Step:
    """Takes back the last thing a person did, together with the roll that followed it, and tells what it was.

    A bust is a thing of its own: once its screen was left, undo first shows it again.
    """
    shown = scene_of(table.moment)
    if isinstance(shown, Bust) and not isinstance(table.scene, Bust):
        return table.with_scene(shown), ()
    moment, records = table.moment, list[Record]()
    while moment.before is not None:
        event, moment = moment.event, moment.before
        records.append(Undone())
        if not (isinstance(event, Rolled) and not is_bust(event.faces) and isinstance(moment.event, Kept)):
            break
    if not records:
        return table.with_note("nothing_to_undo"), ()
    assert event is not None
    back = table.following(*records)
    scene = scene_of(back.moment)
    if isinstance(event, Joined):
        back = replace(back, settings=replace(back.settings, players=back.game.players))
        scene = table.scene if isinstance(table.scene, Decision) else scene
    elif isinstance(event, Kept) and isinstance(scene, Decision):
        scene = Decision(tuple(sorted(event.faces)))
    key, name, halves = _undone(moment.game, event)
    return back.with_scene(scene).with_note(key, name, halves), tuple(records)


def _undone(game: Game, event: Event) -> tuple[str, str, int]:
    """What was undone: the key of its words, whose it was, and the half-points concerned."""
    player = "" if game.to_play is None else game.players[game.to_play]
    match event:
        case Kept(faces, "bank"):
            return "undone_bank", player, projected_halves(game, faces)
        case Kept():
            return "undone_roll_again", player, 0
        case Rolled(faces):
            return ("undone_bust" if is_bust(faces) else "undone_roll"), player, game.turn.halves
        case Joined(name):
            return "undone_join", name, 0
        case Left():
            return "undone_leave", player, 0
        case Ended():
            return "undone_end", player, 0


def _bust(before: Game, faces: Faces) -> Bust:
    assert before.to_play is not None
    return Bust(before.to_play, tuple(sorted(faces)), before.turn.halves)
