"""What the table shows: every scene as a screen, and the screen as a 1-bit picture. All of it pure functions."""

from collections import Counter
from dataclasses import replace

from PIL import Image

from companion.rules import STRAIGHT, THREE_PAIRS, Faces, bonus_halves, groups
from companion.screens_draw import Canvas, line_px, text_px
from companion.screens_layout import drawn
from companion.screens_menu import correct_screen, left_by_either, menu_screen, scores_screen
from companion.screens_view import DieView, Screen, cut, name
from companion.table_state import (
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
    Start,
    Table,
    Unsure,
    WrongCount,
    projected_halves,
)
from companion.words import Words, words

SAVER_STEP_S = 10
PAGE_S = 4
# What a reason to be without pictures tells to do when there are some, but none that fit the profile.
RECALIBRATE = "mishimash calibrate"
LAST_PHASES = {"final": "final_round", "sudden_death": "sudden_death"}
# The first word of a reason that vision gives which is found here says how the screen puts it.
REASONS = {
    "cocked": "reason_cocked",
    "lean": "reason_cocked",
    "hide": "reason_hidden",
    "overlap": "reason_hidden",
    "glare": "reason_glare",
    "dark": "reason_dark",
    "focus": "reason_focus",
    "blur": "reason_focus",
    " of ": "reason_count",
    "faint": "reason_faint",
    "outline": "reason_hidden",
    "square": "reason_strange",
    "no die": "reason_strange",
    "disagree": "reason_restless",
}


def picture(table: Table, size_px: tuple[int, int] = (128, 64), now_s: float = 0.0) -> Image.Image:
    """The mode "1" picture of the table; KeyError for a size other than 128×64, 128×32 and 256×64."""
    if table.asleep:
        return saver(table, size_px, now_s)
    return drawn(screen_of(table), size_px, int(now_s // PAGE_S))[0].copy()


def saver(table: Table, size_px: tuple[int, int], now_s: float) -> Image.Image:
    """A few letters on black that move every ten seconds, so that no pixel burns in."""
    game = table.game
    said = words(table.settings.language)
    text = "MISHIMASH" if game.to_play is None else cut(name(game.players[game.to_play], said), 10)
    font_name = "ter-u12n"
    canvas = Canvas(size_px)
    moves = int(now_s // SAVER_STEP_S)
    room_x, room_y = size_px[0] - text_px(text, font_name), size_px[1] - line_px(font_name)
    canvas.text((moves * 37 % (room_x + 1), moves * 11 % (room_y + 1)), text, font_name)
    return canvas.image


def screen_of(table: Table) -> Screen:
    """The screen of the scene at the table, with what is to be told above it."""
    said = words(table.settings.language)
    scene = table.scene
    if isinstance(scene, Menu):
        screen = menu_screen(table, scene, said)
    elif isinstance(scene, Correct):
        screen = correct_screen(scene, said)
    elif table.camera_lost and isinstance(scene, WAITING):
        help_key = "recalibrate_text" if _misfit(table) else "no_camera_help"
        screen = Screen(lines=(said.say(help_key),), left=said.say("by_hand"))
    else:
        screen = _play(table, scene, said)
    notice = _notice(table.note, said) if table.note else ""
    return replace(screen, alert=_alert(table, said), notice=notice)


def _alert(table: Table, said: Words) -> str:
    if table.camera_lost:
        return said.say("camera_misfit" if _misfit(table) else "no_camera")
    if table.storage_trouble:
        return said.say("not_saved")
    return said.say(f"stuck_{min(table.stuck)}") if table.stuck else ""


def _misfit(table: Table) -> bool:
    """Whether the camera gives pictures, but not those that it was calibrated for."""
    return RECALIBRATE in table.camera_lost


def _notice(note: Note, said: Words) -> str:
    return said.say(note.key, name=name(note.name, said), points=said.points(note.halves))


def _play(table: Table, scene: PlayScene, said: Words) -> Screen:
    game = table.game
    match scene:
        case Start():
            first = name(game.players[game.to_play or 0], said)
            line = said.say("name_rolls", n=game.turn.dice, name=first)
            target = said.say("target", points=said.points(game.target_halves))
            count = f"{len(game.players)} {said.say('menu_count', n=len(game.players))}"
            return Screen(count, target, big="MISHIMASH", lines=(line,), hint=said.say("start_hint"))
        case Prompt():
            return _prompt(table, said)
        case Rolling():
            blank = (DieView(0),) * game.turn.dice
            return replace(_at_turn(table, said), dice=blank, lines=(said.say("tumbling"),))
        case WrongCount(faces):
            more = len(faces) > game.turn.dice
            return replace(
                _at_turn(table, said),
                big=said.say("n_not_m" if more else "n_of_m", n=len(faces), m=game.turn.dice),
                lines=(said.say("too_many" if more else "one_missing"),),
                left=said.say("by_hand"),
            )
        case Unsure(faces, reasons):
            return Screen(
                said.say("unsure"),
                dice=_plain(faces),
                lines=(said.say(_reason(reasons)),),
                left=said.say("correct"),
                right=said.say("as_shown") if table.acceptable else "",
            )
        case Cleared(bonus):
            line = f"+{said.points(bonus)}, {said.say('all_six_again')}"
            return left_by_either(replace(_at_turn(table, said), big="MISHIMASH!", lines=(line,)), said)
        case Banked(player, halves):
            return _banked(table, player, halves, said)
        case Decision():
            return _decision(table, scene, said)
        case Nudge(roll, _):
            return _nudge(table, roll, said)
        case Bust(player, faces, lost):
            total, side = said.points(game.totals[player]), said.say("lost", points=said.points(lost))
            return left_by_either(
                Screen(name(game.players[player], said), total, _plain(faces), big=said.say("bust"), side=(side,)), said
            )
        case Over():
            return replace(scores_screen(table, said), left=said.say("menu"), right=said.say("new_game"))
        case Off():
            return Screen(big=said.say("good_night"))


def _at_turn(table: Table, said: Words) -> Screen:
    """The head of most screens: whose turn it is and the total banked."""
    game = table.game
    assert game.to_play is not None
    player, total = name(game.players[game.to_play], said), said.points(game.totals[game.to_play])
    if game.phase in LAST_PHASES:
        return Screen(f"{player} {total}", said.say(LAST_PHASES[game.phase]))
    return Screen(player, total)


def _prompt(table: Table, said: Words) -> Screen:
    game, turn = table.game, table.game.turn
    side = [said.say("roll_dice", n=turn.dice)]
    if turn.halves:
        side.append(said.say("holds", points=said.points(turn.halves)))
    if game.phase != "main":
        rivals = [total for i, total in enumerate(game.totals) if i != game.to_play and i in (game.batch or range(8))]
        side.append(said.say("to_beat", points=said.points(max(rivals))))
    left = said.say("scores") if turn.roll_number == 1 else ""
    return replace(_at_turn(table, said), big=f"×{turn.roll_number}", side=tuple(side), left=left)


def _banked(table: Table, player: int, halves: int, said: Words) -> Screen:
    game = table.game
    assert game.to_play is not None
    head_right = said.say(LAST_PHASES[game.phase]) if game.phase in LAST_PHASES else ""
    banked = Screen(
        name(game.players[player], said),
        head_right,
        big=f"+{said.points(halves)}",
        side=(f"= {said.points(game.totals[player])}",),
        lines=(said.say("next_player", name=name(game.players[game.to_play], said)),),
    )
    return left_by_either(banked, said)


def _decision(table: Table, decision: Decision, said: Words) -> Screen:
    game, turn = table.game, table.game.turn
    assert game.to_play is not None
    found = groups(turn.roll)
    special = {STRAIGHT: said.say("straight"), THREE_PAIRS: said.say("three_pairs")}.get(found[0].name)
    head = special or name(game.players[game.to_play], said)
    if table.split:
        scoring = Counter(face for group in found for face in group.dice)
        key = "scores_nothing" if Counter(decision.lifted) - scoring else "split"
        return Screen(head, f"×{turn.roll_number}", _grouped(turn.roll, decision.lifted), lines=(said.say(key),))
    adds = projected_halves(game, decision.chosen)
    clears = len(decision.chosen) == len(turn.roll)
    bonus = said.say("bonus", points=said.points(bonus_halves(turn.clears)))
    return Screen(
        head,
        bonus if clears else f"×{turn.roll_number}",
        _grouped(turn.roll, decision.chosen),
        big=f"+{said.points(adds)}",
        side=(f"= {said.points(game.totals[game.to_play] + adds)}",),
        left=said.say("bank"),
        right=said.say("roll_again"),
    )


def _nudge(table: Table, roll: Faces, said: Words) -> Screen:
    was, now = Counter(table.game.turn.roll), Counter(roll)
    turned = (now - was).elements(), (was - now).elements()
    new, old = (" ".join(map(str, faces)) for faces in turned)
    return Screen(
        said.say("nudged"),
        dice=_plain(roll),
        big=f"{old} → {new}",
        left=said.say("keep_old"),
        right=said.say("take_new"),
    )


def _plain(faces: Faces) -> tuple[DieView, ...]:
    return tuple(map(DieView, faces))


def _grouped(roll: Faces, chosen: Faces) -> tuple[DieView, ...]:
    """The dice of a roll group by group, those that score nothing last."""
    views, still = [], Counter(chosen)
    found = groups(roll)
    for group in found:
        for i, face in enumerate(group.dice):
            views.append(DieView(face, chosen=still[face] > 0, grouped=True, begins=i == 0))
            still[face] -= 1
    rest = (Counter(roll) - Counter(face for group in found for face in group.dice)).elements()
    for i, face in enumerate(sorted(rest)):
        views.append(DieView(face, chosen=still[face] > 0, begins=i == 0))
        still[face] -= 1
    return tuple(views)


def _reason(reasons: tuple[str, ...]) -> str:
    text = " ".join(reasons).lower()
    return next((key for sign, key in REASONS.items() if sign in text), "reason_other")
