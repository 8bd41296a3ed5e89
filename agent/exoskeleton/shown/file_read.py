"""A call that has read a file, or some of its lines, and what it says about the file.

For `read(path="/docs/a.md", start_line=81)` -> `{"content": "A key ...", "truncated": true}`:

    read.text                       -> "A key ..."
    read.first_line                 -> 81
    read.takes_lines                -> True: `read` has the parameters for that
    read.asks_for_lines             -> True: this call has used one of them
    read.was_cut_by_environment     -> True: it has returned only a part
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Effect, Operation, Plain

# The parameters with which a call reads a part of a file.
FIRST_LINE_PARAMETER: Final = "start_line"
LAST_LINE_PARAMETER: Final = "end_line"


@dataclass(frozen=True, slots=True)
class FileRead:
    """A call that has read a file, or a part of it. `has_text` is true of its result."""

    operation: Operation
    """Declares which argument has the path (`subject`), and which field of the result has the
    text (`json_field`)."""
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]

    @staticmethod
    def has_text(operation: Operation, result: Mapping[str, Plain]) -> bool:
        """Return True if a call has read a file, and its result has the text."""
        is_read = operation.effect is Effect.READS
        return is_read and isinstance(result.get(operation.json_field), str)

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def text(self) -> str:
        """The text that it has read."""
        return str(self.result[self.operation.json_field])

    @property
    def takes_lines(self) -> bool:
        """True if the operation can read some lines of a file, from one number to another."""
        names = {parameter.name for parameter in self.operation.parameters}
        return {FIRST_LINE_PARAMETER, LAST_LINE_PARAMETER} <= names

    @property
    def was_cut_by_environment(self) -> bool:
        """True if the environment has returned only a part of what the call asks for."""
        return self.result.get("truncated") is True

    @property
    def asks_for_lines(self) -> bool:
        """True if the call asks for some lines, not for the whole file."""
        return bool(
            self.arguments.get(FIRST_LINE_PARAMETER)
            or self.arguments.get(LAST_LINE_PARAMETER)
        )

    @property
    def first_line(self) -> int:
        """The number of the first line that it has read."""
        return max(int(str(self.arguments.get(FIRST_LINE_PARAMETER) or 0)), 1)
