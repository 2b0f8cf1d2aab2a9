"""The unit file and the example config say what the documents promise."""

import shutil
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from companion.config import Config, load_config

SYSTEMD = Path(__file__).parent.parent / "systemd"
UNIT = SYSTEMD / "mishimash.service"


@pytest.fixture
def analyze() -> str:
    tool = shutil.which("systemd-analyze")
    if not tool:
        pytest.skip("no systemd-analyze on this system")
    return tool


def test_the_example_config_names_every_key_with_its_default() -> None:
    assert load_config(SYSTEMD / "config.toml") == Config()
    named = tomllib.loads((SYSTEMD / "config.toml").read_text(encoding="utf-8"))
    assert {table: set(keys) for table, keys in named.items()} == {
        table.name: {key.name for key in fields(table.type)} for table in fields(Config)
    }


def test_a_broken_config_does_not_loop() -> None:
    assert "RestartPreventExitStatus=78" in UNIT.read_text(encoding="utf-8")


def test_the_unit_has_no_unknown_key(analyze: str, tmp_path: Path) -> None:
    """`verify` exits 0 even for unknown keys: what counts is that it prints nothing."""
    text = UNIT.read_text(encoding="utf-8").replace("/opt/mishimash/current/bin/mishimash", "/bin/true")
    (tmp_path / UNIT.name).write_text(text, encoding="utf-8")
    command = [analyze, "verify", "--man=no", str(tmp_path / UNIT.name)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.stdout + said.stderr == ""


def test_the_unit_is_closed_as_far_as_promised(analyze: str, tmp_path: Path) -> None:
    command = [analyze, "security", "--offline=true", "--threshold=25", "--no-pager", str(UNIT)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout
