"""The parts of a profile, each added to what is already known; pure functions from profile to profile."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.board import Board, find_board
from calibration.errors import CalibrationError
from calibration.fit import assumed_focal_px, fit_board, floor_mm, judge
from calibration.light import BLACK, WHITE, measure_light, things_in
from calibration.tray import find_outline, floor_mask
from calibration.verdict import place
from hardware.ports import BGR
from vision.learn import learn_dice
from vision.loose import read_loose
from vision.profile import Lens, TrayProfile
from vision.reading import Reading

# Shares of the picture's width beyond which there is no use in going on.
RESIDUAL_REFUSED = 0.003
BLUR_REFUSED = 0.012
# Below this confidence what was taken for a die in the empty tray may be its grain.
DIE_THERE = 0.5


def new_profile(camera: str, size_px: tuple[int, int]) -> TrayProfile:
    """A profile that knows nothing yet but the camera's name and the size of its pictures (width, height)."""
    return TrayProfile(camera, *size_px)


def add_board(
    profile: TrayProfile, board_bgr: BGR, board: Board, lens: Lens | None = None, name: str = "the picture"
) -> TrayProfile:
    """The profile with lens and pose from a picture of the board lying in the tray; with `lens`, only the pose.

    An outline and an empty picture of another pose are worth nothing: they are dropped. Raises CalibrationError.
    """
    check_size(profile, board_bgr, name)
    view = find_board(board_bgr, board, name)
    fit = fit_board([view], assumed_focal_px(profile.width_px, profile.camera), lens)
    found = judge(fit, view)
    if found.edge_blur_px > BLUR_REFUSED * profile.width_px:
        raise CalibrationError(f"{name}: blurred over {found.edge_blur_px:.0f} pixels: turn the lens until it is sharp")
    if found.rms_px > RESIDUAL_REFUSED * profile.width_px:
        raise CalibrationError(
            f"{name}: the corners lie {found.rms_px:.1f} px ({found.rms_mm:.1f} mm) off a flat board: press it flat, "
            "or print it again if it is another board"
        )
    return replace(profile, lens=fit.lens, pose=fit.poses[0], board=found, outline_mm=None, empty_bgr=None, light=None)


def add_empty(profile: TrayProfile, pictures: Sequence[BGR], name: str = "the picture") -> TrayProfile:
    """The profile with the empty tray from one or more pictures of it, its light, and the outline of its floor.

    Raises CalibrationError when dice lie in it, or nothing can be seen in it; other things show only once there are
    rolls (`check_empty`).
    """
    check_size(profile, pictures[0], name)
    empty = pictures[0] if len(pictures) == 1 else np.median(pictures, axis=0).astype(np.uint8)
    if np.median(empty) <= BLACK:
        raise CalibrationError(f"{name}: black: switch the lamp on, take the lens cap off, or lengthen the exposure")
    if np.median(empty) >= WHITE:
        raise CalibrationError(f"{name}: white all over: dim the lamp or shorten the exposure")
    lying = read_loose(empty)
    if lying.status == "ok" or sum(die.confidence > DIE_THERE for die in lying.dice) > 1:
        raise CalibrationError(f"{name}: dice lie in the empty tray ({_faces(lying)}): clear it and take it again")
    outline_mm, open_sides = None, tuple[str, ...]()
    if profile.lens and profile.pose and profile.board:
        board_mm = floor_mm(profile.lens, profile.pose, profile.board.corners_px)
        outline = find_outline(empty, profile.lens, profile.pose, board_mm, profile.board.square_mm)
        outline_mm, open_sides = outline.corners_mm, outline.open_sides
    profile = replace(profile, empty_bgr=empty, outline_mm=outline_mm, open_sides=open_sides)
    return replace(profile, light=measure_light(pictures, floor_of(profile)))


def add_dice(profile: TrayProfile, rolls: Sequence[BGR]) -> TrayProfile:
    """The profile with the dice learned from a few rolls that nobody read; without a pose there is no size to learn.

    Raises CalibrationError when no dice are found.
    """
    if profile.pose is None or profile.lens is None or not rolls:
        return profile
    try:
        return replace(profile, dice=learn_dice(rolls, profile))
    except ValueError as error:
        raise CalibrationError(str(error)) from error


def check_empty(profile: TrayProfile, rolls: Sequence[BGR], name: str = "the picture") -> None:
    """Raises CalibrationError when the rolls show that something lay in the tray's "empty" picture."""
    if profile.empty_bgr is None:
        return
    things = things_in(profile.empty_bgr, rolls, floor_of(profile), least_px=profile.width_px / 60)
    if len(things):
        x, y = things[0]
        raise CalibrationError(
            f"{name}: something lies in the empty tray, {place(profile, x, y)} (x {x:.0f}, y {y:.0f}): "
            "clear the tray, keep your hands out and take it again"
        )


def check_size(profile: TrayProfile, picture_bgr: BGR, name: str) -> None:
    """Raises CalibrationError when the picture is not of the profile's size."""
    height, width = picture_bgr.shape[:2]
    if (width, height) != (profile.width_px, profile.height_px):
        raise CalibrationError(
            f"{name}: {width}x{height}, the profile or the other pictures are {profile.width_px}x{profile.height_px}: "
            "take all with one camera and one setting"
        )


def floor_of(profile: TrayProfile) -> np.ndarray:
    """Where the pictures show the tray's floor, as far as known: H×W uint8, 255 on the floor."""
    if profile.lens and profile.pose and profile.outline_mm is not None:
        return floor_mask(profile.lens, profile.pose, profile.outline_mm)
    return np.full((profile.height_px, profile.width_px), 255, np.uint8)


def _faces(reading: Reading) -> str:
    return " ".join(map(str, reading.values))
