"""A bus with an OLED on it that turns the bytes it gets back into pixels, loses power and fails in every way."""

import errno
from collections.abc import Iterator

import numpy as np
from PIL import Image

# Commands that take parameters, with their number, by chip; all others are single bytes.
PARAMETERS = {0x81: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1, 0x8D: 1, 0xAD: 1}
WINDOWED = {0x20: 1, 0x21: 2, 0x22: 2}


class OledBus:
    """An smbus2.SMBus with one panel. `windowed`: SSD1306 and its like; else an SH1106 (132 columns, pages only)."""

    def __init__(self, windowed: bool = True, address: int = 0x3C, reads_back: bool = True) -> None:
        self.address, self.windowed, self.reads_back = address, windowed, reads_back
        self.fault: OSError | None = None
        self.closed = False
        self.bytes_sent = 0
        self.power_cycle()

    def power_cycle(self) -> None:
        """The panel forgets its set-up; its memory is noise."""
        self.ram = np.random.default_rng(0).integers(0, 256, (8, 132), dtype=np.uint8)
        self.on, self.contrast, self.ready = False, 0x7F, False
        self.page = self.column = 0
        self.columns, self.pages = (0, 127), (0, 7)

    def write_i2c_block_data(self, address: int, control: int, data: list[int]) -> None:
        """Commands (control 0x00) and pixels (0x40)."""
        self._answer(address)
        assert len(data) <= 32
        self.bytes_sent += len(data) + 2
        if control == 0x40:
            for byte in data:
                self._pixels(byte)
        else:
            rest = iter(data)
            for code in rest:
                self._command(code, rest)

    def read_byte(self, address: int) -> int:
        """The status byte: bit 6 is set while the panel is off."""
        self._answer(address)
        if not self.reads_back:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return 0x00 if self.on else 0x40

    def close(self) -> None:
        """Remembered for the tests."""
        self.closed = True

    def picture(self, size_px: tuple[int, int] = (128, 64)) -> Image.Image:
        """What a person sees: black while the panel is off."""
        width, height = size_px
        first = 0 if self.windowed else 2
        bits = (self.ram[:, None, :] >> np.arange(8)[None, :, None]) & 1
        lit = bits.reshape(64, 132)[:height, first : first + width].astype(bool)
        return Image.fromarray(lit & (self.on and self.ready))

    def _answer(self, address: int) -> None:
        if self.fault:
            raise self.fault
        if address != self.address:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _pixels(self, byte: int) -> None:
        self.ram[self.page, self.column] = byte
        self.column += 1
        if self.windowed and self.column > self.columns[1]:
            self.column = self.columns[0]
            self.page = self.pages[0] if self.page >= self.pages[1] else self.page + 1

    def _command(self, code: int, rest: Iterator[int]) -> None:
        if code in (0xAE, 0xAF):
            self.on = code == 0xAF
        elif self.windowed and code in WINDOWED:
            values = [next(rest) for _ in range(WINDOWED[code])]
            if code == 0x21:
                self.columns, self.column = (values[0], values[1]), values[0]
            elif code == 0x22:
                self.pages, self.page = (values[0], values[1]), values[0]
        elif code in PARAMETERS:
            value = next(rest)
            if code == 0x81:
                self.contrast = value
            elif code == 0xA8:
                self.ready = True
        elif 0xB0 <= code <= 0xB7:
            self.page = code & 7
        elif code <= 0x0F:
            self.column = (self.column & 0xF0) | code
        elif code <= 0x1F:
            self.column = (self.column & 0x0F) | ((code & 15) << 4)


class GreyPanel:
    """An SSD1322 on SPI, 256×64 in sixteen greys: the modules `spidev` and `RPi.GPIO` in one, as luma uses them."""

    BCM, OUT, LOW, HIGH = 11, 0, 0, 1
    DC_PIN = 24

    def __init__(self) -> None:
        self.ram = np.zeros((64, 480), np.uint8)
        self.data, self.code, self.arguments = False, 0, list[int]()
        self.columns, self.rows, self.at = (0, 119), (0, 63), 0
        self.max_speed_hz = 0
        self.opened: tuple[int, int] | None = None

    def open(self, port: int, device: int) -> None:
        self.opened = (port, device)

    def close(self) -> None:
        self.opened = None

    def setmode(self, mode: int) -> None: ...

    def setwarnings(self, on: bool) -> None: ...

    def setup(self, pin: int, direction: int) -> None: ...

    def cleanup(self, pins: object = None) -> None: ...

    def output(self, pin: int, level: int) -> None:
        if pin == self.DC_PIN:
            self.data = bool(level)

    def writebytes(self, values: list[int]) -> None:
        for value in values:
            if not self.data:
                self.code, self.arguments, self.at = value, [], 0
            elif self.code == 0x5C:
                self._pixels(value)
            else:
                self.arguments.append(value)
                if len(self.arguments) == 2 and self.code == 0x15:
                    self.columns = (self.arguments[0], self.arguments[1])
                elif len(self.arguments) == 2 and self.code == 0x75:
                    self.rows = (self.arguments[0], self.arguments[1])

    writebytes2 = writebytes

    def _pixels(self, value: int) -> None:
        width = (self.columns[1] - self.columns[0] + 1) * 4
        row, column = divmod(self.at, width)
        self.ram[self.rows[0] + row, self.columns[0] * 4 + column : self.columns[0] * 4 + column + 2] = (
            value >> 4,
            value & 15,
        )
        self.at += 2

    def picture(self) -> Image.Image:
        """What a person sees, any grey counted as lit."""
        return Image.fromarray(self.ram[:, 112 : 112 + 256] > 0)
