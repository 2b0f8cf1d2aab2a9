"""One HTML page that holds all there is to know of a profile, and of the one before it beside it."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from calibration import drawings
from calibration.check import RollCheck, roll_line, verdict_line
from calibration.errors import CalibrationError
from calibration.fit import floor_mm
from calibration.show import describe
from vision.profile import TrayProfile

STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #222; }
main { display: flex; gap: 3em; align-items: flex-start; flex-wrap: wrap; }
section { width: 480px; } h1 { font-size: 1.4em; } h2 { font-size: 1.15em; } h3 { font-size: 1em; margin-bottom: .3em; }
table { border-collapse: collapse; }
td { padding: .15em .8em .15em 0; vertical-align: top; border-top: 1px solid #ddd; }
td:first-child { color: #666; } .doubt td { color: #c33; } .verdict td { font-weight: bold; color: #222; }
img, svg { display: block; margin: .3em 0; max-width: 100%; } pre { white-space: pre-wrap; }
"""


def write_report(profiles: Sequence[TrayProfile], checks: Sequence[RollCheck], now: str, path: Path) -> None:
    """Writes the page, see `report_page`. CalibrationError when it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(report_page(profiles, checks, now), encoding="utf-8")
    except OSError as error:
        raise CalibrationError(f"{path} cannot be written ({error.strerror}): choose another place") from error


def report_page(profiles: Sequence[TrayProfile], checks: Sequence[RollCheck], now: str = "") -> str:
    """The page as HTML; it needs no other file.

    `profiles` newest first; `checks` are rolls read with the newest, `now` is what the camera says of it at present.
    """
    columns = [_column(profiles[0], "This profile", checks, now)]
    columns += [_column(profile, "The profile before", ()) for profile in profiles[1:]]
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Tray profile</title>'
        f"<style>{STYLE}</style></head><body><h1>Tray profile</h1><main>{''.join(columns)}</main></body></html>\n"
    )


def _column(profile: TrayProfile, title: str, checks: Sequence[RollCheck], now: str = "") -> str:
    said = (*describe(profile), *([("now", now)] if now else []))
    rows = "".join(f'<tr class="{part}"><td>{part}</td><td>{escape(sentence)}</td></tr>' for part, sentence in said)
    parts = [f"<h2>{title}</h2><table>{rows}</table>"]
    empty_bgr = profile.empty_bgr
    if empty_bgr is not None and profile.lens and profile.pose:
        above = drawings.from_above(profile.lens, profile.pose, profile.outline_mm, empty_bgr)
        parts.append(f"<h3>The tray from straight above, a line every 20 mm</h3>{drawings.image_tag(above, 'tray')}")
    if empty_bgr is not None:
        marked = drawings.marked_empty(profile, empty_bgr)
        parts.append("<h3>The empty picture: floor green, shadows hatched blue, glare ringed red</h3>")
        parts.append(drawings.image_tag(marked, "empty tray"))
    if profile.board and profile.lens and profile.pose:
        board = profile.board
        found_mm = floor_mm(profile.lens, profile.pose, board.corners_px)
        predicted_mm = floor_mm(profile.lens, profile.pose, board.corners_px - board.residuals_px)
        parts.append("<h3>Corners of the board, found against predicted (arrows 300 times as long)</h3>")
        parts.append(drawings.residuals_in_picture(profile, board))
        clouds = drawings.residuals_cloud(board.residuals_px, "px")
        clouds += drawings.residuals_cloud((found_mm - predicted_mm) * (1, -1), "mm")
        parts.append(f'<div style="display:flex">{clouds}</div>')
    if profile.dice:
        parts.append(f"<h3>The dice, {profile.dice.edge_mm:.1f} mm wide, kind by kind</h3>")
        parts += [drawings.faces(profile.dice, kind) for kind in profile.dice.kinds or (None,)]
    if checks:
        margins = [margin for check in checks for margin in check.margins]
        parts.append(f"<h3>Margins to the nearest other reading, {len(margins)} dice</h3>{drawings.histogram(margins)}")
        lines = "\n".join([*map(roll_line, checks), verdict_line(checks)])
        parts.append(f"<h3>Rolls read with it</h3><pre>{escape(lines)}</pre>")
    return f"<section>{''.join(parts)}</section>"
