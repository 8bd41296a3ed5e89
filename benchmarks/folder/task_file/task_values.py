"""The checked values of a task.toml: paths of the task's world, and patterns.

A path must be in normal form, `/docs/a.md` and not `docs//a.md`, so that it can be compared
with the paths of a trial. A pattern must be one that RE2 accepts, which never takes long.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator

from controlplane.sandbox import normal_path
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import CallError

PatternOrSeveral = TypeVar("PatternOrSeveral", str, str | tuple[str, ...])
"""The type of a key's value: one pattern, as for `pattern`; or, for `args`, one or a list."""


def _check_path(value: str) -> str:
    """Return a path of the task's world if it is in normal form. Raises `ValueError`."""
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is not a path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _check_patterns(value: PatternOrSeveral) -> PatternOrSeveral:
    """Return one or more patterns if RE2 accepts them. Raises `ValueError`."""
    patterns = (value,) if isinstance(value, str) else value
    for pattern in patterns:
        try:
            compiled_pattern(pattern)
        except CallError as error:
            raise ValueError(error.message) from None
    return value


WorldPath = Annotated[str, AfterValidator(_check_path)]
"""The path of a file in the task's world: `/docs/a.md`."""
Pattern = Annotated[str, AfterValidator(_check_patterns)]
"""A regular expression: `end ([0-9]+)`."""
Patterns = Annotated[str | tuple[str, ...], AfterValidator(_check_patterns)]
"""A regular expression, or a list of them: `["end", "([0-9]+)"]`."""
