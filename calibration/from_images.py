"""A profile from a folder of pictures, without a camera."""

from dataclasses import replace
from pathlib import Path

from calibration.board import Board
from calibration.errors import CalibrationError
from calibration.make import add_board, add_dice, add_empty, check_empty, check_size, new_profile
from calibration.verdict import lacks
from hardware.pictures import load_picture
from vision.profile import TrayProfile


def profile_from_images(folder: Path, board: Board) -> TrayProfile:
    """The profile that `board.jpg`, `empty.jpg` and `roll-*.jpg` in the folder give; each may be missing.

    Raises CalibrationError for a bad picture or none at all, DeviceError for a file that is no picture.
    """
    if not folder.is_dir():
        raise CalibrationError(f"{folder} is no folder: name the one that holds board.jpg, empty.jpg, roll-1.jpg …")
    board_path, empty_path = folder / "board.jpg", folder / "empty.jpg"
    roll_paths = sorted(folder.glob("roll-*.jpg"))
    first = next((path for path in (board_path, empty_path, *roll_paths) if path.exists()), None)
    if first is None:
        raise CalibrationError(f"{folder} holds none of board.jpg, empty.jpg, roll-1.jpg …: take one of them at least")
    height, width = load_picture(first).shape[:2]
    profile = new_profile("", (width, height))
    rolls = [load_picture(path) for path in roll_paths]
    for path, roll in zip(roll_paths, rolls, strict=True):
        check_size(profile, roll, str(path))
    if board_path.exists():
        profile = add_board(profile, load_picture(board_path), board, name=str(board_path))
    if empty_path.exists():
        profile = add_empty(profile, [load_picture(empty_path)], name=str(empty_path))
        check_empty(profile, rolls, str(empty_path))
    profile = add_dice(profile, rolls)
    return replace(profile, lacks=lacks(profile))
