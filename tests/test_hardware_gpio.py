"""Real gpiozero on its own MockFactory: pins are driven, presses come out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from hardware.debounce import HOLD_S
from hardware.gpio import GpioButtons, Wiring
from hardware.ports import Button, DeviceError, Press


class Time:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    before, Device.pin_factory = Device.pin_factory, MockFactory()
    yield Device.pin_factory
    Device.pin_factory.close()
    Device.pin_factory = before


def push(factory: MockFactory, time: Time, pin: int, *flips_s: float, pull_up: bool = True) -> None:
    """Closes the contact, then flips it after each of these times."""
    closed = True
    for wait_s in (0.0, *flips_s):
        time.now_s += wait_s
        (factory.pin(pin).drive_low if closed == pull_up else factory.pin(pin).drive_high)()
        closed = not closed


@pytest.mark.parametrize("pull_up", [True, False])
@pytest.mark.parametrize(("pin", "button"), [(17, Button.BANK), (27, Button.ROLL)])
def test_a_bouncing_press_on_a_pin_is_one_press(
    factory: MockFactory, time: Time, pin: int, button: Button, pull_up: bool
) -> None:
    buttons = GpioButtons(Wiring(pull_up=pull_up), time)
    push(factory, time, pin, 0.001, 0.002, 0.0005, 0.001, 0.15, 0.002, 0.001, pull_up=pull_up)
    time.now_s += 0.1
    assert buttons.presses(0.0, asked=False) == [Press(button, False, 100.0)]
    assert buttons.presses(0.0, asked=False) == []
    buttons.close()


def test_holding_one_and_both(factory: MockFactory, time: Time) -> None:
    buttons = GpioButtons(Wiring(), time)
    push(factory, time, 17)
    time.now_s += HOLD_S
    assert buttons.presses(0.0, asked=True) == [Press(Button.BANK, True, 100.0)]
    factory.pin(17).drive_high()
    time.now_s = 200.0
    assert buttons.presses(0.0, asked=True) == []
    push(factory, time, 17)
    push(factory, time, 27)
    time.now_s += HOLD_S
    assert buttons.presses(0.0, asked=True) == [Press(Button.BOTH, True, 200.0)]
    buttons.close()


def test_a_button_already_down_at_the_start_counts_from_then(factory: MockFactory, time: Time) -> None:
    factory.pin(17).drive_low()
    buttons = GpioButtons(Wiring(pull_up=True), time)
    factory.pin(17).drive_low()
    time.now_s += HOLD_S
    assert buttons.presses(0.0, asked=True) == [Press(Button.BANK, True, 100.0)]
    buttons.close()


def test_lights_show_which_buttons_do_something_and_go_out(factory: MockFactory, time: Time) -> None:
    buttons = GpioButtons(Wiring(bank_led_pin=5, roll_led_pin=6), time)
    buttons.light(frozenset({Button.ROLL}))
    assert (factory.pin(5).state, factory.pin(6).state) == (False, True)
    buttons.light(frozenset({Button.BANK}))
    assert (factory.pin(5).state, factory.pin(6).state) == (True, False)
    buttons.close()
    assert factory.pin(5).function == factory.pin(6).function == "input"


def test_the_buzzer_clicks_as_soon_as_a_press_is_accepted(factory: MockFactory, time: Time) -> None:
    buttons = GpioButtons(Wiring(buzzer_pin=13), time)
    before = len(factory.pin(13).states)
    push(factory, time, 17)
    time.now_s += 0.010
    assert buttons.presses(0.0, asked=True) == []
    buttons._buzzer._blink_thread.join()  # type: ignore[union-attr]
    assert [state.state for state in factory.pin(13).states[before:]] == [True, False]
    buttons.close()


def test_pins_can_be_had_again_after_close(factory: MockFactory, time: Time) -> None:
    for _ in range(2):
        GpioButtons(Wiring(bank_led_pin=5), time).close()


@pytest.mark.parametrize(
    ("wiring", "says"),
    [
        (Wiring(bank_pin=17, roll_pin=17), "bank_pin and roll_pin are both GPIO 17;"),
        (Wiring(roll_led_pin=17), "bank_pin and roll_led_pin are both GPIO 17;"),
        (Wiring(bank_led_pin=5, buzzer_pin=5), "bank_led_pin and buzzer_pin are both GPIO 5;"),
    ],
)
def test_one_pin_for_two_parts_is_one_line_with_both_keys(factory: MockFactory, wiring: Wiring, says: str) -> None:
    with pytest.raises(DeviceError, match=says) as error:
        GpioButtons(wiring)
    assert "\n" not in str(error.value)


def test_a_part_that_cannot_be_had_leaves_no_pin_taken(factory: MockFactory, time: Time) -> None:
    with pytest.raises(DeviceError, match="GPIO 99"):
        GpioButtons(Wiring(bank_pin=17, roll_pin=99), time)
    GpioButtons(Wiring(bank_pin=17), time).close()


def test_a_machine_without_pins_says_what_to_do_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
    with pytest.raises(DeviceError) as error:
        GpioButtons(Wiring())
    assert "\n" not in str(error.value)


def test_the_pins_of_the_wiring_plan_are_those_of_the_program() -> None:
    plan = (Path(__file__).parent.parent / "docs" / "hardware.md").read_text(encoding="utf-8")
    wiring = Wiring()
    for name, pin in (("bank_pin", wiring.bank_pin), ("roll_pin", wiring.roll_pin)):
        assert f"GPIO {pin} | `{name} = {pin}`" in plan
