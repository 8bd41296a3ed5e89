"""The scripts of a trial, and what functions of the benchmark returned to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FunctionResultValue:
    """A value that a function of the benchmark returned in this trial."""

    function: str
    value: str
    """The value as JSON text, cut if it is long."""
    arguments: str = "{}"
    """The function's arguments as JSON text; `{}` if they are long."""


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A script that ran in this trial."""

    code: str
    printed: str = ""
    stored: Mapping[str, object] = field(default_factory=dict)
    """The scratchpad after the script ended; empty if it is unknown."""
