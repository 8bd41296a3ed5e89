"""A subset of jq's language: paths, indexes, iteration, `keys`, `length`, `select` and pipes."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from benchmarks.ecom.runtime.tools.tool_context import ToolFailure
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


class FilterError(ToolFailure):
    """A filter is malformed, or does not fit the data."""


def _steps(path: str, data: Plain) -> Iterator[Plain]:
    """Yield the values at `path` in `data`."""
    if path in ("", "."):
        yield data
        return
    step = STEP.match(path)
    if step is None:
        msg = f"cannot understand {path!r}"
        raise FilterError(msg)
    rest = path[step.end() :]
    name = step["name"] if step["name"] is not None else step["quoted"]
    if name is not None:
        if data is not None and not isinstance(data, dict):
            msg = f"cannot take field {name!r} of {_kind(data)}"
            raise FilterError(msg)
        yield from _steps(rest, data.get(name) if data else None)
    elif step["index"] is not None:
        if not isinstance(data, list):
            msg = f"cannot index {_kind(data)}"
            raise FilterError(msg)
        index = int(step["index"])
        yield from _steps(rest, data[index] if -len(data) <= index < len(data) else None)
    else:
        if not isinstance(data, list | dict):
            msg = f"cannot iterate over {_kind(data)}"
            raise FilterError(msg)
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
    msg = f"{_kind(data)} has no length"
    raise FilterError(msg)


def _holds(left: Plain, sign: str, right: Plain) -> bool:
    if sign in ("==", "!="):
        same = left == right and isinstance(left, bool) == isinstance(right, bool)
        return same == (sign == "==")
    if any(isinstance(left, kinds) and isinstance(right, kinds) for kinds in (str, int | float)):
        return ORDERS[sign](left, right)
    msg = f"cannot compare {_kind(left)} with {_kind(right)}"
    raise FilterError(msg)


def _select(match: re.Match[str], data: Plain) -> Iterator[Plain]:
    try:
        value: Plain = json.loads(match["value"])
    except ValueError as error:
        msg = f"{match['value']!r} is no JSON value"
        raise FilterError(msg) from error
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
            msg = f"{_kind(data)} has no keys"
            raise FilterError(msg)
    elif match := SELECT.fullmatch(stage):
        yield from _select(match, data)
    else:
        yield from _steps(stage, data)


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `FilterError`."""
    values = [data]
    for stage in program.split("|"):
        values = [result for each in values for result in _stage(stage.strip(), each)]
    return values
