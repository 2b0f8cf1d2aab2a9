"""What the camera and two buttons mean at the table, one fact a test."""

from dataclasses import replace

import pytest

from companion.contact_sheet import BANK, MENU, NEXT_SELECTION, ROLL, UNDO, after
from companion.game import Joined, Kept, Left, Rolled
from companion.menu import items
from companion.rules import Faces
from companion.table import (
    CameraBack,
    CameraLost,
    DiceRest,
    DiceUnsure,
    Freed,
    Input,
    LogAnew,
    Nudged,
    Pressed,
    SetAside,
    Settings,
    Stuck,
    Table,
    Tick,
    TrayEmptied,
    Tumbling,
    Unchanged,
    new_table,
    resumed,
    started,
    step,
)
from companion.table_state import (
    BANKED_S,
    NOTE_S,
    SAVER_S,
    Banked,
    Bust,
    Cleared,
    Correct,
    Decision,
    Menu,
    Nudge,
    Over,
    Prompt,
    Rolling,
    Start,
    Unsure,
    WrongCount,
)
from companion.timeline import Started, Undone, replay

RICH, PAIRS, NOTHING = DiceRest((1, 1, 5, 2, 3, 4)), DiceRest((1, 1, 3, 3, 4, 4)), DiceRest((2, 2, 3, 4, 6, 6))
BEGUN = new_table(Settings(("Ana", "Bo"), 2000, seats=("Ana", "Bo", "Cyd", "Dan")))
ROLLED = after(BEGUN, RICH)


def scene(*inputs: Input, begun: Table = BEGUN) -> type:
    return type(after(begun, *inputs).scene)


def totals(table: Table) -> tuple[float, ...]:
    return tuple(halves / 2 for halves in table.game.totals)


def note(table: Table) -> str:
    return table.note.key if table.note else ""


def chosen(table: Table, *lines: str | int) -> Table:
    """The table after opening the menu and choosing a line of each page by its key or its value."""
    table = after(table, MENU)
    for line in lines:
        assert isinstance(table.scene, Menu)
        names = [line if line in (item.key, item.value) else None for item in items(table, table.scene)]
        table = after(table, *(ROLL,) * ((names.index(line) - table.scene.cursor) % len(names)), BANK)
    return table


# rolls


def test_six_dice_are_waited_for_at_first() -> None:
    assert (BEGUN.expects, BEGUN.asks, BEGUN.scene) == (6, False, Start())


def test_a_sure_roll_is_recorded_and_everything_that_scores_is_selected() -> None:
    table, records = step(BEGUN, DiceRest((4, 1, 3, 1, 2, 5), 0.97))
    assert records == (Rolled((1, 1, 2, 3, 4, 5), 0.97),)
    assert (table.selection, table.expects, table.asks) == ((1, 1, 5), None, True)


def test_another_number_of_dice_is_told_and_waited_on() -> None:
    table, records = step(BEGUN, DiceRest((1, 2, 3, 4, 5)))
    assert (table.scene, table.expects, records) == (WrongCount((1, 2, 3, 4, 5)), 6, ())
    assert isinstance(after(table, RICH).scene, Decision)


def test_an_unsure_roll_is_not_taken() -> None:
    table, records = step(BEGUN, DiceUnsure((1, 1, 2, 3, 4, 5), ("glare",)))
    assert (table.scene, table.asks, records) == (Unsure((1, 1, 2, 3, 4, 5), ("glare",)), True, ())


def test_an_unsure_roll_counts_as_shown_when_a_person_says_so() -> None:
    table = after(BEGUN, DiceUnsure((1, 1, 2, 3, 4, 5)))
    assert step(table, ROLL)[1] == (Rolled((1, 1, 2, 3, 4, 5), corrected=True),)


def test_an_unsure_roll_with_a_die_missing_cannot_count_as_shown() -> None:
    table = after(BEGUN, DiceUnsure((1, 1, 2, 3, 4)))
    assert step(table, ROLL) == (table, ())


def test_an_unsure_roll_can_be_set_by_hand_die_by_die() -> None:
    table = after(BEGUN, DiceUnsure((1, 2, 3, 4, 6)), BANK)
    table = after(table, BANK, *(ROLL,) * 5, *(BANK,) * 5, ROLL, BANK)
    assert table.game.turn.roll == (2, 2, 3, 4, 5, 6)


def test_a_roll_set_by_hand_needs_every_die() -> None:
    table = after(BEGUN, DiceUnsure((1, 2, 3, 4, 6)), BANK, *(ROLL,) * 6, BANK)
    assert (note(table), table.game.turn.roll) == ("set_every_die", ())


@pytest.mark.parametrize("back", [Unchanged(), SetAside((2, 3), (1,)), Nudged((2,), (3,))])
def test_a_hand_over_the_tray_changes_nothing(back: Input) -> None:
    waiting = after(BEGUN, DiceRest((1, 2, 3, 4, 5)))
    assert after(waiting, Tumbling(), Tumbling(), back) == waiting


def test_presses_while_the_dice_tumble_do_nothing() -> None:
    table = after(BEGUN, Tumbling())
    assert after(table, BANK, ROLL, NEXT_SELECTION) == table
    assert table.scene == Rolling(Start())


def test_dice_gathered_up_again_return_to_the_prompt() -> None:
    assert scene(RICH, ROLL, DiceRest((1, 2)), TrayEmptied()) is Prompt


def test_dice_thrown_before_the_decision_are_told_off() -> None:
    table, records = step(ROLLED, DiceRest((2, 3, 4)))
    assert (note(table), records, table.scene) == ("press_first", (), ROLLED.scene)


# selecting


@pytest.mark.parametrize(
    ("taken", "selection"), [((1,), (1,)), ((5,), (5,)), ((1, 1), (1, 1)), ((5, 1), (1, 5)), ((1, 5, 1), (1, 1, 5))]
)
def test_lifted_dice_are_the_selection_in_any_order(taken: Faces, selection: Faces) -> None:
    left = [1, 1, 5, 2, 3, 4]
    for face in taken:
        left.remove(face)
    assert after(ROLLED, SetAside(tuple(left), taken)).selection == selection


def test_dice_put_back_return_to_everything_that_scores() -> None:
    assert after(ROLLED, SetAside((1, 5, 2, 3, 4), (1,)), SetAside((1, 1, 5, 2, 3, 4), ())) == ROLLED


def test_dice_put_back_in_two_goes_after_all_were_out_return_to_everything_that_scores() -> None:
    half = after(ROLLED, TrayEmptied(), DiceRest((2, 3, 4)))
    assert half.selection == (1, 1, 5)
    back = after(half, SetAside((2, 3), (4,)), Nudged((2, 3), (1, 1, 2, 3, 4, 5)))
    assert (back.scene, note(back)) == (ROLLED.scene, "")
    assert note(after(half, Nudged((2, 3, 4), (2, 3, 4, 6)))) == "dice_changed"


@pytest.mark.parametrize("press", [BANK, ROLL])
def test_a_split_group_cannot_be_kept_and_says_so(press: Pressed) -> None:
    split = after(BEGUN, DiceRest((2, 2, 2, 5, 3, 4)), SetAside((2, 5, 3, 4), (2, 2)))
    assert (split.split, split.selection) == (True, ())
    table, records = step(split, press)
    assert (note(table), records, table.scene) == ("split_first", (), split.scene)


def test_all_dice_lifted_at_once_count_as_the_selection_shown() -> None:
    assert after(ROLLED, TrayEmptied()).selection == (1, 1, 5)
    assert after(ROLLED, SetAside((1, 5, 2, 3, 4), (1,)), TrayEmptied()).selection == (1,)


def test_dice_gathered_one_after_another_keep_the_last_selection_shown() -> None:
    gathered = after(ROLLED, SetAside((1, 5, 2, 3, 4), (1,)), SetAside((1, 5, 3, 4), (1, 2)))
    assert gathered.split
    assert after(gathered, TrayEmptied()).selection == (1,)


def test_a_set_aside_of_other_dice_than_the_roll_s_is_ignored() -> None:
    assert after(ROLLED, SetAside((2, 3), (6,))) == ROLLED


def test_holding_roll_steps_through_all_selections_and_comes_back() -> None:
    shown = [ROLLED.selection]
    table = ROLLED
    for _ in range(5):
        table = after(table, NEXT_SELECTION)
        shown.append(table.selection)
    assert shown == [(1, 1, 5), (1, 1), (1, 5), (1,), (5,), (1, 1, 5)]


def test_stepping_on_from_a_split_group_is_a_way_out() -> None:
    split = after(BEGUN, DiceRest((2, 2, 2, 5, 3, 4)), SetAside((2, 5, 3, 4), (2, 2)), NEXT_SELECTION)
    assert split.selection == (2, 2, 2)


# a die that turned


def test_a_turned_die_is_asked_about() -> None:
    table, records = step(ROLLED, Nudged((1, 1, 5, 2, 3, 4), (1, 1, 5, 2, 3, 3)))
    assert (table.scene, records) == (Nudge((1, 1, 2, 3, 3, 5), Decision((1, 1, 5))), ())


def test_a_second_die_that_turns_joins_the_question_and_dice_turned_back_end_it() -> None:
    asked = after(
        ROLLED, Nudged((1, 1, 5, 2, 3, 4), (1, 1, 5, 2, 3, 3)), Nudged((1, 1, 5, 2, 3, 3), (1, 6, 5, 2, 3, 3))
    )
    assert asked.scene == Nudge((1, 2, 3, 3, 5, 6), Decision((1, 1, 5)))
    assert after(asked, Nudged((1, 6, 5, 2, 3, 3), (1, 1, 5, 2, 3, 4))) == ROLLED


def test_bank_keeps_the_roll_as_it_was() -> None:
    assert after(ROLLED, Nudged((4,), (3,)), BANK) == ROLLED


def test_roll_takes_the_new_face_into_the_record() -> None:
    _, records = step(after(ROLLED, Nudged((5, 4), (6, 4))), ROLL)
    assert records == (Undone(), Rolled((1, 1, 2, 3, 4, 6), corrected=True))


def test_dice_lifted_while_a_turned_die_is_asked_about_are_selected_after_the_answer() -> None:
    asked = after(ROLLED, Nudged((4,), (3,)), SetAside((1, 5, 2, 3, 3), (1,)))
    assert after(asked, BANK).selection == (1,)


def test_dice_that_were_never_in_the_roll_are_told_off() -> None:
    assert note(after(ROLLED, Nudged((6,), (2,)))) == "dice_changed"


# BANK and ROLL


def test_bank_banks_the_selection_and_passes_the_turn() -> None:
    table, records = step(ROLLED, BANK)
    assert (records, table.scene) == ((Kept((1, 1, 5), "bank"),), Banked(0, 5))
    assert (totals(table), table.game.to_play, table.expects) == ((2.5, 0), 1, 6)


def test_roll_commits_the_selection_and_waits_for_the_other_dice() -> None:
    table, records = step(after(ROLLED, SetAside((1, 2, 3, 4), (1, 5))), ROLL)
    assert (records, table.scene, table.expects) == ((Kept((1, 5), "roll"),), Prompt(), 4)


def test_a_double_press_of_bank_banks_once() -> None:
    table = after(ROLLED, BANK, BANK)
    assert (totals(table), table.game.to_play) == ((2.5, 0), 1)


def test_a_double_press_of_roll_commits_once() -> None:
    once = after(ROLLED, ROLL)
    assert after(once, ROLL) == once


def test_keeping_every_die_is_a_mishimash_and_all_six_are_rolled_again() -> None:
    table = after(BEGUN, PAIRS, ROLL)
    assert (table.scene, table.expects, table.game.turn.halves) == (Cleared(20), 6, 40)
    assert isinstance(after(table, RICH).scene, Decision)


def test_the_next_player_may_roll_while_the_banked_points_are_shown() -> None:
    assert after(ROLLED, BANK, RICH).game.to_play == 1


def test_the_banked_points_give_way_to_the_prompt_by_themselves() -> None:
    banked = after(ROLLED, Tick(1), BANK)
    assert isinstance(after(banked, Tick(BANKED_S)).scene, Banked)
    assert isinstance(after(banked, Tick(1 + BANKED_S)).scene, Prompt)


def test_a_bust_shows_what_is_lost_and_waits_for_a_press() -> None:
    table = after(ROLLED, ROLL, DiceRest((2, 3, 6)))
    assert (table.scene, table.expects, table.asks) == (Bust(0, (2, 3, 6), 5), None, True)
    assert note(after(table, RICH)) == "ok_first"
    assert (after(table, BANK).scene, after(table, ROLL).scene) == (Prompt(), Prompt())


def test_the_bank_that_reaches_the_target_alone_ends_the_game() -> None:
    alone = new_table(Settings(("Ana",), 40))
    table = after(alone, PAIRS, BANK)
    assert (table.scene, table.game.winners, table.asks, table.expects) == (Over(), (0,), True, None)


def test_after_the_end_roll_asks_before_it_begins_a_new_game() -> None:
    table = after(new_table(Settings(("Ana",), 40)), PAIRS, BANK, ROLL)
    assert isinstance(table.scene, Menu)
    table, records = step(after(table, ROLL), BANK)
    assert (table.scene, records, totals(table)) == (Start(), (Started(("Ana",), 40),), (0,))


# undo


def test_undo_of_a_bank_shows_the_decision_again_as_it_was() -> None:
    lifted = after(ROLLED, SetAside((1, 5, 2, 3, 4), (1,)), BANK)
    table, records = step(lifted, UNDO)
    assert (records, table.selection, totals(table)) == ((Undone(),), (1,), (0, 0))
    assert (note(table), table.note and table.note.name, table.note and table.note.halves) == ("undone_bank", "Ana", 2)


def test_undo_goes_back_through_a_roll_to_the_decision_before_it() -> None:
    table, records = step(after(ROLLED, ROLL, DiceRest((5, 2, 3))), UNDO)
    assert (len(records), table.game.turn.roll, note(table)) == (2, (1, 1, 2, 3, 4, 5), "undone_roll_again")


def test_undo_of_a_bust_takes_back_the_roll_alone() -> None:
    table = after(ROLLED, ROLL, DiceRest((2, 3, 6)), UNDO)
    assert (table.scene, table.expects, table.game.turn.halves, note(table)) == (Prompt(), 3, 5, "undone_bust")


def test_a_bust_that_was_left_is_shown_again_before_it_is_undone() -> None:
    left = after(ROLLED, ROLL, DiceRest((2, 3, 6)), BANK)
    assert after(left, UNDO).scene == Bust(0, (2, 3, 6), 5)
    assert after(left, UNDO, UNDO).game.to_play == 0


def test_undoing_a_join_changes_neither_the_dice_chosen_nor_who_plays_the_next_game() -> None:
    lifted = after(ROLLED, SetAside((1, 5, 2, 3, 4), (1,)))
    undone = after(chosen(lifted, "join", "yes"), UNDO)
    assert (undone.game.players, undone.settings.players) == (("Ana", "Bo"), ("Ana", "Bo"))
    assert undone.scene == lifted.scene


def test_undo_reaches_back_to_the_first_roll() -> None:
    table = after(BEGUN, RICH, ROLL, DiceRest((2, 3, 6)), BANK, PAIRS, ROLL, RICH, BANK, BANK, RICH)
    for _ in range(12):
        table = after(table, UNDO)
    assert (table.scene, table.game, note(table)) == (Start(), BEGUN.game, "nothing_to_undo")


# the menu


def test_only_holding_both_opens_the_menu_and_holding_both_leaves_it() -> None:
    assert after(ROLLED, Pressed("both")).scene == ROLLED.scene
    assert isinstance(after(ROLLED, MENU).scene, Menu)
    assert after(ROLLED, MENU, ROLL, MENU) == ROLLED


def test_holding_a_button_goes_back_a_page_at_a_time() -> None:
    page = chosen(ROLLED, "language")
    assert isinstance(after(page, UNDO).scene, Menu)
    assert after(page, UNDO, UNDO) == ROLLED


def test_a_roll_that_is_waited_for_closes_the_menu() -> None:
    assert isinstance(after(BEGUN, MENU, RICH).scene, Decision)


@pytest.mark.parametrize("seen", [SetAside((1, 5, 2, 3, 4), (1,)), TrayEmptied(), Nudged((4,), (3,)), DiceRest((2, 3))])
def test_what_the_camera_sees_while_the_menu_is_open_counts_once_it_is_left(seen: Input) -> None:
    below = replace(after(ROLLED, seen), note=None)
    assert after(ROLLED, MENU, ROLL, seen, MENU) == below
    assert isinstance(after(chosen(ROLLED, "correct"), seen).scene, Correct)


def test_the_lines_of_the_menu_stay_when_a_die_turns_below_it() -> None:
    menu = after(ROLLED, MENU)
    turned = after(menu, Nudged((4,), (3,)))
    assert isinstance(menu.scene, Menu)
    assert isinstance(turned.scene, Menu)
    assert items(turned, turned.scene) == items(menu, menu.scene)


def test_dice_set_by_hand_are_not_disturbed_by_a_hand_but_by_a_sure_roll() -> None:
    page = after(BEGUN, DiceUnsure((1, 2, 3, 4, 5, 6)), BANK, BANK)
    assert after(page, Tumbling(), Unchanged()) == page
    assert after(page, Tumbling(), Unchanged(), UNDO).scene == Unsure((1, 2, 3, 4, 5, 6), ())
    assert isinstance(after(page, Tumbling(), RICH).scene, Decision)


def test_a_misread_die_is_corrected_in_the_log() -> None:
    page = chosen(ROLLED, "correct")
    table, records = step(after(page, BANK, *(ROLL,) * 6), BANK)
    assert records == (Undone(), Rolled((1, 2, 2, 3, 4, 5), corrected=True))
    assert (table.selection, note(table)) == ((1, 5), "corrected")


def test_dice_that_are_lifted_stay_selected_when_another_is_corrected() -> None:
    page = chosen(after(ROLLED, SetAside((1, 2, 3, 4, 5), (1,))), "correct")
    assert after(page, *(ROLL,) * 5, BANK, ROLL, BANK).selection == (1,)
    asked = after(ROLLED, SetAside((1, 2, 3, 4, 5), (1,)), Nudged((1, 2, 3, 4, 5), (1, 2, 3, 4, 6)))
    assert after(asked, ROLL).selection == (1,)
    assert after(chosen(asked, "correct"), *(ROLL,) * 6, BANK).selection == (1,)


def test_a_bust_can_be_corrected_into_a_roll() -> None:
    bust = after(BEGUN, NOTHING)
    table = after(chosen(bust, "correct"), *(ROLL,) * 5, *(BANK,), ROLL, BANK)
    assert (table.game.to_play, table.game.turn.roll) == (0, (1, 2, 2, 3, 4, 6))


def test_correcting_keeps_a_player_who_joined_meanwhile() -> None:
    page = chosen(chosen(ROLLED, "join", "yes"), "correct")
    table, records = step(after(page, BANK, *(ROLL,) * 6), BANK)
    assert records == (Undone(), Undone(), Joined("Cyd"), Rolled((1, 2, 2, 3, 4, 5), corrected=True))
    assert table.game.players == ("Ana", "Bo", "Cyd")


def test_without_a_camera_the_dice_are_set_by_hand() -> None:
    page = after(BEGUN, CameraLost("unplugged"), BANK)
    table = after(page, *(press for k in range(1, 7) for press in (*(BANK,) * k, ROLL)), BANK)
    assert table.game.turn.roll == (1, 2, 3, 4, 5, 6)
    assert note(after(table, CameraBack())) == "camera_back"


def test_a_player_who_leaves_is_passed() -> None:
    asked = chosen(ROLLED, "leave")
    table, records = step(after(asked, ROLL), BANK)
    assert (records, table.game.to_play, table.scene) == ((Left(),), 1, Prompt())


def test_the_last_player_cannot_leave_only_end() -> None:
    with pytest.raises(ValueError, match="is not in list"):
        chosen(new_table(Settings(("Ana",))), "leave")


def test_a_player_joins_in_the_first_round_only() -> None:
    table = chosen(ROLLED, "join", "yes")
    assert (table.game.players, table.scene) == (("Ana", "Bo", "Cyd"), ROLLED.scene)
    later = after(BEGUN, NOTHING, BANK, NOTHING, BANK)
    with pytest.raises(ValueError, match="is not in list"):
        chosen(later, "join")


def test_the_game_can_be_ended_early_and_that_undone() -> None:
    ended = chosen(after(ROLLED, BANK, BANK), "end_game", "yes")
    assert (ended.scene, ended.game.winners) == (Over(), (0,))
    assert after(ended, UNDO).game.to_play == 1


def test_no_is_the_answer_marked_first() -> None:
    assert after(chosen(ROLLED, "new_game"), BANK) == ROLLED


def test_other_players_begin_a_new_game_at_once_before_the_first_roll() -> None:
    table = chosen(BEGUN, "players", 4)
    assert table.game.players == ("Ana", "Bo", "Cyd", "Dan")
    fewer_and_back = chosen(after(chosen(after(table, MENU), "players", 1), MENU), "players", 3)
    assert fewer_and_back.game.players == ("Ana", "Bo", "Cyd")


def test_another_target_counts_from_the_next_game_once_dice_were_rolled() -> None:
    table = chosen(ROLLED, "target", 500)
    assert (table.game.target_halves, table.settings.target_halves, note(table)) == (2000, 500, "next_game")
    assert chosen(after(table, MENU), "new_game", "yes").game.target_halves == 500


def test_language_and_brightness_change_at_once() -> None:
    assert chosen(ROLLED, "language", "pl").settings.language == "pl"
    assert chosen(ROLLED, "brightness", 1).brightness == 20


def test_switching_off_is_asked_about_and_wished_for_once() -> None:
    table = chosen(ROLLED, "power_off", "yes")
    assert table.wish == "power_off"
    assert after(table, Tick(1)).wish is None


# time, trouble, coming back


def test_a_note_goes_by_itself_or_with_the_next_press() -> None:
    told = after(ROLLED, Tick(1), BANK, UNDO)
    assert note(after(told, Tick(NOTE_S))) == "undone_bank"
    assert note(after(told, Tick(1 + NOTE_S))) == ""
    assert note(after(told, NEXT_SELECTION)) == ""


def test_what_was_told_before_there_was_a_time_is_told_as_long_as_anything() -> None:
    told = after(BEGUN, CameraLost(), CameraBack(), Tick(5000))
    assert note(after(told, Tick(5000 + NOTE_S - 1))) == "camera_back"
    assert note(after(told, Tick(5000 + NOTE_S))) == ""


def test_a_log_begun_anew_is_told_until_somebody_rolls_or_presses() -> None:
    told = after(BEGUN, LogAnew(), TrayEmptied(), Tick(5000), Tick(9000))
    assert note(told) == "log_anew"
    assert note(after(told, Tumbling(), RICH)) == ""
    woken = after(told, ROLL)
    assert (note(woken), note(after(woken, ROLL))) == ("log_anew", "")


def test_the_first_tick_of_any_clock_finds_the_table_awake() -> None:
    assert not after(ROLLED, Tick(99_999)).asleep


@pytest.mark.parametrize("waker", [BANK, Tumbling(), RICH, DiceUnsure((1,))])
def test_the_table_falls_asleep_and_wakes_on_a_press_or_on_dice(waker: Input) -> None:
    asleep = after(BEGUN, Tick(1), Tick(1 + SAVER_S))
    assert (asleep.asleep, asleep.brightness) == (True, 1)
    assert (after(asleep, waker).asleep, after(asleep, waker).brightness) == (False, 200)


def test_the_press_that_wakes_does_nothing_else() -> None:
    asleep = after(ROLLED, Tick(1), Tick(1 + SAVER_S))
    assert step(asleep, BANK)[1] == ()


def test_while_one_button_is_stuck_the_other_still_works() -> None:
    stuck = after(ROLLED, Stuck("roll"))
    assert stuck.stuck == {"roll"}
    assert totals(after(stuck, BANK)) == (2.5, 0)
    assert after(stuck, Freed("roll")).stuck == frozenset()


@pytest.mark.parametrize(
    "inputs",
    [(), (RICH,), (RICH, ROLL), (RICH, BANK, BANK), (RICH, ROLL, DiceRest((2, 3, 6))), (PAIRS, ROLL, BANK)],
    ids=len,
)
def test_a_resumed_table_stands_where_the_game_was_left(inputs: tuple[Input, ...]) -> None:
    table, records = BEGUN, [started(BEGUN.settings)]
    for one in inputs:
        table, more = step(table, one)
        records += more
    moment = replay(records)
    assert moment is not None
    back = resumed(BEGUN.settings, moment)
    assert (back.game, back.scene, back.expects) == (table.game, table.scene, table.expects)
