"""A profile in words: what was measured, how well, and whether it is fit for play."""

from dataclasses import fields, replace

import numpy as np

from calibration.drawings import css
from calibration.verdict import doubts, lacks
from vision.colours import colour_name
from vision.profile import Colour, DieKind, Measured, TrayProfile
from vision.rectify import camera_position_mm

Row = tuple[str, str]

UNITS = ("mm", "px", "deg", "us", "dpt")


def describe(profile: TrayProfile) -> tuple[Row, ...]:
    """Rows of (part, sentence), in the order of the calibration's steps, the verdict last."""
    rows = [("camera", f"{profile.camera or 'any'}, pictures of {profile.width_px}x{profile.height_px}")]
    rows += _optics(profile)
    if profile.outline_mm is not None:
        sides_mm = np.linalg.norm(np.diff(profile.outline_mm, axis=0), axis=1)
        where = f"; no wall seen at the {' and '.join(profile.open_sides)}" if profile.open_sides else ""
        rows.append(("tray", f"{max(sides_mm[:2]):.0f} x {min(sides_mm[:2]):.0f} mm of floor{where}"))
    if profile.light:
        light = profile.light
        spots = 0 if light.glare_xyr_px is None else len(light.glare_xyr_px)
        glare = "no glare" if not spots else f"{spots} glare spot{'s' if spots > 1 else ''}"
        rows.append(
            ("light", f"floor at grey {light.median:.0f}, noise {light.noise:.1f}, {light.clipped:.1%} white, {glare}")
        )
    if profile.exposure:
        rows.append(("locked", _named(profile.exposure)))
    if profile.dice:
        rows.append(("dice", _named(replace(profile.dice, kinds=()))))
        for number, kind in enumerate(profile.dice.kinds, 1):
            rows += [(f"kind {number}", sentence) for sentence in _kind(kind)]
    rows += [("lacks", sentence) for sentence in lacks(profile)]
    rows += [("doubt", sentence) for sentence in doubts(profile)]
    rows.append(("verdict", verdict(profile)))
    return tuple(rows)


def print_rows(profile: TrayProfile, now: str = "") -> None:
    """Prints the description, and `now`, what the camera says of it at present."""
    for part, sentence in (*describe(profile), *([("now", now)] if now else [])):
        print(f"{part:8} {sentence}")


def verdict(profile: TrayProfile) -> str:
    """Whether the profile as such is fit for play; only rolls read with it (`check`) can prove it."""
    if profile.pose is None or profile.dice is None or profile.empty_bgr is None:
        return "usable, and less is claimed: " + "; ".join(lacks(profile))
    if doubts(profile):
        return "usable, but mend the doubts first"
    return "fit for play: prove it with `mishimash calibrate check`"


def _optics(profile: TrayProfile) -> list[Row]:
    rows = []
    lens, pose, board = profile.lens, profile.pose, profile.board
    if lens:
        field_deg = np.rad2deg(2 * np.arctan(lens.width_px / 2 / lens.focal_px))
        how = "measured" if board is None or board.focal_measured else "assumed"
        focal = f"focal length {lens.focal_px:.0f} px ({field_deg:.0f}° across), {how}"
        rows.append(("lens", f"{focal}; distortion k1 {lens.k1:+.3f}"))
    if lens and pose:
        height_mm = camera_position_mm(pose)[2]
        off_deg = np.rad2deg(np.arccos(np.clip(-pose.R_camera_tray[2, 2], -1, 1)))
        scale = lens.focal_px / pose.t_camera_tray_mm[2]
        rows.append(
            ("pose", f"camera {height_mm:.0f} mm over the floor, {off_deg:.1f}° off straight down; {scale:.1f} px a mm")
        )
    if board:
        rows.append(
            (
                "board",
                f"{len(board.corners_px)} corners, off by {board.rms_px:.2f} px rms ({board.rms_mm:.2f} mm), "
                f"{board.worst_px:.2f} px at worst; edges smeared over {board.edge_blur_px:.1f} px",
            )
        )
    return rows


def _kind(kind: DieKind) -> list[str]:
    """What dice of one kind look like and how large they are, each with how far faces differ and how sure it is."""
    polarity = "lighter" if kind.pip_step.median > 0 else "darker"
    name = " ".join(filter(None, (str(kind.count), colour_name(np.array(kind.body.bgr)))))
    look = (
        f"{name} {'die' if kind.count == 1 else 'dice'}, {_colour(kind.body)} with {polarity} pips {_colour(kind.pips)}"
    )
    parts = [f"pips over body {_distribution(kind.pip_step)}", f"edge {_distribution(kind.edge_mm, ' mm')}"]
    for part in ("corner_radius", "pip_radius", "pip_spacing", "one_radius"):
        if measured := getattr(kind, part):
            parts.append(f"{part.replace('_', ' ')} {_distribution(measured)}")
    return [f"{look}; seen on {kind.edge_mm.seen} faces", ", ".join(parts)]


def _colour(colour: Colour) -> str:
    return f"{css(colour)} (sd {colour.sd:.0f})"


def _distribution(measured: Measured, unit: str = "") -> str:
    """The median with its standard error, and how far single faces lie from it."""
    if measured.seen == 1:
        return f"{measured.median:.3g}{unit} (seen once)"
    return f"{measured.median:.3g} ± {measured.error:.1g}{unit} (sd {measured.sd:.1g})"


def _named(part: object) -> str:
    """The known fields of a dataclass as "name value unit", underscores as spaces."""
    said = []
    for field in fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        if value is None or value == ():
            continue
        name, unit = field.name, ""
        if (last := name.rpartition("_")[2]) in UNITS:
            name, unit = name.removesuffix(f"_{last}"), f" {last}"
        text = f"{value:.3g}" if isinstance(value, float) else str(value)
        said.append(f"{name.replace('_', ' ')} {text}{unit}")
    return ", ".join(said)
