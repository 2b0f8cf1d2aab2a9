"""Exposure, gain, white balance and focus of a camera, held fixed so that two pictures of one tray are alike."""

import logging
from dataclasses import dataclass
from typing import Any

logger = logging.getLogger("mishimash")


@dataclass(frozen=True, slots=True)
class Locks:
    """What is held fixed so that two pictures of one tray are alike."""

    exposure_us: int
    gain: float
    colour_gains: tuple[float, float]
    lens_position: float | None = None

    def controls(self, offered: Any) -> dict[str, Any]:
        """These values as libcamera controls, as far as the camera offers them; they end its own adjusting."""
        values: dict[str, Any] = {
            "ExposureTime": self.exposure_us,
            "AnalogueGain": self.gain,
            "ColourGains": self.colour_gains,
        }
        if self.lens_position is not None and "LensPosition" in offered:
            values |= {"AfMode": 0, "LensPosition": self.lens_position}  # 0: focus by hand
        return {name: value for name, value in values.items() if name in offered}


def drift(metadata: dict[str, Any], locks: Locks, share: float = 0.05) -> str:
    """Which values a picture was taken with lie further than `share` from what is locked, in words; "" for none."""
    red, blue = metadata.get("ColourGains") or (None, None)
    values = {
        "exposure in µs": (metadata.get("ExposureTime"), locks.exposure_us),
        "gain": (metadata.get("AnalogueGain"), locks.gain),
        "gain of red": (red, locks.colour_gains[0]),
        "gain of blue": (blue, locks.colour_gains[1]),
        "lens position": (metadata.get("LensPosition"), locks.lens_position),
    }
    return ", ".join(
        f"{name} {value:.6g} instead of {wanted:.6g}"
        for name, (value, wanted) in values.items()
        # A lens at infinity is at position 0, and what is measured of it is never quite that.
        if value is not None and wanted is not None and abs(value - wanted) > share * max(abs(wanted), 0.5)
    )


def locks_of(metadata: dict[str, Any]) -> Locks:
    """The values a picture was taken with, to be held from now on."""
    red, blue = metadata.get("ColourGains") or (1.0, 1.0)
    return Locks(
        int(metadata["ExposureTime"]),
        float(metadata.get("AnalogueGain", 1.0)),
        (red, blue),
        metadata.get("LensPosition"),
    )


class Holding:
    """Looks now and then whether a camera holds what is locked; `trouble` says so in one sentence when it does not."""

    def __init__(self, locks: Locks) -> None:
        self.trouble = ""
        self._locks = locks
        self._slipped = False

    def slips(self, metadata: dict[str, Any]) -> bool:
        """Whether to lock again after a picture taken with these values; trouble is what still slips after that."""
        off = drift(metadata, self._locks)
        again, self._slipped = self._slipped, bool(off)
        if not (off and again):
            self.trouble = ""
        elif not self.trouble:
            self.trouble = (
                f"the camera does not hold its settings ({off}): end other programs that set it, or run "
                "`mishimash calibrate light`"
            )
            logger.warning("%s", self.trouble)
        return self._slipped
