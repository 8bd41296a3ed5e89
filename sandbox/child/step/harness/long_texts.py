"""Reads the rest of a text that was cut off, because it is too long for one result.

An operation has either of two ways to go on reading:

- at a line, by its parameter `Operation.from_line`: the environment cuts such a text off
  on purpose, to show only its beginning;
- at a character, by its parameter `Operation.from_char`: the text is too long for a message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.records import Record

Call: TypeAlias = Callable[[str, list[Any], dict[str, Any]], Any]
"""Makes a call: takes an operation, its positional and its named
arguments, and returns the fields of its result or raises its error."""


@dataclass(frozen=True, slots=True)
class OperationCall:
    """A call of an operation, with the arguments of a script."""

    operation: Operation
    positional: list[Any]
    named: dict[str, Any]

    @property
    def asks_for_whole_text(self) -> bool:
        """True if the call reads a text from its first character on.

        The operation must have a parameter for the first character, and the call must
        leave it out.
        """
        name = self.operation.from_char
        if name in self.named:
            return False
        parameters_left_out = self.operation.parameters[len(self.positional) :]
        return any(parameter.name == name for parameter in parameters_left_out)

    def make(self, call: Call) -> dict[str, Any]:
        """Make the call, and return the fields of its result, with a whole text."""
        fields: dict[str, Any] = call(self.operation.name, self.positional, self.named)
        if self.asks_for_whole_text:
            return self._with_rest_of_text(fields, call)
        return fields

    def _with_rest_of_text(self, fields: dict[str, Any], call: Call) -> dict[str, Any]:
        """Return the fields of a result with its whole text.

        While a part is `truncated`, the same call is made again for the next part, which
        begins at the character `next_char`.
        """
        text_field = self.operation.json_field
        texts = [fields[text_field]]
        part = fields
        while part["truncated"]:
            named = {**self.named, self.operation.from_char: part["next_char"]}
            part = call(self.operation.name, self.positional, named)
            texts.append(part[text_field])
        whole_text = "".join(texts)
        return {**fields, text_field: whole_text, "truncated": False, "next_char": 0}


def text_to_the_end(result: Record, operation: Operation, call: Call) -> str:
    """Return the text in a result's JSON field, continued at a line if it was cut off there."""
    field = operation.json_field
    text: str = result.get(field, "")
    part: Mapping[str, Any] = result
    while operation.from_line and _is_cut_after_line(part, field):
        next_line = text.count("\n") + 1
        part = call(operation.name, [result["path"]], {operation.from_line: next_line})
        text += part[field]
    return text


def _is_cut_after_line(part: Mapping[str, Any], field: str) -> bool:
    """Return True if a text was cut off between two lines. Only then can it be continued."""
    return bool(part.get("truncated")) and part.get(field, "").endswith("\n")
