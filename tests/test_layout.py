"""Who may import whom, and what every file of the project keeps to; read from the sources, nothing is imported."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("companion", "vision", "hardware", "calibration", "training")
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}

# What a package may import beside itself and the standard library.
MAY_IMPORT = {
    "vision": {"numpy", "cv2"},
    "hardware": {"numpy", "cv2", "PIL"},
    "calibration": {"numpy", "cv2", "PIL", "vision", "hardware"},
    "companion": {"numpy", "cv2", "PIL", "vision", "hardware"},
    "training": {"numpy", "cv2", "vision", "torch", "moderngl", "onnx"},
}
# Drivers exist on a Raspberry Pi only: hardware imports them in the function that opens the device.
DRIVERS = {"picamera2", "libcamera", "gpiozero", "luma", "smbus2", "lgpio"}
# One program mounts the other's commands; otherwise the two meet in the profile file.
EXCEPTIONS = {"companion.cli": {"calibration.cli", "calibration.errors"}}

# Rules, game, table and screens are functions of values: none of this, through whatever they import.
WORLD = {"vision", "hardware", "calibration", "numpy", "cv2"} | DRIVERS
WORLD |= {"os", "sys", "time", "datetime", "random", "secrets", "socket", "sqlite3", "subprocess", "threading"}
PURE = ("companion.rules", "companion.game", "companion.table", "companion.screens")


class Imports(ast.NodeVisitor):
    """The full names a module imports, and whether each stands inside a function."""

    def __init__(self) -> None:
        self.depth = 0
        self.found: list[tuple[str, bool]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_Import(self, node: ast.Import) -> None:
        self.found += [(alias.name, self.depth > 0) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.level == 0, f"a relative import, line {node.lineno}: write the whole name"
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            self.found.append((inner if inner in MODULES else str(node.module), self.depth > 0))


@cache
def imports(module: str) -> tuple[tuple[str, bool], ...]:
    seen = Imports()
    seen.visit(ast.parse(MODULES[module].read_text(encoding="utf-8")))
    return tuple(seen.found)


@cache
def reached(module: str) -> frozenset[str]:
    """Every name that importing `module` brings in, through modules of the project."""
    todo, seen = [module], set()
    while todo:
        for name, _ in imports(todo.pop()):
            if name not in seen:
                seen.add(name)
                todo += [name] if name in MODULES else []
    return frozenset(seen)


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Name and text of every text file that git knows."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip(f"git cannot list the files here: {listed.stderr.strip()}")
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file() and b"\0" not in (content := path.read_bytes()):
            yield name, content.decode("utf-8")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_package_may(module: str) -> None:
    package = module.split(".")[0]
    allowed = MAY_IMPORT[package] | {package} | sys.stdlib_module_names | (DRIVERS if package == "hardware" else set())
    wrong = {name for name, _ in imports(module) if name.split(".")[0] not in allowed}
    assert not wrong - EXCEPTIONS.get(module, set())


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("hardware")])
def test_drivers_are_imported_inside_the_function_that_opens_them(module: str) -> None:
    assert not {name for name, in_function in imports(module) if name.split(".")[0] in DRIVERS and not in_function}


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_reach_no_device_no_clock_no_chance(module: str) -> None:
    reaches = {name.split(".")[0] for name in reached(module)}
    assert not reaches & WORLD
    assert "PIL" not in reaches or module == "companion.screens"


@pytest.mark.parametrize(("module", "on"), [("companion.rules", set()), ("companion.game", {"companion.rules"})])
def test_the_rules_stand_alone_and_the_game_on_the_rules(module: str, on: set[str]) -> None:
    assert {name for name in reached(module) if name in MODULES} == on


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is_and_stays_short(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 300, "a module this long holds more than one idea"


def test_the_tests_are_no_package() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))


def test_no_file_names_a_place_on_the_machine_it_was_written_on() -> None:
    places = re.compile(r"(?<![\w.$}])/(?:work|tmp|root)/")
    assert [name for name, text in tracked_texts() if name != "tests/test_layout.py" and places.search(text)] == []


def test_no_file_holds_work_put_off() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    assert [name for name, text in tracked_texts() if name != "tests/test_layout.py" and marks.search(text)] == []
