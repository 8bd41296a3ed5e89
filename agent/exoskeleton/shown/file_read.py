"""A call that has read a file, or a part of it, and what it says about the file.

For example, `read(path="/docs/a.md", start_line=81)` -> `{"content": "...", "truncated": true}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Operation, Plain

# The parameters with which a call reads a part of a file.
FIRST_LINE_PARAMETER: Final = "start_line"
LAST_LINE_PARAMETER: Final = "end_line"


@dataclass(frozen=True, slots=True)
class FileRead:
    """A call that has read a file, or a part of it."""

    operation: Operation
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def text(self) -> str:
        """The text that it has read. The operation declares which field of the result has it."""
        return str(self.result[self.operation.json_field])

    @property
    def can_read_parts(self) -> bool:
        """True if the operation can read some lines of a file."""
        names = {parameter.name for parameter in self.operation.parameters}
        return {FIRST_LINE_PARAMETER, LAST_LINE_PARAMETER} <= names

    @property
    def can_read_on(self) -> bool:
        """True if the environment has cut the text, and another call can read the next lines."""
        return self.can_read_parts and self.result.get("truncated") is True

    @property
    def asks_for_part(self) -> bool:
        """True if the call asks for some lines."""
        return bool(
            self.arguments.get(FIRST_LINE_PARAMETER)
            or self.arguments.get(LAST_LINE_PARAMETER)
        )

    @property
    def first_line(self) -> int:
        """The number of the first line that it has read."""
        return max(int(str(self.arguments.get(FIRST_LINE_PARAMETER) or 0)), 1)

    def other_fields(self) -> dict[str, Plain]:
        """Return the declared fields of the result beside the text and the path."""
        names = {declared.name for declared in self.operation.fields}
        names -= {self.operation.json_field, self.operation.subject}
        return {name: value for name, value in self.result.items() if name in names}
