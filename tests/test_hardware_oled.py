"""Real luma.oled on a bus whose panel turns the traffic back into pixels and fails in every way a panel can."""

import errno
import sys
import threading
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from hardware.displays import open_display
from hardware.oled import HEARTBEAT_S, RETRY_S, Keeper, OledDisplay
from hardware.panel import LumaPanel, OledSettings
from hardware.ports import DeviceError
from tests.panel import GreyPanel, OledBus

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # luma's

FAULTS = [errno.EIO, errno.EREMOTEIO, errno.ETIMEDOUT, errno.ENODEV, errno.ENXIO, errno.EOPNOTSUPP, errno.EAGAIN]


def picture(seed: int, size_px: tuple[int, int] = (128, 64)) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).random(size_px[::-1]) < 0.3)


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.tobytes() == other.tobytes()


def opener(bus: OledBus) -> Callable[[], LumaPanel]:
    return lambda: LumaPanel(OledSettings(), bus)


@pytest.mark.parametrize(
    ("chip", "height", "windowed"),
    [("ssd1306", 64, True), ("ssd1306", 32, True), ("ssd1309", 64, True), ("ssd1315", 64, True), ("sh1106", 64, False)],
)
@pytest.mark.parametrize("rotate_deg", [0, 180])
def test_what_is_drawn_is_what_the_panel_shows(chip: str, height: int, windowed: bool, rotate_deg: int) -> None:
    bus, wanted = OledBus(windowed), picture(1, (128, height))
    panel = LumaPanel(OledSettings(chip, 128, height, rotate_deg=rotate_deg), bus)
    panel.draw(wanted)
    panel.dim(33)
    assert same(bus.picture((128, height)), wanted.rotate(rotate_deg))
    assert bus.contrast == 33


@pytest.mark.parametrize("address", [0x3C, 0x3D])
def test_the_address_is_found(address: int) -> None:
    bus = OledBus(address=address)
    LumaPanel(OledSettings(), bus).draw(picture(1))
    assert same(bus.picture(), picture(1))


def test_an_unchanged_picture_is_not_sent_again() -> None:
    bus = OledBus()
    keeper = Keeper(opener(bus))
    keeper.tend(picture(1), 0.0)
    sent = bus.bytes_sent
    keeper.tend(picture(1), 0.1)
    assert bus.bytes_sent == sent
    keeper.tend(picture(1), HEARTBEAT_S + 0.1)
    assert bus.bytes_sent - sent == 3
    keeper.tend(picture(2), HEARTBEAT_S + 0.2)
    assert bus.bytes_sent - sent > 1024


@pytest.mark.parametrize("number", FAULTS)
@pytest.mark.parametrize("while_drawing", [True, False])
def test_a_panel_pulled_and_put_back_shows_the_newest_picture_within_5_s(number: int, while_drawing: bool) -> None:
    bus = OledBus()
    keeper = Keeper(opener(bus))
    keeper.tend(picture(1), 0.0)
    bus.fault = OSError(number, "gone")
    for tenth in range(1, 30):
        keeper.tend(picture(2 if while_drawing else 1), tenth / 10)
    assert "\n" not in keeper.trouble
    assert keeper.trouble
    bus.fault = None
    bus.power_cycle()
    for tenth in range(30, 80):
        keeper.tend(picture(3), tenth / 10)
        if not keeper.trouble:
            break
    assert tenth / 10 - 3.0 <= RETRY_S + 0.1
    assert same(bus.picture(), picture(3))


def test_a_power_cut_too_short_for_any_error_is_noticed_by_the_panel_being_off() -> None:
    bus = OledBus()
    keeper = Keeper(opener(bus))
    keeper.tend(picture(1), 0.0)
    bus.power_cycle()
    for tenth in range(1, 30):
        keeper.tend(picture(1), tenth / 10)
    assert same(bus.picture(), picture(1))


def test_a_panel_that_cannot_be_read_is_driven_all_the_same() -> None:
    bus = OledBus(reads_back=False)
    keeper = Keeper(opener(bus))
    for tenth in range(20):
        keeper.tend(picture(1), tenth / 10)
    assert (same(bus.picture(), picture(1)), keeper.trouble) == (True, "")


def test_no_panel_at_boot_is_no_error_and_one_that_comes_later_is_taken() -> None:
    bus = OledBus()
    bus.fault = OSError(errno.EREMOTEIO, "nothing there")
    keeper = Keeper(opener(bus))
    for tenth in range(20):
        keeper.tend(picture(1), tenth / 10)
    assert "no display answers at 0x3C or 0x3D on I2C bus 1" in keeper.trouble
    bus.fault = None
    keeper.tend(picture(2), 9.0)
    assert same(bus.picture(), picture(2))


@pytest.mark.parametrize(
    ("settings", "fault", "reason"),
    [
        (OledSettings(chip="ssd9999"), None, "chip 'ssd9999' is not known; known are: ssd1306"),
        (OledSettings(width_px=100), None, "Unsupported display mode: 100 x 64; set width_px"),
        (OledSettings(), OSError(errno.EACCES, "Permission denied"), "usermod -aG i2c"),
        (OledSettings(address=0x3D), None, "no display answers at 0x3D"),
        (OledSettings(), OSError(errno.ETIMEDOUT, "timed out"), "the bus hangs"),
    ],
)
def test_a_panel_that_cannot_be_had_is_one_line(settings: OledSettings, fault: OSError | None, reason: str) -> None:
    bus = OledBus()
    bus.fault = fault
    with pytest.raises(DeviceError, match=reason) as error:
        LumaPanel(settings, bus)
    assert "\n" not in str(error.value)


def test_a_missing_bus_is_one_line() -> None:
    with pytest.raises(DeviceError, match="i2c 93: there is no such bus"):
        LumaPanel(OledSettings(port=93))


class HeldPanel:
    """A panel whose bus holds every drawing until it is let go."""

    def __init__(self) -> None:
        self.entered, self.go, self.drawn = threading.Semaphore(0), threading.Semaphore(0), list[bytes]()

    def draw(self, picture: Image.Image) -> None:
        self.entered.release()
        assert self.go.acquire(timeout=5)
        self.drawn.append(picture.tobytes())

    def dim(self, brightness: int) -> None: ...

    def check(self) -> None: ...

    def off(self) -> None:
        self.drawn.append(b"off")


def test_show_never_waits_for_the_bus_and_the_newest_picture_wins() -> None:
    panel = HeldPanel()
    display = OledDisplay(lambda: panel, (128, 64))
    display.show(picture(0))
    assert panel.entered.acquire(timeout=5)
    for seed in range(1, 50):
        display.show(picture(seed))
    panel.go.release(2)
    assert panel.entered.acquire(timeout=5)
    display.close()
    assert panel.drawn == [picture(0).tobytes(), picture(49).tobytes(), b"off"]


def test_what_is_shown_last_is_drawn_before_the_panel_is_turned_off() -> None:
    panel = HeldPanel()
    display = OledDisplay(lambda: panel, (128, 64))
    display.show(picture(0))
    assert panel.entered.acquire(timeout=5)
    display.show(picture(1))
    panel.go.release(2)
    display.close()
    assert panel.drawn == [picture(0).tobytes(), picture(1).tobytes(), b"off"]


@pytest.mark.parametrize("blank", [True, False])
def test_a_panel_that_is_turned_off_is_dark_or_keeps_its_last_picture_as_the_settings_say(blank: bool) -> None:
    bus = OledBus()
    panel = LumaPanel(OledSettings(blank_at_end=blank), bus)
    panel.draw(picture(1))
    panel.off()
    assert (bus.on, bus.closed) == (not blank, True)
    assert blank or same(bus.picture(), picture(1))


def test_close_leaves_the_panel_dark_and_gives_the_bus_back() -> None:
    bus = OledBus()
    keeper = Keeper(opener(bus))
    keeper.tend(picture(1), 0.0)
    keeper.off()
    assert (bus.on, bus.closed) == (False, True)


def test_an_oled_that_is_not_there_does_not_stop_the_program() -> None:
    display = open_display("oled", oled=OledSettings(port=93))
    display.show(picture(1))
    display.close()


def test_a_wide_panel_on_spi_shows_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = GreyPanel()
    spidev, rpi, gpio = ModuleType("spidev"), ModuleType("RPi"), panel
    spidev.SpiDev = lambda: panel  # type: ignore[attr-defined]
    rpi.GPIO = gpio  # type: ignore[attr-defined]
    for name, module in (("spidev", spidev), ("RPi", rpi), ("RPi.GPIO", gpio)):
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    luma = LumaPanel(OledSettings("ssd1322", 256, 64, bus="spi", port=0))
    for seed in (1, 2):
        luma.draw(picture(seed, (256, 64)))
        assert same(panel.picture(), picture(seed, (256, 64)))
    luma.check()
    luma.off()


def test_a_missing_spi_driver_is_one_line() -> None:
    with pytest.raises(DeviceError, match="spi 0") as error:
        LumaPanel(OledSettings("ssd1322", 256, 64, bus="spi", port=0))
    assert "\n" not in str(error.value)
