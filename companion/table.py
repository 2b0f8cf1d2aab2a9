"""What the two buttons and the camera mean in each situation at the table.

`step(table, input)` is the only way the table changes. It returns the new table and the records of what happened,
which belong in the log before anybody sees the new screen: replaying all records gives the same game.
"""

from dataclasses import replace
from math import inf

from companion.game import Rolled
from companion.menu import correct_pressed, menu_pressed, opened
from companion.table_inputs import (
    CameraBack,
    CameraLost,
    DiceRest,
    DiceUnsure,
    DisplayBack,
    Freed,
    Input,
    LogAnew,
    Nudged,
    Pressed,
    Seen,
    SetAside,
    StorageBack,
    StorageTrouble,
    Stuck,
    Tick,
    Told,
    TrayEmptied,
    Tumbling,
    Unchanged,
)
from companion.table_play import (
    correcting,
    dice_rest,
    dice_unsure,
    keep,
    lifted,
    next_selection,
    nudged,
    onward,
    put_back,
    scene_of,
    set_by_hand,
    take_roll,
    undo,
)
from companion.table_state import (
    BANKED_S,
    WAITING,
    Banked,
    Bust,
    Cleared,
    Correct,
    Decision,
    Menu,
    Note,
    Nudge,
    Off,
    Over,
    PlayScene,
    Prompt,
    Rolling,
    Settings,
    Start,
    Step,
    Table,
    Unsure,
    WaitingScene,
    Wish,
    WrongCount,
)
from companion.timeline import Moment, Started, follow

__all__ = [
    "CameraBack", "CameraLost", "DiceRest", "DiceUnsure", "DisplayBack", "Freed", "Input", "LogAnew", "Nudged",
    "Pressed", "SetAside", "Settings", "StorageBack", "StorageTrouble", "Stuck", "Table", "Tick", "TrayEmptied",
    "Tumbling", "Unchanged", "Wish", "new_table", "resumed", "started", "step",
]  # fmt: skip


def started(settings: Settings) -> Started:
    """The first record of a game with these settings."""
    return Started(settings.players, settings.target_halves)


def new_table(settings: Settings) -> Table:
    """A table before the first roll of a new game; `started(settings)` is its record, for the log."""
    return Table(settings, follow(None, started(settings)), Start())


def resumed(settings: Settings, moment: Moment) -> Table:
    """A table where a game goes on at a moment of it; `settings` are those of the next game."""
    return Table(settings, moment, scene_of(moment))


def step(table: Table, happened: Input) -> Step:
    """The table after something happened, and the records of it, which go to the log first."""
    table = replace(table, wish=None)
    if isinstance(happened, Tick):
        return _tick(table, happened.now_s), ()
    woken = table.asleep
    table = replace(table, active_s=table.now_s or 0.0)
    if isinstance(happened, Pressed):
        return (table, ()) if woken else _pressed(replace(table, note=None), happened)
    if isinstance(happened, Seen):
        return _seen(table, happened)
    return _told(table, happened), ()


def _tick(table: Table, now_s: float) -> Table:
    """A note goes when its time has come, a banked total gives way to the next player's prompt."""
    if table.now_s is None:
        # What was told before there was a time is told from now on.
        note = table.note and replace(table.note, until_s=now_s + table.note.until_s)
        return replace(table, now_s=now_s, active_s=now_s, note=note)
    table = replace(table, now_s=now_s)
    if table.note and now_s >= table.note.until_s:
        table = replace(table, note=None)
    if isinstance(table.scene, Banked | Cleared) and now_s - table.active_s >= BANKED_S:
        table = onward(table)
    return table


def _seen(table: Table, seen: Seen) -> Step:
    """What the camera saw. A sure roll that is waited for closes the menu and ends setting dice by hand."""
    scene = table.scene
    if isinstance(scene, Menu | Correct):
        looked, records = _seen(table.with_scene(scene.under), seen)
        still = looked.scene
        if records or isinstance(still, Menu | Correct):
            return looked, records
        return replace(looked, scene=replace(scene, under=still), note=table.note), ()
    match scene, seen:
        case (Decision(), SetAside() | TrayEmptied()):
            return replace(table.with_scene(lifted(table.game.turn.roll, scene, seen)), note=None), ()
        case (Decision() | Nudge(), Nudged()):
            return nudged(table, scene, seen), ()
        case (Decision(), DiceUnsure()):
            return table.with_note("unclear"), ()
        case (Decision(), DiceRest()):
            return put_back(table, scene, seen)
        case (Nudge(roll, decision), SetAside() | TrayEmptied()):
            return table.with_scene(Nudge(roll, lifted(table.game.turn.roll, decision, seen))), ()
        case (Bust(), DiceRest()):
            return table.with_note("ok_first"), ()
        case (Start() | Prompt() | Rolling() | WrongCount() | Unsure() | Cleared() | Banked(), _):
            looked, records = _seen_waiting(table, scene, seen)
            return (looked if looked.scene is scene else replace(looked, note=None)), records
        case _:
            return table, ()


def _seen_waiting(table: Table, scene: WaitingScene, seen: Seen) -> Step:
    match seen:
        case Tumbling():
            return (table if isinstance(scene, Rolling) else table.with_scene(Rolling(scene))), ()
        case DiceRest():
            return dice_rest(table, seen)
        case DiceUnsure():
            return dice_unsure(table, seen)
        case TrayEmptied() if isinstance(scene, Rolling | WrongCount | Unsure):
            return onward(table), ()
        case _:
            return (table.with_scene(scene.over) if isinstance(scene, Rolling) else table), ()


def _pressed(table: Table, press: Pressed) -> Step:
    scene = table.scene
    if isinstance(scene, Menu):
        return menu_pressed(table, scene, press)
    if isinstance(scene, Correct):
        return correct_pressed(table, scene, press)
    if isinstance(scene, Off):
        return table, ()
    if press.button == "both":
        return (opened(table, scene) if press.held else table.with_note("hold_both")), ()
    if press.held:
        return _held(table, scene, press)
    return _tapped(table, scene, press.button == "bank")


def _held(table: Table, scene: PlayScene, press: Pressed) -> Step:
    if press.button == "bank":
        return undo(table)
    if isinstance(scene, Decision):
        return next_selection(table, scene), ()
    return table, ()


def _tapped(table: Table, scene: PlayScene, bank: bool) -> Step:
    """A short press of BANK or else ROLL while a game is played."""
    match scene:
        case Decision():
            return keep(table, "bank" if bank else "roll")
        case Nudge(roll, decision):
            return (table.with_scene(decision), ()) if bank else set_by_hand(table, roll, decision)
        case Bust() | Banked() | Cleared():
            return onward(table), ()
        case Unsure(faces) if not bank:
            return take_roll(table, Rolled(faces, corrected=True)) if table.acceptable else (table, ())
        case Unsure() | WrongCount() if bank:
            return table.with_scene(correcting(table, scene) or scene), ()
        case _ if bank and table.camera_lost and isinstance(scene, WAITING):
            return table.with_scene(correcting(table, scene) or scene), ()
        case Prompt() if bank:
            return table.with_scene(Menu("scores", 0, scene)), ()
        case Over():
            return (opened(table, scene) if bank else table.with_scene(Menu("new_game", 0, scene))), ()
        case _:
            return table, ()


def _told(table: Table, told: Told) -> Table:
    match told:
        case CameraLost(reason):
            return replace(table, camera_lost=reason or "?")
        case CameraBack():
            return replace(table, camera_lost="").with_note("camera_back")
        case StorageTrouble(reason):
            return replace(table, storage_trouble=reason or "?")
        case StorageBack():
            return replace(table, storage_trouble="").with_note("storage_back")
        case Stuck(button):
            return replace(table, stuck=table.stuck | {button})
        case Freed(button):
            return replace(table, stuck=table.stuck - {button})
        case DisplayBack():
            return table.with_note("display_back")
        case LogAnew():
            # Nobody may stand at the table when it starts: this one stays until somebody does something.
            return replace(table, note=Note("log_anew", until_s=inf))
