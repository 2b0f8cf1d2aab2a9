"""Draws the pictures of docs/calibration.md anew, from the simulated tray.

Run it with `.venv/bin/python scripts/calibration_pictures.py`.
"""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from calibration import drawings
from calibration.board import Board
from calibration.make import add_board, add_dice, add_empty, new_profile
from calibration.prompt import text_picture
from calibration.sheet import draw_sheet
from calibration.steps import LAY_FLAT
from hardware.ports import BGR
from hardware.simulated import SimulatedTray

OUT = Path(__file__).parent.parent / "docs" / "calibration"
DISPLAY_PX = (128, 64)


def main() -> None:
    """Writes the pictures."""
    OUT.mkdir(exist_ok=True)
    tray = SimulatedTray(seed=3)
    board, empty = tray.board_picture(), tray.empty_picture()
    height_px, width_px = board.shape[:2]
    profile = add_empty(add_board(new_profile("table", (width_px, height_px)), board, Board()), [empty])
    profile = add_dice(profile, [roll_of(tray) for _ in range(3)])
    if not (profile.lens and profile.pose and profile.board and profile.dice):
        raise SystemExit("the simulated tray could not be calibrated")

    draw_sheet(Board(), "a4").convert("L").resize((560, 396), Image.Resampling.BOX).quantize(8).save(OUT / "sheet.png")
    write_photo("board.jpg", board)
    write_photo("empty.jpg", drawings.marked_empty(profile, empty))
    write_photo("above.jpg", drawings.from_above(profile.lens, profile.pose, profile.outline_mm, board))
    (OUT / "residuals.svg").write_text(drawings.residuals_in_picture(profile, profile.board))
    (OUT / "dice.svg").write_text(drawings.faces(profile.dice))
    found = "24 corners, off by 0.07 px; camera 5.0° off straight down. Go on?"
    screens = (
        text_picture(LAY_FLAT, DISPLAY_PX, ("", "ROLL take it")),
        text_picture(found, DISPLAY_PX, ("BANK redo", "ROLL next")),
        text_picture("Roll 1: 1 2 2 4 4 6. Right?", DISPLAY_PX, ("BANK no", "ROLL yes")),
    )
    strip = np.full((64, 3 * 128 + 2 * 8), 255, np.uint8)
    for i, screen in enumerate(screens):
        strip[:, 136 * i : 136 * i + 128] = np.asarray(screen, np.uint8) * 255
    cv2.imwrite(str(OUT / "display.png"), cv2.resize(strip, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST))


def roll_of(tray: SimulatedTray) -> BGR:
    """A roll at rest."""
    tray.throw()
    tray.frame()
    while not tray.at_rest():
        tray.frame()
    return tray.frame().image_bgr


def write_photo(name: str, picture: BGR) -> None:
    """Writes a picture 460 wide as JPEG."""
    height_px = round(picture.shape[0] * 460 / picture.shape[1])
    small = cv2.resize(picture, (460, height_px), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(OUT / name), small, [cv2.IMWRITE_JPEG_QUALITY, 80])


if __name__ == "__main__":
    main()
