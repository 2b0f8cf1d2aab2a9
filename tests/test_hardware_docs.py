"""What the pages on the hardware tell to run exists, with those options."""

import re
from pathlib import Path

import pytest

from companion import cli
from companion.config import load_config

ROOT = Path(__file__).parent.parent
PAGES = "\n".join((ROOT / "docs" / name).read_text("utf-8") for name in ("hardware.md", "not-yet-seen-on-a-pi.md"))
SPANS = sorted(set(re.findall(r"`([^`\n]+)`", PAGES)))
SETTINGS = {
    "bank_pin": "buttons", "roll_pin": "buttons", "bank_led_pin": "buttons", "roll_led_pin": "buttons",
    "buzzer_pin": "buttons", "pull_up": "buttons", "bus": "display", "port": "display", "address": "display",
    "width_px": "camera", "height_px": "camera",
}  # fmt: skip


@pytest.mark.parametrize("command", [span for span in SPANS if span.startswith("mishimash ")])
def test_each_command_on_the_pages_can_be_given(command: str) -> None:
    words = command.split()[1:]
    assert cli.parser(words).parse_args(words).command == words[0]


@pytest.mark.parametrize("target", re.findall(r"`(?:sudo )?make ([a-z-]+)", PAGES))
def test_each_make_target_on_the_pages_is_there(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("setting", [span for span in SPANS if re.match(r"[a-z_]+ = ", span)])
def test_each_setting_on_the_pages_is_taken(tmp_path: Path, setting: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[{SETTINGS[setting.split()[0]]}]\n{setting}\n")
    load_config(file)
