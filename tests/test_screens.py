"""Screens: every one fits every display in every language, and looks as it did when somebody looked at it."""

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops

from companion import contact_sheet
from companion.contact_sheet import BANK, ENLARGED, PLAYERS, ROLL, after, file_name, places_px, sheet
from companion.game import MOST_PLAYERS
from companion.screens import REASONS, picture, screen_of
from companion.screens_layout import PLANS, drawn
from companion.table import DiceRest, DiceUnsure, SetAside, Settings, Table, Tick, new_table
from companion.table_state import SAVER_S, Banked, Bust, Cleared, Decision, Over, Prompt, Start
from companion.words import LANGUAGES

SHEETS = Path(__file__).parent.parent / "docs" / "screens"
LONG_NAMES = ("Maksymilian der Große", "Wilhelmina-Charlotte", "Bartholomäus IV. Wow", "D", "E", "F", "G", "Żółć")
SIZES = pytest.mark.parametrize("size_px", PLANS, ids="{0[0]}x{0[1]}".format)
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


tables = cache(contact_sheet.tables)


def misfits(table: Table, size_px: tuple[int, int]) -> tuple[str, ...]:
    return drawn(screen_of(table), size_px)[1]


def grown(table: Table) -> Table:
    """The same table late in a long game: totals of many digits, a high multiplier, a turn that is worth a lot."""
    game = table.game
    if game.to_play is None:
        return table
    turn = replace(game.turn, halves=555, roll_number=12, clears=4)
    game = replace(game, totals=tuple(2469 - 2 * i for i in range(len(game.players))), turn=turn)
    scene = table.scene
    if isinstance(scene, Bust):
        scene = replace(scene, lost_halves=555)
    elif isinstance(scene, Banked):
        scene = replace(scene, halves=555)
    elif isinstance(scene, Cleared):
        scene = replace(scene, bonus_halves=240)
    return replace(table, moment=replace(table.moment, game=game), scene=scene)


@SIZES
@EVERY_LANGUAGE
def test_nothing_is_clipped_on_any_screen(language: str, size_px: tuple[int, int]) -> None:
    assert {n: found for n, table in tables(language).items() if (found := misfits(table, size_px))} == {}


@SIZES
@EVERY_LANGUAGE
def test_nothing_is_clipped_with_eight_long_names_and_large_numbers(language: str, size_px: tuple[int, int]) -> None:
    late = {name: grown(table) for name, table in tables(language, LONG_NAMES).items()}
    assert {name: found for name, table in late.items() if (found := misfits(table, size_px))} == {}


@SIZES
@EVERY_LANGUAGE
@pytest.mark.parametrize("sign", [*REASONS, "something else"])
def test_every_reason_fits_beside_six_dice(language: str, size_px: tuple[int, int], sign: str) -> None:
    table = after(new_table(Settings(PLAYERS, language=language)), DiceUnsure((1, 2, 3, 4, 5, 6), (sign,)))
    assert misfits(table, size_px) == ()


@SIZES
@EVERY_LANGUAGE
@pytest.mark.parametrize("dice", range(1, 7))
def test_a_wrong_number_of_dice_fits_whatever_the_number(language: str, size_px: tuple[int, int], dice: int) -> None:
    kept = {6: (), 5: (1,), 4: (1, 1), 3: (2, 2, 2), 2: (2, 2, 2, 1), 1: (2, 2, 2, 1, 5)}[dice]
    roll = (*kept, *(3, 4, 6, 4, 3, 6)[:dice])
    table = new_table(Settings(PLAYERS, language=language))
    if kept:
        table = after(table, DiceRest(roll), SetAside(roll[len(kept) :], kept), ROLL)
    assert table.expects == dice
    for count in set(range(1, 7)) - {dice}:
        assert misfits(after(table, DiceRest((2,) * count)), size_px) == ()


@SIZES
@EVERY_LANGUAGE
def test_every_screen_looks_as_on_the_sheet_in_docs(language: str, size_px: tuple[int, int]) -> None:
    golden = np.asarray(Image.open(SHEETS / file_name(language, size_px)).convert("L"))
    changed = []
    for (name, table), (x, y) in zip(tables(language).items(), places_px(size_px), strict=False):
        seen = golden[y:, x:][: size_px[1] * ENLARGED : ENLARGED, : size_px[0] * ENLARGED : ENLARGED] > 128
        if not np.array_equal(seen, np.asarray(picture(table, size_px))):
            changed.append(name)
    assert changed == [], "run `make screens` and look at these"


def test_a_sheet_has_a_place_for_every_screen() -> None:
    golden = Image.open(SHEETS / "en.png")
    assert golden.size == sheet("en").size
    assert ImageChops.difference(golden.convert("L"), sheet("en").convert("L")).getbbox() is None


def test_the_sheets_stay_small() -> None:
    assert sum(path.stat().st_size for path in SHEETS.glob("*.png")) < 500_000


@SIZES
def test_a_picture_is_one_bit_deep_and_as_large_as_the_display(size_px: tuple[int, int]) -> None:
    shown = picture(new_table(Settings(("Ana",))), size_px)
    assert (shown.mode, shown.size) == ("1", size_px)


def test_a_display_of_another_size_is_refused() -> None:
    with pytest.raises(KeyError):
        picture(new_table(Settings(("Ana",))), (96, 16))


def test_the_screen_does_not_flicker_while_nothing_happens() -> None:
    for table in tables("en").values():
        if not table.asleep:
            assert picture(table, now_s=1.0).tobytes() == picture(table, now_s=2.9).tobytes()


def test_scores_that_need_several_pages_show_them_one_after_another() -> None:
    table = tables("en", LONG_NAMES)["menu: scores"]
    assert picture(table, (128, 32), 0.0).tobytes() != picture(table, (128, 32), 4.0).tobytes()
    assert picture(table, (128, 64), 0.0).tobytes() == picture(table, (128, 64), 4.0).tobytes()


@SIZES
def test_the_saver_moves_and_lights_few_pixels(size_px: tuple[int, int]) -> None:
    table = after(new_table(Settings(("Ana",))), Tick(0.5), Tick(1 + SAVER_S))
    shown = [np.asarray(picture(table, size_px, now_s)) for now_s in range(0, 2000, 10)]
    assert max(picture.sum() for picture in shown) < 0.03 * shown[0].size
    assert np.mean(shown, axis=0).max() < 0.25


def test_the_lower_corners_name_what_the_buttons_do() -> None:
    table = after(new_table(Settings(("Ana", "Bo"))), DiceRest((1, 1, 5, 2, 3, 4)))
    decision, banked = screen_of(table), screen_of(after(table, BANK))
    assert (decision.left, decision.right) == ("BANK", "ROLL AGAIN")
    assert (banked.left, banked.right) == ("OK", "OK")


def test_a_decision_shows_what_bank_would_add_and_the_total_it_would_make() -> None:
    table = after(new_table(Settings(("Ana",))), DiceRest((1, 1, 5, 2, 3, 4)), BANK, BANK, DiceRest((5, 2, 3, 4, 6, 6)))
    assert (screen_of(table).big, screen_of(table).side) == ("+0.5", ("= 3",))


def test_all_eight_seats_can_be_shown() -> None:
    assert len(screen_of(tables("en", LONG_NAMES)["menu: scores"]).rows) == MOST_PLAYERS


@EVERY_LANGUAGE
def test_a_whole_game_of_four_fits_the_screen_from_start_to_end(language: str) -> None:
    chance = random.Random(language)
    table = new_table(Settings(PLAYERS, 160, language))
    shown = set()
    for _ in range(3000):
        shown.add(type(table.scene))
        assert misfits(table, (128, 64)) == ()
        if isinstance(table.scene, Over):
            break
        press = chance.choice((ROLL, BANK)) if table.asks else None
        table = after(table, press or DiceRest(tuple(chance.randint(1, 6) for _ in range(table.expects or 0))))
    assert {Start, Decision, Prompt, Bust, Banked, Over} <= shown
    assert max(table.game.totals) >= 160
