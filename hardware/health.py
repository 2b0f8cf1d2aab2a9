"""How warm the machine is."""

from pathlib import Path

THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")


def temperature_c(file: Path = THERMAL) -> float | None:
    """The processor's temperature in °C; None where the kernel does not tell."""
    try:
        return int(file.read_text()) / 1000
    except (OSError, ValueError):
        return None
