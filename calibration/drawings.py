"""The drawings of the report, as SVG text and as pictures inside the page; pure."""

import base64
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.make import floor_of
from calibration.tray import picture_outline
from hardware.ports import BGR
from vision.pips import PATTERN_FACES, PATTERNS, PIP_RADIUS, PIP_SPACING, SITES_XY
from vision.profile import BoardFit, Colour, DiceModel, DieKind, Floats, Lens, Pose, TrayProfile
from vision.rectify import project

WIDTH_PX = 460
GRID_MM = 20.0
ARROW_SCALE = 300.0
SHADOW = 0.55
BINS = 20
USUAL_CORNER = 0.12
INK, SOFT, ALERT = "#222", "#9aa", "#c33"


def svg(width: float, height: float, body: str, shown_px: int = WIDTH_PX) -> str:
    """An SVG element of that user size, shown `shown_px` wide."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{shown_px}" role="img">'
    return f"{head}{body}</svg>"


def residuals_in_picture(profile: TrayProfile, board: BoardFit) -> str:
    """The residuals as arrows in the picture, three hundred times as long as they are."""
    width, height = profile.width_px, profile.height_px
    parts = [f'<rect width="{width}" height="{height}" fill="#f6f6f4" stroke="{SOFT}" stroke-width="2"/>']
    for (x, y), (dx, dy) in zip(board.corners_px, board.residuals_px, strict=True):
        x2, y2 = x + ARROW_SCALE * dx, y + ARROW_SCALE * dy
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ALERT}" stroke-width="3"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{INK}"/>')
    parts.append(f'<path d="M20 {height - 20}h{ARROW_SCALE}" stroke="{INK}" stroke-width="3"/>')
    parts.append(f'<text x="{30 + ARROW_SCALE}" y="{height - 12}" font-size="{width / 30:.0f}">1 px</text>')
    return svg(width, height, "".join(parts))


def residuals_cloud(residuals: Floats, unit: str) -> str:
    """The residuals N×2 around zero, with the circle of their root mean square."""
    rms = float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))
    reach = 1.3 * max(float(np.abs(residuals).max()), rms, 1e-9)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{INK}" fill-opacity="0.7"/>'
        for x, y in 100 + 95 * residuals / reach
    )
    axes = f'<path d="M5 100H195M100 5V195" stroke="{SOFT}" stroke-width="0.7"/>'
    ring = f'<circle cx="100" cy="100" r="{95 * rms / reach:.1f}" fill="none" stroke="{ALERT}"/>'
    label = f'<text x="6" y="14" font-size="11">ring: {rms:.3f} {unit} rms</text>'
    return svg(200, 200, axes + ring + dots + label, 220)


def histogram(values: Sequence[float]) -> str:
    """How often margins 0..1 occur, in bins of a twentieth."""
    counts, _ = np.histogram(values, BINS, (0.0, 1.0))
    top = max(int(counts.max()), 1)
    bars = "".join(
        f'<rect x="{20 + 18 * i}" y="{110 - 95 * n / top:.1f}" width="16" height="{95 * n / top:.1f}" fill="{INK}"/>'
        for i, n in enumerate(counts)
    )
    axis = f'<path d="M20 110H380" stroke="{SOFT}"/>' + "".join(
        f'<text x="{20 + 360 * x:.0f}" y="124" font-size="11" text-anchor="middle">{x:g}</text>'
        for x in (0, 0.25, 0.5, 0.75, 1)
    )
    return svg(400, 130, axis + bars + f'<text x="22" y="14" font-size="11">most in a bin: {top}</text>')


def faces(dice: DiceModel, kind: DieKind | None = None) -> str:
    """The six faces as learned: of the set as a whole, or of one kind of its dice in its own sizes and colours."""
    body, pips, corner = "#fff", INK, USUAL_CORNER
    spacing, radius = dice.pip_spacing or PIP_SPACING, dice.pip_radius or PIP_RADIUS
    one = dice.one_radius or radius
    if kind:
        body, pips = css(kind.body), css(kind.pips)
        corner = kind.corner_radius.median if kind.corner_radius else corner
        spacing = kind.pip_spacing.median if kind.pip_spacing else spacing
        radius = kind.pip_radius.median if kind.pip_radius else radius
        one = kind.one_radius.median if kind.one_radius else one
    parts = []
    for face in range(1, 7):
        left = 110 * (face - 1) + 5
        pattern = PATTERNS[int(np.searchsorted(PATTERN_FACES, face))]
        r = 100 * (one if face == 1 else radius)
        box = f'<rect x="{left}" y="5" width="100" height="100" rx="{100 * corner:.1f}"'
        parts.append(f'{box} fill="{body}" stroke="{INK}" stroke-width="2"/>')
        for (x, y), pip in zip(SITES_XY, pattern, strict=True):
            if pip:
                cx, cy = left + 50 + 100 * spacing * x, 55 + 100 * spacing * y
                parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{r:.1f}" fill="{pips}"/>')
    return svg(660, 110, "".join(parts))


def css(colour: Colour) -> str:
    """The colour as #rrggbb."""
    blue, green, red = (round(level) for level in colour.bgr)
    return f"#{red:02x}{green:02x}{blue:02x}"


def marked_empty(profile: TrayProfile, empty_bgr: BGR) -> BGR:
    """The empty picture, its floor's outline green, shadows hatched blue and glare ringed red."""
    marked = empty_bgr.copy()
    floor = floor_of(profile)
    grey = cv2.GaussianBlur(cv2.cvtColor(empty_bgr, cv2.COLOR_BGR2GRAY), (0, 0), profile.width_px / 100)
    usual = float(np.median(grey[floor > 0]))
    rows, columns = np.indices(grey.shape)
    hatch = (rows + columns) % 12 < 3
    marked[(grey < SHADOW * usual) & (floor > 0) & hatch] = (220, 120, 40)
    edges, _ = cv2.findContours(floor, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(marked, edges, -1, (80, 200, 60), 2)
    spots = profile.light.glare_xyr_px if profile.light else None
    for x, y, r in () if spots is None else spots:
        cv2.circle(marked, (round(x), round(y)), round(r) + 8, (40, 40, 230), 3)
    return marked


def from_above(lens: Lens, pose: Pose, outline_mm: Floats | None, picture_bgr: BGR) -> BGR:
    """The tray from straight above with a line every 20 mm, `WIDTH_PX` wide."""
    corners = outline_mm
    if corners is None:
        corners = picture_outline(lens, pose).corners_mm
    low, high = corners.min(0) - 10, corners.max(0) + 10
    scale = WIDTH_PX / (high[0] - low[0])
    columns, rows = np.meshgrid(np.arange(WIDTH_PX), np.arange(int((high[1] - low[1]) * scale)))
    x, y = low[0] + columns / scale, high[1] - rows / scale
    at = project(lens, pose, np.stack([x, y, np.zeros_like(x)], -1)).astype(np.float32)
    flat = cv2.remap(picture_bgr, at[..., 0], at[..., 1], cv2.INTER_AREA)
    line = ((x % GRID_MM) < 1 / scale) | ((y % GRID_MM) < 1 / scale)
    flat[line] = np.clip(flat[line].astype(int) + 50, 0, 255).astype(np.uint8)
    return np.asarray(flat, np.uint8)


def image_tag(picture: NDArray[np.uint8], what: str) -> str:
    """The picture inside the page, as JPEG."""
    height = round(picture.shape[0] * WIDTH_PX / picture.shape[1])
    small = cv2.resize(picture, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    data = base64.b64encode(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()).decode()
    return f'<img alt="{what}" width="{WIDTH_PX}" src="data:image/jpeg;base64,{data}">'
