"""The two real buttons on GPIO pins through gpiozero, their optional lights and an optional buzzer."""

import queue
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from hardware.debounce import Down, Gestures, Heard
from hardware.ports import Button, DeviceError, Pressed

CLICK_S = 0.02


@dataclass(frozen=True, slots=True)
class Wiring:
    """BCM numbers of the pins; 0 means that there is no such part. `pull_up`: the buttons switch to ground."""

    bank_pin: int = 17
    roll_pin: int = 27
    pull_up: bool = True
    bank_led_pin: int = 0
    roll_led_pin: int = 0
    buzzer_pin: int = 0

    def check(self) -> None:
        """DeviceError when two parts are given the same pin."""
        key_of: dict[int, str] = {}
        for key in ("bank_pin", "roll_pin", "bank_led_pin", "roll_led_pin", "buzzer_pin"):
            if (pin := getattr(self, key)) and (other := key_of.setdefault(pin, key)) != key:
                raise DeviceError(
                    f"{other} and {key} are both GPIO {pin}; give each a pin of its own, in [buttons] of the config"
                )


class GpioButtons:
    """Buttons on pins. gpiozero's own debounce loses events, so it is off; `hardware.debounce` does the work."""

    def __init__(self, wiring: Wiring, clock: Callable[[], float] = time.monotonic) -> None:
        wiring.check()
        from gpiozero import LED, Buzzer, GPIOZeroError, PinFactoryFallback
        from gpiozero import Button as Pin

        self._clock = clock
        self._gestures = Gestures()
        # The drivers call from threads of their own: they put edges here and do nothing else.
        self._edges: queue.SimpleQueue[tuple[Button, bool, float]] = queue.SimpleQueue()
        self._parts = ExitStack()
        pins = {Button.BANK: wiring.bank_pin, Button.ROLL: wiring.roll_pin}
        lights = {Button.BANK: wiring.bank_led_pin, Button.ROLL: wiring.roll_led_pin}
        self._lights: dict[Button, LED] = {}
        self._buzzer: Buzzer | None = None
        pin = 0
        try:
            # gpiozero warns of each library it tries in vain; the one error at the end says enough.
            warnings.simplefilter("ignore", PinFactoryFallback)
            for button, pin in pins.items():
                part = self._parts.enter_context(Pin(pin, pull_up=wiring.pull_up, bounce_time=None))
                part.when_pressed = self._edge(button, True)
                part.when_released = self._edge(button, False)
                if part.is_pressed:
                    self._edge(button, True)()
            for button, pin in lights.items():
                if pin:
                    self._lights[button] = self._parts.enter_context(LED(pin))
            if pin := wiring.buzzer_pin:
                self._buzzer = self._parts.enter_context(Buzzer(pin))
        except (GPIOZeroError, OSError, ValueError) as error:
            self._parts.close()
            raise DeviceError(_sentence(error, pin)) from error

    def presses(self, now_s: float, asked: bool) -> list[Pressed]:
        """What was pressed since the last call, oldest first; never waits."""
        found: list[Heard] = []
        with suppress(queue.Empty):
            while True:
                found += self._gestures.edge(*self._edges.get_nowait())
        found += self._gestures.advance(self._clock())
        if self._buzzer and any(isinstance(one, Down) for one in found):
            self._buzzer.blink(on_time=CLICK_S, n=1, background=True)
        return [one for one in found if not isinstance(one, Down)]

    def light(self, buttons: frozenset[Button]) -> None:
        """Lights the buttons that do something now, and no others."""
        for button, led in self._lights.items():
            led.value = button in buttons

    def close(self) -> None:
        """Gives all pins back; lights go out."""
        self._parts.close()

    def _edge(self, button: Button, closed: bool) -> Callable[[], None]:
        return lambda: self._edges.put((button, closed, self._clock()))


def _sentence(error: Exception, pin: int) -> str:
    if type(error).__name__ in ("BadPinFactory", "PinUnknownPi"):
        return (
            "no GPIO pins can be reached on this machine; on a Raspberry Pi: sudo apt install python3-lgpio, "
            "elsewhere use --buttons keyboard"
        )
    if isinstance(error, PermissionError) or "permission" in str(error).lower():
        return f"GPIO {pin} may not be used by this user; run: sudo usermod -aG gpio $USER, then log in again"
    if "busy" in str(error).lower():
        return f"GPIO {pin} is used by another program; is the service running? (systemctl status mishimash)"
    return f"GPIO {pin} cannot be used ({error}); check the pins in the config"
