"""What the wheel holds and what it says of itself."""

import email
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IMPORT_NAMES = ("companion", "vision", "hardware", "calibration")
DATA = {name: set(patterns) for name, patterns in PROJECT["tool"]["setuptools"]["package-data"].items()}


def package_folders() -> set[str]:
    return {
        ".".join(init.parent.relative_to(ROOT).parts)
        for name in IMPORT_NAMES
        for init in (ROOT / name).rglob("__init__.py")
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built without network from a copy: a build folder left in the tree would leak old modules into it."""
    tree = tmp_path_factory.mktemp("tree")
    for name in IMPORT_NAMES:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    build = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    built = subprocess.run([sys.executable, "-c", build, "out"], cwd=tree, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return zipfile.ZipFile(tree / "out" / built.stdout.split()[-1])


@pytest.mark.parametrize("name", IMPORT_NAMES)
def test_an_import_name_has_exactly_one_owner(name: str) -> None:
    assert set(packages_distributions()[name]) == {"mishimash-companion"}


def test_pyproject_lists_exactly_the_packages_there_are() -> None:
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == package_folders()


def test_the_wheel_holds_exactly_the_packages_and_their_data(wheel: zipfile.ZipFile) -> None:
    expected = set()
    for package in package_folders():
        folder = ROOT / package.replace(".", "/")
        for pattern in {"*.py"} | DATA.get(package, set()):
            expected |= {path.relative_to(ROOT).as_posix() for path in folder.glob(pattern) if path.is_file()}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == expected


def test_no_data_file_stays_out_of_the_wheel(wheel: zipfile.ZipFile) -> None:
    there = {
        path.relative_to(ROOT).as_posix()
        for name in IMPORT_NAMES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert there - set(wheel.namelist()) == set()


def test_the_metadata_says_what_runs_it(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    said = email.message_from_bytes(wheel.read(name))
    assert (said["Name"], said["Requires-Python"], said["License-Expression"]) == (
        "mishimash-companion", "<3.14,>=3.11", "MIT",
    )  # fmt: skip
    assert {"pi", "dev"} <= set(said.get_all("Provides-Extra", []))
    for driver in ("picamera2", "lgpio"):
        (needed,) = (line for line in said.get_all("Requires-Dist", []) if line.startswith(driver))
        assert 'extra == "pi"' in needed


def test_make_alone_lists_what_the_readme_names() -> None:
    make = shutil.which("make")
    if not make:
        pytest.skip("no make on this system")
    said = subprocess.run([make, "-C", str(ROOT)], capture_output=True, text=True, check=True).stdout
    listed = [words[1] for line in said.splitlines() if (words := line.split())[:1] == ["make"]]
    assert len(set(listed)) == len(listed), "a target is there twice, and make takes the last"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?m)(?:`|^ {4})(?:sudo )?make ([a-z-]+)", readme))
    assert {"demo", "test", "install"} <= named <= set(listed)


def test_every_page_that_the_readme_names_is_there() -> None:
    links = re.findall(r"\]\(([^):]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_wheel_brings_the_command(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    assert "mishimash = companion.cli:main" in wheel.read(name).decode()
