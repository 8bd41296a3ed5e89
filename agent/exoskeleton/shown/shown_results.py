"""Shows the results of calls to the model, and each long text only once in a conversation.

If a file is read again, its result is `(unchanged: it stands above as the result of ...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.exoskeleton.initial_results import initial_results
from controlplane.agent.exoskeleton.shown.file_read import (
    FIRST_LINE_PARAMETER,
    FileRead,
)
from controlplane.agent.exoskeleton.shown.shown_file import shown_file
from controlplane.agent.exoskeleton.shown.shown_texts import compact_json, shown_result
from controlplane.agent.initial_calls.call_texts import READ_ALL, title_of
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files of these kinds are read in trials, but hardly ever written."""
_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(slots=True)
class ShownResults:
    """Shows results in one conversation, each long text only once.

    If a file is read again and has not changed, the model gets `(unchanged: it stands above as
    the result of read /docs/a.md)`.
    """

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and the
    fields that a write needs, such as the file's hash."""
    _titles: dict[str, str] = field(default_factory=dict)
    """By text, the title of the call that returned it first, such as `read /docs/a.md`."""
    _how_to_read_on: str = FIRST_LINE_PARAMETER
    """How the model reads the rest of a long file: by the parameter `start_line`. If the
    environment has a call for whole files: `start_line, or all by read_all(path)`."""

    def take_opening(
        self, opening: ConversationOpened, tool_schema: ToolSchema
    ) -> None:
        """Take the results that the model has seen at the start of the conversation.

        Call it once, before `shown`.
        """
        if tool_schema.operation(READ_ALL):
            self._how_to_read_on = f"{FIRST_LINE_PARAMETER}, or all by {READ_ALL}(path)"
        for initial in initial_results(opening, tool_schema):
            title = title_of(initial.operation, initial.arguments)
            self._titles.setdefault(initial.text, title)

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return a result as text, or a reference to the earlier result that has the same text.

        `{"path": "/docs/a.md", "content": "A key is lent for a day."}` -> `A key is lent for a
        day.` Above the text of a file, there may be a line with its other fields.
        """
        title = title_of(operation, arguments)
        if not has_file_text(operation, result):
            return self._once(shown_result(operation, result), title)

        read = FileRead(operation, arguments, result)
        text = shown_file(
            read, is_exact=self.may_write_files, how_to_read_on=self._how_to_read_on
        )
        return self._line_of_fields(read) + self._once(text, title)

    def _once(self, text: str, title: str) -> str:
        """Return a text, or a reference to it if it was shown before. Short texts are repeated."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._titles.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._titles[text] = title
        return text

    def _line_of_fields(self, read: FileRead) -> str:
        """Return the line above a file's text: `{"truncated":true,"hash":"5d41"}`.

        Flags are shown if they are true. Other fields, such as the hash, are shown only if
        the model may write this file. It hardly ever writes documents.
        """
        is_document = read.path.casefold().endswith(_DOCUMENT_EXTENSIONS)
        may_write_this_file = self.may_write_files and not is_document
        fields: dict[str, Plain] = {}
        for name, value in read.other_fields().items():
            is_flag = isinstance(value, bool)
            if value is True or (may_write_this_file and not is_flag):
                fields[name] = value
        return f"{compact_json(fields)}\n" if fields else ""


def has_file_text(operation: Operation, result: Mapping[str, Plain]) -> bool:
    """Return True if a call has read a file, and its result has the text."""
    is_read = operation.effect is Effect.READS
    return is_read and isinstance(result.get(operation.json_field), str)
