"""The owner's wishes: a TOML file that only a person writes, and the defaults for what it does not say."""

import difflib
import math
import os
import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from companion.errors import InputError
from companion.game import new_game
from companion.rules import RuleError
from companion.words import LANGUAGES

# EX_CONFIG of sysexits.h; the unit does not start again what ended with it.
CONFIG_EXIT = 78


class ConfigError(InputError):
    """The config file cannot be used; the text names every key that is wrong."""


@dataclass(frozen=True, slots=True)
class GameConfig:
    """Who plays, for how many points, in which language."""

    players: tuple[str, ...] = ("Player 1", "Player 2")
    target: float = field(default=1000, metadata={"least": 0.5, "most": 1_000_000, "step": 0.5})
    language: str = field(default="en", metadata={"one_of": LANGUAGES})


@dataclass(frozen=True, slots=True)
class CameraConfig:
    """Which camera, and how long dice must rest before a roll counts."""

    source: str = "picamera2"
    profile: str = ""
    width_px: int = field(default=1024, metadata={"least": 160})
    height_px: int = field(default=768, metadata={"least": 120})
    rest_s: float = field(default=0.4, metadata={"least": 0.1})


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """Which display and how it is wired; `address` 0 looks for it."""

    sink: str = "oled"
    chip: str = field(default="ssd1306", metadata={"one_of": ("ssd1306", "sh1106", "ssd1309", "ssd1322")})
    width_px: int = field(default=128, metadata={"one_of": (128, 256)})
    height_px: int = field(default=64, metadata={"one_of": (32, 64)})
    bus: str = field(default="i2c", metadata={"one_of": ("i2c", "spi")})
    port: int = field(default=1, metadata={"least": 0})
    address: int = field(default=0, metadata={"least": 0})
    rotate_deg: int = field(default=0, metadata={"one_of": (0, 180)})
    brightness: int = field(default=200, metadata={"least": 1, "most": 255})
    off_text: bool = False


@dataclass(frozen=True, slots=True)
class ButtonsConfig:
    """Which buttons and how they are wired; pins are BCM numbers, an LED or buzzer pin of 0 means none."""

    source: str = "gpio"
    bank_pin: int = field(default=17, metadata={"least": 1, "most": 27})
    roll_pin: int = field(default=27, metadata={"least": 1, "most": 27})
    pull_up: bool = True
    bank_led_pin: int = field(default=0, metadata={"least": 0, "most": 27})
    roll_led_pin: int = field(default=0, metadata={"least": 0, "most": 27})
    buzzer_pin: int = field(default=0, metadata={"least": 0, "most": 27})


@dataclass(frozen=True, slots=True)
class StateConfig:
    """Where games are kept; empty: $STATE_DIRECTORY, else the user's own state folder."""

    dir: str = ""

    @property
    def named(self) -> Path | None:
        """The state folder that the config or the service's environment names, if one does."""
        name = self.dir or os.environ.get("STATE_DIRECTORY", "")
        return Path(name).expanduser() if name else None

    @property
    def usual(self) -> Path:
        """The user's own state folder, for when none is named."""
        return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "mishimash"

    @property
    def profile(self) -> Path:
        """Where `mishimash calibrate` puts the tray's profile when nobody names another place."""
        return (self.named or self.usual) / "profile.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, one table of the file a field."""

    game: GameConfig = GameConfig()
    camera: CameraConfig = CameraConfig()
    display: DisplayConfig = DisplayConfig()
    buttons: ButtonsConfig = ButtonsConfig()
    state: StateConfig = StateConfig()


def load_config(path: Path) -> Config:
    """The config in a file; ConfigError names all that is wrong with it at once."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read the config {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error
    wrong: list[str] = []
    config: Config = _build(Config, tables, "", wrong)
    if not wrong:
        try:
            new_game(config.game.players)
        except RuleError as error:
            wrong.append(f"'game.players': {error}")
    if wrong:
        raise ConfigError(f"{path}: {'; '.join(wrong)}")
    return config


def _build(kind: type[Any], values: dict[str, Any], at: str, wrong: list[str]) -> Any:
    known = {f.name: f for f in fields(kind)}
    types = get_type_hints(kind)
    given: dict[str, Any] = {}
    for key, value in values.items():
        place = f"{at}{key}"
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            wrong.append(f"unknown key {place!r}, {hint}")
        elif is_dataclass(types[key]):
            if isinstance(value, dict):
                given[key] = _build(types[key], value, f"{place}.", wrong)
            else:
                wrong.append(f"{place!r} is a table: write [{place}] above its keys")
        else:
            given[key] = _checked(types[key], value, known[key].metadata, place, wrong)
    return kind(**given)


def _checked(kind: Any, value: Any, limits: Any, place: str, wrong: list[str]) -> Any:
    if get_origin(kind) is tuple:
        if not isinstance(value, list) or not all(isinstance(item, get_args(kind)[0]) for item in value):
            wrong.append(f"{place!r} is a list of texts, not {value!r}")
        return tuple(value) if isinstance(value, list) else value
    accepted = int | float if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        wrong.append(f"{place!r} is {_named(kind)}, not {value!r}")
    elif isinstance(value, float) and not math.isfinite(value):
        wrong.append(f"{place!r} is a finite number, not {value!r}")
    elif "one_of" in limits and value not in limits["one_of"]:
        wrong.append(f"{place!r} is one of {', '.join(map(str, limits['one_of']))}, not {value!r}")
    elif "least" in limits and value < limits["least"]:
        wrong.append(f"{place!r} is at least {limits['least']}, not {value!r}")
    elif "most" in limits and value > limits["most"]:
        wrong.append(f"{place!r} is at most {limits['most']}, not {value!r}")
    elif "step" in limits and value % limits["step"]:
        wrong.append(f"{place!r} is a multiple of {limits['step']}, not {value!r}")
    return value


def _named(kind: type[Any] | UnionType) -> str:
    return {str: "a text in quotes", int: "a whole number", float: "a number", bool: "true or false"}[kind]  # type: ignore[index]
