"""A subset of jq's language: paths, indexes, iteration, `keys`, `length`, `select` and pipes."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

from sandbox.interface import Plain

STEP: Final = re.compile(
    r"""\.(?P<name>[A-Za-z_]\w*)|\.?\["(?P<quoted>[^"]*)"\]|\.?\[(?P<index>-?\d+)\]|\.?(?P<each>\[\])"""
)
SELECT: Final = re.compile(r"select\((?P<path>\.[^()]*?)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>[^()]+)\)")
ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _fail(message: str) -> NoReturn:
    raise ValueError(message)


def _steps(path: str, data: Plain) -> Iterator[Plain]:
    """Yield the values at `path` in `data`."""
    if path in ("", "."):
        yield data
        return
    step = STEP.match(path)
    if step is None:
        _fail(f"cannot understand {path!r}")
    rest = path[step.end() :]
    name = step["name"] if step["name"] is not None else step["quoted"]
    if name is not None:
        if data is not None and not isinstance(data, dict):
            _fail(f"cannot take field {name!r} of {_kind(data)}")
        yield from _steps(rest, data.get(name) if data else None)
    elif step["index"] is not None:
        if not isinstance(data, list):
            _fail(f"cannot index {_kind(data)}")
        index = int(step["index"])
        yield from _steps(rest, data[index] if -len(data) <= index < len(data) else None)
    else:
        if not isinstance(data, list | dict):
            _fail(f"cannot iterate over {_kind(data)}")
        for each in data if isinstance(data, list) else list(data.values()):
            yield from _steps(rest, each)


def _kind(data: Plain) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(data), "a number")


def _length(data: Plain) -> int:
    if isinstance(data, str | list | dict):
        return len(data)
    if data is None:
        return 0
    _fail(f"{_kind(data)} has no length")


def _holds(left: Plain, sign: str, right: Plain) -> bool:
    if sign in ("==", "!="):
        same = left == right and isinstance(left, bool) == isinstance(right, bool)
        return same == (sign == "==")
    if any(isinstance(left, kinds) and isinstance(right, kinds) for kinds in (str, int | float)):
        return ORDERS[sign](left, right)
    _fail(f"cannot compare {_kind(left)} with {_kind(right)}")


def _select(match: re.Match[str], data: Plain) -> Iterator[Plain]:
    try:
        value: Plain = json.loads(match["value"])
    except ValueError:
        _fail(f"{match['value']!r} is not a JSON value")
    if any(_holds(each, match["sign"], value) for each in _steps(match["path"], data)):
        yield data


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
    elif match := SELECT.fullmatch(stage):
        yield from _select(match, data)
    else:
        yield from _steps(stage, data)


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `ValueError`."""
    values = [data]
    for stage in program.split("|"):
        values = [result for each in values for result in _stage(stage.strip(), each)]
    return values
