"""Live inputs with real gpiozero pins: which presses the table hears while its screen changes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

import companion.inputs
from companion import table
from companion.contact_sheet import after
from companion.inputs import LiveInputs, still_looking
from companion.pressing import ButtonPlayer
from companion.table import DiceRest, Pressed, Settings, Table, Tick
from hardware.debounce import HOLD_S
from hardware.gpio import GpioButtons, Wiring

BANK_PIN, ROLL_PIN = 17, 27
BEGUN = table.new_table(Settings(("Ana", "Bo")))
ROLLED = after(BEGUN, DiceRest((1, 1, 2, 3, 4, 5), 0.99))
BANKED = after(ROLLED, Pressed("bank"))


class Nothing:
    """A camera that shows nothing new."""

    now_s = 0.0

    def look(self, at: Table) -> tuple[table.Input, ...]:
        time.sleep(0.01)
        return ()


class Clock:
    """The time, moved by hand."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Bench:
    """Two pins, their buttons and the inputs; all on one clock."""

    def __init__(self, factory: MockFactory, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        # Each look at the clock moves it a little, so that a wait for a press ends.
        def ticking() -> float:
            clock.now_s += 0.01
            return clock.now_s

        monkeypatch.setattr(LiveInputs, "now_s", property(lambda self: ticking()))
        self.clock = clock
        self._factory = factory
        self.buttons = GpioButtons(Wiring(), clock)
        self.inputs = LiveInputs(Nothing(), ButtonPlayer(self.buttons), lambda press, at: False)

    def wait(self, seconds: float) -> None:
        """Lets time pass without anybody asking for presses."""
        self.clock.now_s += seconds

    def down(self, *pins: int) -> None:
        """Closes contacts."""
        for pin in pins:
            self._factory.pin(pin).drive_low()

    def up(self, *pins: int) -> None:
        """Opens contacts."""
        for pin in pins:
            self._factory.pin(pin).drive_high()

    def press(self, pin: int) -> None:
        """A short press."""
        self.down(pin)
        self.wait(0.08)
        self.up(pin)
        self.wait(0.08)

    def heard(self, at: Table) -> Sequence[table.Input]:
        """What the table hears next, without ticks."""
        return [one for one in self.inputs.next(at) if not isinstance(one, Tick)]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    before, Device.pin_factory = Device.pin_factory, MockFactory()
    made = Bench(Device.pin_factory, Clock(), monkeypatch)
    yield made
    made.inputs.close()
    made.buttons.close()
    Device.pin_factory.close()
    Device.pin_factory = before


def hold_bank(bench: Bench) -> None:
    bench.down(BANK_PIN)
    bench.wait(HOLD_S / 2)


def press_bank(bench: Bench) -> None:
    bench.press(BANK_PIN)


def press_both(bench: Bench) -> None:
    bench.down(BANK_PIN, ROLL_PIN)
    bench.wait(HOLD_S / 2)


@pytest.mark.parametrize("began", [hold_bank, press_bank, press_both])
def test_what_began_before_the_screen_changed_is_not_for_the_new_one(
    bench: Bench, began: Callable[[Bench], None]
) -> None:
    assert bench.heard(BEGUN) == []
    began(bench)
    assert bench.heard(ROLLED) == []
    bench.wait(HOLD_S)
    assert bench.heard(ROLLED) == []
    bench.up(BANK_PIN, ROLL_PIN)
    bench.wait(0.1)
    assert bench.heard(ROLLED) == []
    bench.press(BANK_PIN)
    assert bench.heard(ROLLED) == [Pressed("bank")]


def test_a_hold_lasts_while_the_same_screen_is_told_anew(bench: Bench) -> None:
    assert bench.heard(ROLLED) == []
    bench.down(BANK_PIN)
    # Waiting in vain takes a quarter of a second each time.
    assert bench.heard(ROLLED.with_scene(replace(ROLLED.scene))) == []
    assert bench.heard(ROLLED.with_scene(replace(ROLLED.scene))) == []
    assert bench.heard(ROLLED) == [Pressed("bank", held=True)]


def test_of_two_presses_heard_late_the_second_is_not_for_the_screen_that_the_first_brought(bench: Bench) -> None:
    assert bench.heard(ROLLED) == []
    bench.press(BANK_PIN)
    bench.press(BANK_PIN)
    assert bench.heard(ROLLED) == [Pressed("bank")]
    assert bench.heard(BANKED) == []
    bench.press(ROLL_PIN)
    assert bench.heard(BANKED) == [Pressed("roll")]


def test_of_two_presses_heard_late_both_count_while_the_screen_stays(bench: Bench) -> None:
    assert bench.heard(ROLLED) == []
    bench.press(ROLL_PIN)
    bench.press(ROLL_PIN)
    assert [bench.heard(ROLLED), bench.heard(ROLLED), bench.heard(ROLLED)] == [[Pressed("roll")], [Pressed("roll")], []]


def test_both_at_once_are_one_press_and_neither_of_the_two(bench: Bench) -> None:
    assert bench.heard(ROLLED) == []
    bench.down(BANK_PIN, ROLL_PIN)
    bench.wait(HOLD_S + 0.01)
    assert bench.heard(ROLLED) == [Pressed("both", held=True)]
    bench.up(BANK_PIN)
    bench.wait(0.2)
    bench.up(ROLL_PIN)
    bench.wait(0.2)
    assert bench.heard(ROLLED) == []


def test_a_camera_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, picture_comes = threading.Event(), threading.Event()

    class Hangs(Nothing):
        def look(self, at: Table) -> tuple[table.Input, ...]:
            looks.set()
            picture_comes.wait()
            return ()

    monkeypatch.setattr(companion.inputs, "END_WITHIN_S", 0.01)
    inputs = LiveInputs(Hangs(), lambda at, now_s: (), lambda press, at: False)
    inputs.next(BEGUN)
    assert looks.wait(5)
    inputs.close()
    assert still_looking()
    picture_comes.set()
    monkeypatch.setattr(companion.inputs, "END_WITHIN_S", 5.0)
    inputs.close()
    assert not still_looking()
