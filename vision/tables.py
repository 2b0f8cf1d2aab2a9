"""Frozen dataclasses as TOML: a writer that people can read, and a reader that names everything that is wrong.

A field may be a bool, int, float, str, an array of floats, another dataclass, a tuple of any of these, or any of them
or None. None is not written. A new field with a default needs no change here, and a file without it still loads.
"""

import difflib
import json
import math
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}


class Problems(list[str]):
    """What is wrong with a file, in sentences without the file's name."""


def dump(value: object, skip: Collection[str] = (), place: str = "") -> Iterator[str]:
    """The TOML lines of a dataclass: its own values first, then a table for each dataclass in it or in a tuple.

    In the tables of a tuple what is a dataclass again stays in one line.

    Numbers are written with nine significant digits: a nanometre in a metre, and still a line a person can read.
    """
    inner: list[tuple[str, Any]] = []
    for name, item in _known(value):
        if name in skip:
            continue
        if is_dataclass(item) or _holds_tables(item):
            inner.append((name, item))
        else:
            yield f"{name} = {_text(item)}"
    for name, item in inner:
        for one in item if _holds_tables(item) else ():
            yield ""
            yield f"[[{place}{name}]]"
            yield from (f"{key} = {_text(part)}" for key, part in _known(one))
        if is_dataclass(item):
            yield ""
            yield f"[{place}{name}]"
            yield from dump(item, (), f"{place}{name}.")


def _holds_tables(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and is_dataclass(value[0])


def _known(value: object) -> Iterator[tuple[str, Any]]:
    pairs = ((field.name, getattr(value, field.name)) for field in fields(value))  # type: ignore[arg-type]
    return ((name, item) for name, item in pairs if item is not None)


def _text(value: object) -> str:
    if is_dataclass(value):
        return "{ " + ", ".join(f"{name} = {_text(item)}" for name, item in _known(value)) + " }"
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            short = f"{value:.9g}"
            return short if not short.lstrip("-").isdigit() else f"{short}.0"
        case np.ndarray():
            return _text(value.tolist())
        case list() | tuple():
            if value and isinstance(value[0], list | tuple):
                return "[\n" + "".join(f"  {_text(row)},\n" for row in value) + "]"
            return "[" + ", ".join(_text(item) for item in value) + "]"
    raise TypeError(f"a profile cannot hold {value!r}")


def parse(
    cls: type[T], table: Mapping[str, Any], problems: Problems, skip: Collection[str] = (), place: str = ""
) -> T | None:
    """A `cls` from the table; what is unknown, missing or of the wrong type goes to `problems`, and then it is None."""
    before = len(problems)
    hints = typing.get_type_hints(cls)
    known = {field.name: field for field in fields(cls) if field.name not in skip}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            problems.append(f"{_where(place, key)} is not known" + (f" (did you mean {near[0]}?)" if near else ""))
    values = {}
    for name, field in known.items():
        if name in table:
            path = f"{place}.{name}" if place else name
            values[name] = _value(hints[name], table[name], problems, _where(place, name), path)
        elif _required(field):
            problems.append(f"{_where(place, name)} is missing")
    return cls(**values) if len(problems) == before else None


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _where(place: str, key: str) -> str:
    return f"{key} in [{place}]" if place else key


def _value(hint: Any, value: Any, problems: Problems, where: str, path: str) -> Any:
    """The value as `hint` wants it; `where` names it in a sentence, `path` is its place in the file."""
    if isinstance(hint, types.UnionType):
        hint = next(option for option in hint.__args__ if option is not types.NoneType)
    if is_dataclass(hint):
        if isinstance(value, dict):
            return parse(typing.cast(type, hint), value, problems, (), path)
        problems.append(f"{where} is {_shown(value)}, it must be a table")
        return None
    origin = typing.get_origin(hint) or hint
    if origin in (np.ndarray, NDArray):  # an alias type of its own since numpy 2.5
        return _array(value, problems, where)
    if origin is tuple:
        return _tuple(typing.get_args(hint), value, problems, where, path)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if hint is float and (whole or (isinstance(value, float) and math.isfinite(value))):
        return float(value)
    if (hint is int and whole) or (hint in (bool, str) and isinstance(value, hint)):
        return value
    problems.append(f"{where} is {_shown(value)}, it must be {WORDS[hint]}")
    return None


def _array(value: Any, problems: Problems, where: str) -> Any:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "if" and array.ndim and np.isfinite(array).all():
        return array.astype(np.float64)
    problems.append(f"{where} is {_shown(value)}, it must be rows of numbers")
    return None


def _tuple(items: tuple[Any, ...], value: Any, problems: Problems, where: str, path: str) -> Any:
    if not isinstance(value, list):
        problems.append(f"{where} is {_shown(value)}, it must be a list in [ ]")
        return None
    hints = (items[0],) * len(value) if len(items) == 2 and items[1] is Ellipsis else items
    if len(hints) != len(value):
        problems.append(f"{where} has {len(value)} entries, it must have {len(hints)}")
        return None
    pairs = enumerate(zip(hints, value, strict=True), 1)
    return tuple(_value(hint, item, problems, f"{where}, entry {i},", f"{path}[{i}]") for i, (hint, item) in pairs)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
