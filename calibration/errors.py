"""What can go wrong while calibrating, in words the owner can act on."""


class CalibrationError(Exception):
    """Calibration cannot go on; the text is one sentence that says what is wrong and what to do."""
