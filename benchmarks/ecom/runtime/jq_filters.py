"""A subset of jq's language: paths, indexes, iteration, `keys`, `length` and pipes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from sandbox.interface import Plain

STEP: Final = re.compile(r"\.(?P<name>[A-Za-z_]\w*)|\.?\[(?P<index>-?\d+)\]|\.?(?P<iterated>\[\])")


def _fail(message: str) -> NoReturn:
    raise ValueError(message)


def _steps(path: str, data: Plain) -> Iterator[Plain]:
    if path in ("", "."):
        yield data
        return
    step = STEP.match(path)
    if step is None:
        _fail(f"cannot understand {path!r}")
    rest = path[step.end() :]
    if step["name"] is not None:
        if data is not None and not isinstance(data, dict):
            _fail(f"cannot take field {step['name']!r} of {_kind(data)}")
        yield from _steps(rest, data.get(step["name"]) if data else None)
    elif step["index"] is not None:
        if not isinstance(data, list):
            _fail(f"cannot index {_kind(data)}")
        index = int(step["index"])
        yield from _steps(rest, data[index] if -len(data) <= index < len(data) else None)
    else:
        if not isinstance(data, list | dict):
            _fail(f"cannot iterate over {_kind(data)}")
        for element in data if isinstance(data, list) else list(data.values()):
            yield from _steps(rest, element)


def _kind(data: Plain) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(data), "a number")


def _length(data: Plain) -> int:
    if isinstance(data, str | list | dict):
        return len(data)
    if data is None:
        return 0
    _fail(f"{_kind(data)} has no length")


def _stage(stage: str, data: Plain) -> Iterator[Plain]:
    if stage == "length":
        yield _length(data)
    elif stage == "keys":
        if isinstance(data, list):
            yield list(range(len(data)))
        elif isinstance(data, dict):
            yield [*sorted(data)]
        else:
            _fail(f"{_kind(data)} has no keys")
    else:
        yield from _steps(stage, data)


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `ValueError`."""
    values = [data]
    for stage in program.split("|"):
        values = [result for value in values for result in _stage(stage.strip(), value)]
    return values
