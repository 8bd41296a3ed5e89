"""A call that has read a file, or a part of it, and what it says about the file.

For example, `read(path="/docs/a.md", start_line=81)` -> `{"content": "...", "truncated": true}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Effect, Operation, Plain

# The parameters with which a call reads a part of a file.
FIRST_LINE_PARAMETER: Final = "start_line"
LAST_LINE_PARAMETER: Final = "end_line"
_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files of these kinds are read in trials, but hardly ever written."""


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

    def fields_to_show(self, *, may_write_files: bool) -> dict[str, Plain]:
        """Return the fields of the result, beside the text, that the model needs.

        {"content": "...", "truncated": True, "hash": "5d41"} -> {"truncated": True, "hash": "5d41"}

        A flag is needed if it is true, and any other field, such as the hash, to write the file.
        Documents are hardly ever written.
        """
        is_document = self.path.casefold().endswith(_DOCUMENT_EXTENSIONS)
        may_write_this_file = may_write_files and not is_document

        names = {declared.name for declared in self.operation.fields}
        names -= {
            self.operation.json_field,
            self.operation.subject,
        }  # the text and the path
        fields: dict[str, Plain] = {}
        for name, value in self.result.items():
            is_needed = value if isinstance(value, bool) else may_write_this_file
            if is_needed and name in names:
                fields[name] = value
        return fields
