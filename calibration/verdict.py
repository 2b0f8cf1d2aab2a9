"""What a profile lacks and what is to be doubted in it, in words; pure."""

from vision.profile import BoardFit, DiceModel, Light, TrayProfile

# Shares of the picture's width.
RESIDUAL_DOUBTED = 0.0006
BLUR_DOUBTED = 0.003
WHITE_CLIPPED = 252
FLOOR_CLIPPED = 0.01
TILT_DOUBTED_DEG = 30.0
FACES_DOUBTED = 6
# As a share of the edge; the reader holds the pips' spacing to 7 %.
EDGE_DOUBTED = 0.08


def lacks(profile: TrayProfile) -> tuple[str, ...]:
    """What was not calibrated and what that costs, a sentence each."""
    missing = []
    if profile.pose is None:
        missing.append("board: the camera's pose is unknown, dice are sized by eye")
    elif profile.board and not profile.board.focal_measured:
        missing.append("focal length: the camera looks too straight down to measure it, a usual one is assumed")
    if profile.empty_bgr is None:
        missing.append("empty tray: what lies in the tray is not told from its pattern")
    if profile.dice is None:
        missing.append("dice: their size and pips are unknown")
    return tuple(missing)


def doubts(profile: TrayProfile) -> tuple[str, ...]:
    """What was calibrated and is yet to be doubted, with what to do, a sentence each."""
    said = []
    if profile.board:
        said += _board_doubts(profile.board, profile.width_px)
    if profile.light:
        said += _light_doubts(profile.light, profile)
    if profile.dice:
        said += _dice_doubts(profile.dice)
    return tuple(said)


def _board_doubts(board: BoardFit, width_px: int) -> list[str]:
    said = []
    if board.rms_px > RESIDUAL_DOUBTED * width_px:
        said.append(f"the corners lie {board.rms_px:.1f} px off a flat board: press it flat and repeat `tray`")
    if board.edge_blur_px > BLUR_DOUBTED * width_px:
        said.append(f"edges are smeared over {board.edge_blur_px:.1f} px: turn the lens until sharp and repeat `tray`")
    if board.white > WHITE_CLIPPED:
        said.append("the board is overexposed: dim the lamp or shorten the exposure and repeat `tray`")
    if board.tilt_deg > TILT_DOUBTED_DEG:
        said.append(f"the camera looks down at a slant of {board.tilt_deg:.0f} degrees: dice will hide one another")
    return said


def _light_doubts(light: Light, profile: TrayProfile) -> list[str]:
    said = []
    if light.clipped > FLOOR_CLIPPED:
        said.append(f"{light.clipped:.0%} of the floor is overexposed: dim the lamp and repeat `light`")
    for x, y, _ in () if light.glare_xyr_px is None else light.glare_xyr_px:
        said.append(f"glare {place(profile, x, y)}: move the lamp or shade it, and repeat `light`")
    return said


def _dice_doubts(dice: DiceModel) -> list[str]:
    said = []
    seen = sum(kind.edge_mm.seen for kind in dice.kinds)
    if dice.kinds and seen < FACES_DOUBTED:
        said.append(f"the dice were measured on {seen} faces only: repeat `dice` with all of them")
    for kind in dice.kinds:
        off_mm = abs(kind.edge_mm.median - dice.edge_mm)
        if off_mm > EDGE_DOUBTED * dice.edge_mm and off_mm > 3 * kind.edge_mm.error:
            wide = f"{kind.edge_mm.median:.1f} mm wide, most {dice.edge_mm:.1f} mm"
            said.append(f"some dice are {wide}: play with dice of one size")
    return said


def place(profile: TrayProfile, x_px: float, y_px: float) -> str:
    """Where a point of the picture is, in words: "at the upper left"."""
    across = ("left", "", "right")[min(int(3 * x_px / profile.width_px), 2)]
    down = ("upper", "", "lower")[min(int(3 * y_px / profile.height_px), 2)]
    if across or down:
        return f"at the {' '.join(filter(None, (down, across)))}" + (" edge" if not (across and down) else "")
    return "in the middle"
