"""What a profile says that is of the right type and yet cannot be, one sentence each; pure."""

from collections.abc import Iterator

import numpy as np

from vision.profile import BoardFit, DiceModel, DieKind, Exposure, Light, TrayProfile

# In die edges: pips and their spacing are within a face.
_MOST_OF_AN_EDGE = 0.5


def impossible(profile: TrayProfile) -> Iterator[str]:
    """What cannot be in the profile, with the place in its file."""
    yield from _optics(profile)
    if profile.dice:
        yield from _dice(profile.dice)
    if profile.board:
        yield from _board(profile.board)
    if profile.light:
        yield from _light(profile.light)
    if profile.exposure:
        yield from _exposure(profile.exposure)


def _optics(profile: TrayProfile) -> Iterator[str]:
    lens, pose, outline = profile.lens, profile.pose, profile.outline_mm
    if not (0 < profile.width_px <= 20000 and 0 < profile.height_px <= 20000):
        yield f"width_px, height_px = {profile.width_px}, {profile.height_px} is no picture's size"
    if lens is not None:
        if (lens.width_px, lens.height_px) != (profile.width_px, profile.height_px):
            yield f"[lens] is for {lens.width_px}x{lens.height_px}, not {profile.width_px}x{profile.height_px}"
        if not 0.2 < lens.focal_px / max(lens.width_px, 1) < 20:
            yield f"focal_px in [lens] = {lens.focal_px:g} is no focal length for {lens.width_px} pixels"
        if not (0 < lens.centre_xy_px[0] < lens.width_px and 0 < lens.centre_xy_px[1] < lens.height_px):
            yield f"centre_xy_px in [lens] = {lens.centre_xy_px} lies outside the picture"
        if abs(lens.k1) > 1:
            yield f"k1 in [lens] = {lens.k1:g} bends the picture over itself"
    if pose is not None:
        R, t = pose.R_camera_tray, pose.t_camera_tray_mm
        if R.shape != (3, 3) or not np.allclose(R.T @ R, np.eye(3), atol=1e-4) or np.linalg.det(R) < 0:
            yield "R_camera_tray in [pose] is no rotation"
        elif t.shape != (3,) or -(R.T @ t)[2] <= 0:
            yield "t_camera_tray_mm in [pose] puts the camera under the floor of the tray"
        if lens is None:
            yield "[pose] without [lens] cannot be used"
    if outline is not None and (outline.ndim != 2 or outline.shape[1] != 2 or len(outline) < 3):
        yield "outline_mm needs three or more corners [x, y]"


def _dice(dice: DiceModel) -> Iterator[str]:
    if not 4 <= dice.edge_mm <= 60:
        yield f"edge_mm in [dice] = {dice.edge_mm:g} is no die's edge (4 to 60 mm)"
    for name in ("pip_radius", "pip_spacing", "one_radius"):
        value = getattr(dice, name)
        if value is not None and not 0 < value < _MOST_OF_AN_EDGE:
            yield f"{name} in [dice] = {value:g} is no part of a die's edge (more than 0, less than 0.5)"
    for i, kind in enumerate(dice.kinds, 1):
        yield from _kind(kind, f"[dice.kinds[{i}]]")


def _kind(kind: DieKind, place: str) -> Iterator[str]:
    if kind.count < 1:
        yield f"count in {place} = {kind.count} is no number of dice"
    for name in kind.__slots__:
        part = getattr(kind, name)
        if name in ("body", "pips") and not all(0 <= level <= 255 for level in part.bgr):
            yield f"{name} in {place} = {part.bgr} is no colour (0 to 255)"
        if name != "count" and part is not None and (part.sd < 0 or part.seen < 1):
            yield f"{name} in {place} has sd = {part.sd:g} and seen = {part.seen}"
    if not 4 <= kind.edge_mm.median <= 60:
        yield f"edge_mm in {place} = {kind.edge_mm.median:g} is no die's edge (4 to 60 mm)"


def _board(board: BoardFit) -> Iterator[str]:
    if not 0 < board.square_mm <= 1000:
        yield f"square_mm in [board] = {board.square_mm:g} is no board's square"
    if board.corners_px.ndim != 2 or board.corners_px.shape[1] != 2 or not len(board.corners_px):
        yield "corners_px in [board] needs corners [x, y]"
    elif board.residuals_px.shape != board.corners_px.shape:
        yield "residuals_px in [board] needs one [x, y] for each corner"


def _light(light: Light) -> Iterator[str]:
    for name in ("clipped", "dark"):
        if not 0 <= getattr(light, name) <= 1:
            yield f"{name} in [light] = {getattr(light, name):g} is no share (0 to 1)"
    spots = light.glare_xyr_px
    if spots is not None and spots.size and (spots.ndim != 2 or spots.shape[1] != 3):
        yield "glare_xyr_px in [light] needs spots [x, y, radius]"


def _exposure(exposure: Exposure) -> Iterator[str]:
    if exposure.exposure_us <= 0:
        yield f"exposure_us in [exposure] = {exposure.exposure_us} is no exposure time"
    if min(exposure.gain, *exposure.colour_gains) <= 0:
        yield f"gain, colour_gains in [exposure] = {exposure.gain:g}, {exposure.colour_gains} must be more than 0"
