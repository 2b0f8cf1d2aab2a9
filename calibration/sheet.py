"""The sheet to print: the board at its true size, a ruler to check the print, and what to do with it."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from calibration.board import MODULES_PER_SQUARE, Board
from calibration.errors import CalibrationError

DPI = 600
PAPERS_MM = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
MARGIN_MM = 10.0
RULER_MM = 100
RULER_ROOM_MM = 30.0
TEXT_MM = 4.0


def draw_sheet(board: Board, paper: str) -> Image.Image:
    """The sheet as a 1-bit picture at 600 dpi, landscape; raises CalibrationError when the board does not fit on it."""
    width_mm, height_mm = PAPERS_MM[paper]
    board_mm = board.squares_xy[0] * board.square_mm, board.squares_xy[1] * board.square_mm
    room_mm = width_mm - 2 * MARGIN_MM, height_mm - 2 * MARGIN_MM - RULER_ROOM_MM
    if board_mm[0] > room_mm[0] or board_mm[1] > room_mm[1]:
        largest = min(room_mm[0] / board.squares_xy[0], room_mm[1] / board.squares_xy[1])
        raise CalibrationError(
            f"squares of {board.square_mm:g} mm do not fit on {paper}: the largest that do are {int(largest)} mm"
        )
    sheet = Image.new("1", (_px(width_mm), _px(height_mm)), 1)
    left, top = (width_mm - board_mm[0]) / 2, MARGIN_MM + (room_mm[1] - board_mm[1]) / 2
    _draw_modules(ImageDraw.Draw(sheet), board, left, top)
    _draw_ruler(ImageDraw.Draw(sheet), board, (width_mm - RULER_MM) / 2, height_mm - MARGIN_MM - RULER_ROOM_MM + 8)
    return sheet


def write_sheet(board: Board, paper: str, path: Path) -> None:
    """Writes the sheet as PDF or PNG, as the name of the file says; raises CalibrationError for other names."""
    if path.suffix.lower() not in (".pdf", ".png"):
        raise CalibrationError(f"{path}: the sheet can be written as .pdf or .png, name it so")
    sheet = draw_sheet(board, paper)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() == ".pdf":
            sheet.save(path, resolution=DPI, title="Calibration board", creator="mishimash calibrate")
        else:
            sheet.save(path, dpi=(DPI, DPI))
    except OSError as error:
        raise CalibrationError(f"{path} cannot be written ({error.strerror}): choose another place") from error


def _draw_modules(draw: ImageDraw.ImageDraw, board: Board, left_mm: float, top_mm: float) -> None:
    """Every black module as a rectangle from rounded edge to rounded edge, so that no error adds up over the board."""
    module_mm = board.square_mm / MODULES_PER_SQUARE
    for row, column in np.argwhere(board.modules() == 0):
        x0, x1 = (_px(left_mm + module_mm * (column + k)) for k in (0, 1))
        y0, y1 = (_px(top_mm + module_mm * (row + k)) for k in (0, 1))
        draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=0)


def _draw_ruler(draw: ImageDraw.ImageDraw, board: Board, left_mm: float, top_mm: float) -> None:
    font = ImageFont.load_default(_px(TEXT_MM))
    for mm in range(RULER_MM + 1):
        long_mm = 5.0 if mm % 10 == 0 else 3.5 if mm % 5 == 0 else 2.0
        x = _px(left_mm + mm)
        draw.line((x, _px(top_mm), x, _px(top_mm + long_mm)), fill=0, width=_px(0.2))
        if mm % 10 == 0:
            draw.text((x, _px(top_mm + 5.5)), str(mm), fill=0, font=font, anchor="mt")
    draw.line((_px(left_mm), _px(top_mm), _px(left_mm + RULER_MM), _px(top_mm)), fill=0, width=_px(0.2))
    said = (
        f"Print at 100 % (no fit to page). The ruler must measure {RULER_MM} mm, a square {board.square_mm:g} mm.",
        "Cut it out with a white rim, glue it flat on cardboard, lay it in the tray: `mishimash calibrate`.",
    )
    for line, text in enumerate(said):
        at = (_px(left_mm + RULER_MM / 2), _px(top_mm + 12 + 5.5 * line))
        draw.text(at, text, fill=0, font=font, anchor="mt")


def _px(mm: float) -> int:
    return round(mm * DPI / 25.4)
