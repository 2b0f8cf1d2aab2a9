"""Exposure, gain, white balance and focus of a camera, held fixed so that two pictures of one tray are alike."""

from dataclasses import dataclass
from typing import Any


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


def drifted(metadata: dict[str, Any], locks: Locks, share: float = 0.05) -> bool:
    """Whether a picture was taken with values further than `share` from what is locked."""
    pairs = [
        (metadata.get("ExposureTime"), locks.exposure_us),
        (metadata.get("AnalogueGain"), locks.gain),
        *zip(metadata.get("ColourGains") or (), locks.colour_gains, strict=False),
    ]
    return any(value is not None and abs(value - wanted) > share * abs(wanted) for value, wanted in pairs)


def locks_of(metadata: dict[str, Any]) -> Locks:
    """The values a picture was taken with, to be held from now on."""
    red, blue = metadata.get("ColourGains") or (1.0, 1.0)
    return Locks(
        int(metadata["ExposureTime"]),
        float(metadata.get("AnalogueGain", 1.0)),
        (red, blue),
        metadata.get("LensPosition"),
    )
