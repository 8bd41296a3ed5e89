"""A script of which nothing runs: it is not Python, or uses syntax that is not allowed.

The model gets all faults at once, each with its place in the script:

    The script was refused; nothing of it ran:
      line 3, column 5: name '__del__' is not available; use an ordinary name
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """One place where a script is refused, or is not Python.

    As a text: `line 3, column 5: name '__del__' is not available`. Lines and columns are
    counted from 1. The column is 0 if it is unknown.
    """

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class RefusedScript(Exception):
    """The language policy refuses the script, or it is not Python. Nothing of it runs."""

    def __init__(self, faults: list[Fault], *, is_syntax: bool) -> None:
        super().__init__(*faults)
        self.faults = faults
        self.is_syntax = is_syntax
        """True if the script is not Python; False if the language policy refuses it."""


def describe_refusal(refused: RefusedScript) -> str:
    """Return the text with all faults of a refused script, one per line."""
    if refused.is_syntax:
        lines = ["SyntaxError:"]
    else:
        lines = ["The script was refused; nothing of it ran:"]
    for fault in refused.faults:
        lines.append(f"  {fault}")
    return "\n".join(lines)
