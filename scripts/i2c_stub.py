"""Runs as the only program of a User-Mode Linux: the program's own OLED on smbus2 and the kernel's I2C bus.

    python3 i2c_stub.py PROJECT       prints a line a check; the last line is DONE when all of them hold

The chip on the bus is i2c-stub: registers that keep what was written, at address 0x3C.
"""

import sys
from pathlib import Path


def check_picture() -> str:
    """A picture goes over the bus: its last bytes lie in the chip's registers."""
    import numpy as np
    import smbus2
    from PIL import Image

    from hardware.panel import LumaPanel, OledSettings

    lit = np.random.default_rng(1).random((64, 128)) < 0.4
    for chip in ("ssd1306", "sh1106"):
        panel = LumaPanel(OledSettings(chip, port=0))
        panel.draw(Image.fromarray(lit))
        panel.check()
        with smbus2.SMBus(0) as bus:
            kept = bus.read_i2c_block_data(0x3C, 0x40, 32)
        assert kept == list(np.packbits(lit[56:, 96:], axis=0, bitorder="little")[0]), kept
        panel.off()
    return "a picture was found by its address and drawn, as SSD1306 and as SH1106"


def refused(port: int, address: int) -> str:
    """The sentence with which a panel there is refused."""
    from hardware.panel import LumaPanel, OledSettings
    from hardware.ports import DeviceError

    try:
        LumaPanel(OledSettings(port=port, address=address))
    except DeviceError as error:
        return str(error)
    raise AssertionError("it was not refused")


def check_missing() -> str:
    """No panel, and no bus: one sentence each."""
    assert "no display answers at 0x3D" in refused(0, 0x3D), refused(0, 0x3D)
    assert "there is no such bus" in refused(7, 0), refused(7, 0)
    return "a missing panel and a missing bus are told in one sentence"


def check_doctor() -> str:
    """The doctor finds the panel."""
    from hardware.doctor import Wants
    from hardware.doctor_devices import check_display
    from hardware.panel import OledSettings

    checks = check_display(Wants(oled=OledSettings(port=0)))
    assert all(check.ok for check in checks), checks
    return f"the doctor says: {checks[-1].says}"


if __name__ == "__main__":
    sys.path.insert(0, str(Path(sys.argv[1])))
    for check in (check_picture, check_missing, check_doctor):
        print("CHECK", check(), flush=True)
    print("DONE", flush=True)
