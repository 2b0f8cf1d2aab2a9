"""What the config says of display, buttons and camera, as the settings that the hardware takes."""

from dataclasses import asdict

from companion.config import ButtonsConfig, CameraConfig, DisplayConfig
from hardware.gpio import Wiring
from hardware.locks import Locks
from hardware.panel import OledSettings
from hardware.picamera import PiSettings
from vision.profile import TrayProfile


def oled_settings(display: DisplayConfig) -> OledSettings:
    """Which panel, and where."""
    return OledSettings(
        chip=display.chip,
        width_px=display.width_px,
        height_px=display.height_px,
        bus=display.bus,
        port=display.port,
        address=display.address,
        rotate_deg=display.rotate_deg,
        blank_at_end=not display.off_text,
    )


def wiring(buttons: ButtonsConfig) -> Wiring:
    """Which pins the buttons, lights and buzzer are on."""
    return Wiring(
        bank_pin=buttons.bank_pin,
        roll_pin=buttons.roll_pin,
        pull_up=buttons.pull_up,
        bank_led_pin=buttons.bank_led_pin,
        roll_led_pin=buttons.roll_led_pin,
        buzzer_pin=buttons.buzzer_pin,
    )


def pi_settings(camera: CameraConfig, profile: TrayProfile | None = None) -> PiSettings:
    """The Pi camera as it was calibrated: its model, the size of its pictures, what it holds locked."""
    if profile is None:
        return PiSettings(camera.width_px, camera.height_px)
    locks = Locks(**asdict(profile.exposure)) if profile.exposure else None
    return PiSettings(profile.width_px, profile.height_px, locks=locks, model=profile.camera)
