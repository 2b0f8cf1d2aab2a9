"""The steps of the calibration before a camera; each takes what is known and gives back more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from calibration.board import Board, BoardView, find_board
from calibration.check import RollCheck, check_roll, roll_line
from calibration.errors import CalibrationError
from calibration.lens import LEAST_VIEWS, fit_lens
from calibration.make import add_board, add_dice, add_empty, check_empty, check_size, new_profile
from calibration.prompt import Choice, Prompter, parse_faces
from calibration.scene import Scene
from calibration.verdict import doubts
from hardware.ports import BGR
from vision.profile import TrayProfile
from vision.read import Reader
from vision.reading import Reading

T = TypeVar("T")

EMPTY_PICTURES = 9
ROLLS_TO_LEARN = 3
LAY_FLAT = "Lay the board flat in the tray, all of it in view."
HOLD = (
    "Hold the board over the tray with its top edge nearer to the camera.",
    "Hold it with its right edge nearer.",
    "Hold it with its bottom edge nearer.",
    "Hold it with its left edge nearer.",
)


@dataclass(frozen=True, slots=True)
class Table:
    """Where the calibration happens: what the camera sees, who is asked, which board it is."""

    scene: Scene
    prompter: Prompter
    board: Board

    def known(self, profile: TrayProfile | None, picture_bgr: BGR) -> TrayProfile:
        """The profile so far if it is of the camera and size of the picture just taken, else one that knows nothing."""
        height_px, width_px = picture_bgr.shape[:2]
        name, exposure = self.scene.taken_with()
        if profile is None or (profile.camera, profile.width_px, profile.height_px) != (name, width_px, height_px):
            profile = new_profile(name, (width_px, height_px))
        return replace(profile, exposure=exposure)


def lens_step(table: Table, profile: TrayProfile | None) -> TrayProfile:
    """A profile with the lens measured from tilted views; the pose has to be taken anew."""
    views: list[BoardView] = []
    while True:
        picture = table.scene.board(HOLD[len(views) % len(HOLD)])
        try:
            views.append(find_board(picture, table.board, f"view {len(views) + 1}"))
        except CalibrationError as error:
            table.prompter.tell(f"{error}.")
            continue
        table.prompter.tell(f"View {len(views)}: {len(views[-1].corners_px)} corners.")
        if len(views) < LEAST_VIEWS:
            continue
        known = table.known(profile, picture)
        try:
            fit = fit_lens(views, known.camera)
        except CalibrationError as error:
            if len(views) >= 2 * LEAST_VIEWS:
                raise
            table.prompter.tell(f"{error}.")
            continue
        table.prompter.tell(f"Lens: focal length {fit.lens.focal_px:.0f} px ± {fit.focal_sd:.1%}.")
        lens = replace(fit.lens, views=len(views))
        return replace(known, lens=lens, pose=None, board=None, outline_mm=None, empty_bgr=None, light=None)


def tray_step(table: Table, profile: TrayProfile | None) -> TrayProfile:
    """The profile with the pose over the board; a lens that was measured from several views is kept."""
    picture = table.scene.board(LAY_FLAT)
    known = table.known(profile, picture)
    lens = known.lens if known.lens and known.lens.views > 1 else None
    found = add_board(known, picture, table.board, lens)
    if found.board:
        corners, board = len(found.board.corners_px), found.board
        level = f"camera {board.tilt_deg:.1f}° off straight down"
        table.prompter.tell(f"{corners} corners, off by {board.rms_px:.2f} px; {level}.")
    return found


def light_step(table: Table, profile: TrayProfile | None) -> TrayProfile:
    """The profile with the empty tray and its light."""
    pictures = table.scene.empty(EMPTY_PICTURES)
    found = add_empty(table.known(profile, pictures[0]), pictures)
    if found.light:
        table.prompter.tell(f"Floor at grey {found.light.median:.0f}, noise {found.light.noise:.1f}.")
    for sentence in doubts(found):
        table.prompter.tell(f"Doubt: {sentence}.")
    return found


def dice_step(table: Table, profile: TrayProfile) -> tuple[TrayProfile, tuple[RollCheck, ...]]:
    """The profile with the owner's dice, learned from three rolls, and how these rolls then read, confirmed."""
    rolls = [table.scene.roll(number) for number in range(1, ROLLS_TO_LEARN + 1)]
    for number, roll in enumerate(rolls, 1):
        check_size(profile, roll, f"roll {number}")
    check_empty(profile, rolls, "the empty tray")
    found = add_dice(profile, rolls)
    if found.dice:
        table.prompter.tell(f"Dice of {found.dice.edge_mm:.1f} mm.")
    return found, confirm(table, found, rolls)


def confirm(table: Table, profile: TrayProfile, rolls: Sequence[BGR], first: int = 1) -> tuple[RollCheck, ...]:
    """Each roll as read with the profile, confirmed or corrected by the owner."""
    reader = Reader(profile)
    checks = []
    for number, roll in enumerate(rolls, first):
        reading = reader.read(roll)
        checks.append(check_roll(f"roll {number}", roll, reading, _told(table.prompter, number, reading)))
        table.prompter.tell(roll_line(checks[-1]))
    return tuple(checks)


def _told(prompter: Prompter, number: int, reading: Reading) -> tuple[int, ...]:
    """What the owner says the roll shows: the faces read, others, or () when only that they are wrong."""
    said = " ".join(map(str, reading.values)) or "nothing"
    question = f"Roll {number}: {said}{'' if reading.status == 'ok' else ', not surely'}. Right?"
    while True:
        answer = prompter.ask(question, "yes", "no", "what it shows, like 122456")
        if not answer.typed:
            return reading.values if answer.choice is Choice.YES else ()
        try:
            return parse_faces(answer.typed)
        except CalibrationError as error:
            prompter.tell(f"{error}.")


def guided(table: Table, profile: TrayProfile | None) -> tuple[TrayProfile, tuple[RollCheck, ...]]:
    """All steps in order, each repeated as often as the owner wishes; the profile and how its rolls read."""
    asked = table.prompter.ask("Measure the lens first? It may be left out.", "skip", "lens")
    if asked.choice is Choice.NO:
        profile = repeated(table.prompter, lambda: lens_step(table, profile))
    posed = repeated(table.prompter, lambda: tray_step(table, profile))
    lit = repeated(table.prompter, lambda: light_step(table, posed))
    return repeated(table.prompter, lambda: dice_step(table, lit))


def repeated(prompter: Prompter, step: Callable[[], T]) -> T:
    """What the step gives, once it succeeded and the owner is content with it."""
    while True:
        try:
            done = step()
        except CalibrationError as error:
            prompter.ask(f"{error}.", "retry", "")
            continue
        if prompter.ask("Go on?", "next", "redo").choice is Choice.YES:
            return done
