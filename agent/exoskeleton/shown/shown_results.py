"""Shows the results of calls to the model, and each long text only once in a conversation.

A read of `/docs/a.md` returns `{"content": "A key is lent for ...", "hash": "5d41"}`:

    the first time    the text, below a line `{"hash":"5d41"}` if the trial may write files
    later             `(unchanged: it stands above as the result of read /docs/a.md)`
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
from controlplane.sandbox.interface import Operation, Plain, ToolSchema

_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(frozen=True, slots=True)
class ShownResults:
    """Shows results in one conversation, and keeps in mind which texts it has shown."""

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and the
    fields that a write needs, such as the file's hash."""
    how_to_read_on: str = FIRST_LINE_PARAMETER
    """How the model reads the rest of a long file: by the parameter `start_line`. If the
    environment has a call for whole files: `start_line, or all by read_all(path)`."""
    _title_by_text: dict[str, str] = field(default_factory=dict)
    """The title of the call that returned a text first, such as `read /docs/a.md`."""

    @classmethod
    def after_opening(
        cls,
        opening: ConversationOpened,
        tool_schema: ToolSchema,
        *,
        may_write_files: bool,
    ) -> ShownResults:
        """Return what is shown after the start of a conversation, which shows results, too."""
        how_to_read_on = FIRST_LINE_PARAMETER
        if tool_schema.operation(READ_ALL):
            how_to_read_on += f", or all by {READ_ALL}(path)"
        title_by_text: dict[str, str] = {}
        for initial in initial_results(opening, tool_schema):
            title = title_of(initial.operation, initial.arguments)
            title_by_text.setdefault(initial.text, title)
        return cls(may_write_files, how_to_read_on, title_by_text)

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return a result as text, or a reference to the earlier result that has the same text."""
        title = title_of(operation, arguments)
        if FileRead.has_text(operation, result):
            return self._shown_file(FileRead(operation, arguments, result), title)
        return self._once(shown_result(operation, result), title)

    def _shown_file(self, read: FileRead, title: str) -> str:
        """Return the text of a file, below a line with other fields, if the model needs them."""
        text = shown_file(
            read, is_exact=self.may_write_files, how_to_read_on=self.how_to_read_on
        )
        fields = read.fields_to_show(may_write_files=self.may_write_files)
        line_of_fields = f"{compact_json(fields)}\n" if fields else ""
        return line_of_fields + self._once(text, title)

    def _once(self, text: str, title: str) -> str:
        """Return a text, or a reference to it if it was shown before. Short texts are repeated."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._title_by_text.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._title_by_text[text] = title
        return text
