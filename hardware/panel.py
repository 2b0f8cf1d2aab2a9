"""One OLED panel on its bus through luma.oled: found, set up, drawn to; every fault becomes a DeviceError."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from PIL import Image

from hardware.ports import DeviceError

ADDRESSES = (0x3C, 0x3D)
COMMAND, NOP = 0x00, 0xE3
STATUS_OFF = 0x40  # bit of the status byte that SSD1306, SSD1309 and SH1106 give when read: the panel is off
CHIPS = ("ssd1306", "sh1106", "ssd1309", "ssd1305", "ssd1315", "ch1115", "ssd1322", "ssd1362", "ssd1327")


@dataclass(frozen=True, slots=True)
class OledSettings:
    """Which panel, and where. `address` 0: look for it. On SPI `port` is the bus; D/C and reset are GPIO 24 and 25."""

    chip: str = "ssd1306"
    width_px: int = 128
    height_px: int = 64
    bus: str = "i2c"
    port: int = 1
    address: int = 0
    rotate_deg: int = 0
    blank_at_end: bool = True


class LumaPanel:
    """A panel as luma drives it. `i2c_bus`: an smbus2.SMBus, or what has its methods."""

    def __init__(self, settings: OledSettings, i2c_bus: Any = None) -> None:
        import luma.oled.device

        chip = getattr(luma.oled.device, settings.chip, None) if settings.chip in CHIPS else None
        if chip is None:
            raise DeviceError(f"display chip '{settings.chip}' is not known; known are: {', '.join(CHIPS)}")
        self._place = f"{settings.chip} on {settings.bus} {settings.port}"
        self._bus = i2c_bus
        self._address = 0
        self._tells_status = False
        try:
            with self._faults():
                serial = self._i2c(settings) if settings.bus == "i2c" else _spi(settings)
                size: dict[str, Any] = {"width": settings.width_px, "height": settings.height_px, "mode": "1"}
                self._device = chip(serial, rotate=2 if settings.rotate_deg == 180 else 0, **size)
                self._device.persist = not settings.blank_at_end
                self._tells_status = self._bus is not None and self._can_tell_status()
        except DeviceError:
            self._close_bus()
            raise

    def draw(self, picture: Image.Image) -> None:
        """Sends the picture; DeviceError when the panel does not answer."""
        with self._faults():
            self._device.display(picture)

    def dim(self, brightness: int) -> None:
        """Sets the contrast, 1 to 255; DeviceError when the panel does not answer."""
        with self._faults():
            self._device.contrast(brightness)

    def check(self) -> None:
        """DeviceError when the panel does not answer, or was without power since it was set up."""
        if self._bus is None:
            return
        with self._faults():
            self._bus.write_i2c_block_data(self._address, COMMAND, [NOP])
            if self._tells_status and self._bus.read_byte(self._address) & STATUS_OFF:
                raise DeviceError(f"{self._place} lost its power for a moment; it is being set up again")

    def off(self) -> None:
        """Blanks the panel, unless the settings leave the last picture standing, and closes the bus."""
        with suppress(DeviceError), self._faults():
            self._device.cleanup()
        self._close_bus()

    def _close_bus(self) -> None:
        if self._bus is not None:
            with suppress(OSError):
                self._bus.close()

    def _can_tell_status(self) -> bool:
        """Whether the panel can be read at all, and tells off from on: some boards and clones do not."""
        told = []
        for switch in (self._device.hide, self._device.show):
            switch()
            try:
                told.append(bool(self._bus.read_byte(self._address) & STATUS_OFF))
            except OSError:
                told.append(False)
        return told == [True, False]

    def _i2c(self, settings: OledSettings) -> Any:
        """The bus with a panel that answers on it. luma keeps each device it ever made, so ask before making one."""
        from luma.core.interface.serial import i2c

        if self._bus is None:
            import smbus2

            self._bus = smbus2.SMBus(settings.port)
        addresses = (settings.address,) if settings.address else ADDRESSES
        for self._address in addresses:
            try:
                self._bus.write_i2c_block_data(self._address, COMMAND, [NOP])
                break
            except OSError as error:
                if error.errno not in (errno.EIO, errno.EREMOTEIO, errno.ENXIO, errno.ENODEV):
                    raise
        else:
            where = " or ".join(f"0x{address:02X}" for address in addresses)
            raise DeviceError(
                f"no display answers at {where} on I2C bus {settings.port}; check its four wires (i2cdetect -y "
                f"{settings.port} shows what is there)"
            )
        self._place += f", address 0x{self._address:02X}"
        return i2c(bus=self._bus, address=self._address)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        from luma.core.error import Error

        try:
            yield
        except (Error, OSError, AssertionError, ImportError) as error:
            raise DeviceError(self._sentence(error)) from error

    def _sentence(self, error: Exception) -> str:
        name, number = type(error).__name__, getattr(error, "errno", None)
        if number == errno.ENOENT:
            return f"{self._place}: there is no such bus; switch it on (sudo raspi-config, Interface Options)"
        if number in (errno.EACCES, errno.EPERM):
            return f"{self._place}: this user may not use the bus; run: sudo usermod -aG i2c $USER, then log in again"
        if name == "DeviceNotFoundError" or number in (errno.EIO, errno.EREMOTEIO, errno.ENXIO, errno.ENODEV):
            return f"{self._place} does not answer any more; check its wires and its power"
        if number == errno.ETIMEDOUT:
            return f"{self._place}: the bus hangs (a wire is loose or short); check SDA and SCL"
        if name == "DeviceDisplayModeError":
            return f"{self._place}: {error}; set width_px and height_px in the config to what the panel has"
        if isinstance(error, ImportError):
            return f"{self._place}: the driver of the bus is missing ({error}); install python3-spidev and rpi-lgpio"
        return f"{self._place}: {error or name}"


def _spi(settings: OledSettings) -> Any:
    from luma.core.interface.serial import spi

    return spi(port=settings.port, device=0)
