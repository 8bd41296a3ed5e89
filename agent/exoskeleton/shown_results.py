"""Shows the results of calls to the model, and each long text only once in a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.exoskeleton.initial_results import initial_results
from controlplane.agent.exoskeleton.shown_texts import (
    FIRST_LINE,
    FileRead,
    compact_json,
    shown_file,
    shown_result,
)
from controlplane.agent.initial_calls.prompt_sections import READ_ALL, title_of
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files that trials only read, so the fields that a write needs are not shown."""
_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(slots=True)
class ShownResults:
    """Shows results in one conversation, and remembers the texts that were shown."""

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts,
    and the fields that a write needs, such as the hash of the file."""
    _titles: dict[str, str] = field(default_factory=dict)
    """By text, the title of the call that returned it first, such as `read /docs/a.md`."""
    _how_to_read_on: str = FIRST_LINE
    """How the model reads the rest of a file: by a parameter, or by another call."""

    def take_initial_prompt(
        self, opened: ConversationOpened, tool_schema: ToolSchema
    ) -> None:
        """Remember the results that the initial prompt shows, and how a long file is read on."""
        if tool_schema.operation(READ_ALL):
            self._how_to_read_on = f"{FIRST_LINE}, or all by {READ_ALL}(path)"
        for initial in initial_results(opened, tool_schema):
            title = title_of(initial.operation, initial.arguments)
            self._titles.setdefault(initial.text, title)

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return a result as text, or a reference to the earlier result that has the same text."""
        title = title_of(operation, arguments)
        has_text = isinstance(result.get(operation.json_field), str)  # the file's text
        if operation.effect is not Effect.READS or not has_text:
            return self._once(shown_result(operation, result), title)

        read = FileRead(operation, arguments, result)
        text = shown_file(
            read, is_exact=self.may_write_files, how_to_read_on=self._how_to_read_on
        )
        return self._first_line(read) + self._once(text, title)

    def _once(self, text: str, title: str) -> str:
        """Return a text, or a reference to it if it was shown before."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._titles.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._titles[text] = title
        return text

    def _first_line(self, read: FileRead) -> str:
        """Return the line of JSON with the fields to show above a file's text; empty without any.

        Flags that are true, such as `truncated`, are always shown. Other fields, such as
        the file's hash, are shown only if the model may write the file.
        """
        path = str(read.arguments.get(read.operation.subject))
        is_document = path.casefold().endswith(_DOCUMENT_EXTENSIONS)
        shows_all = self.may_write_files and not is_document
        fields: dict[str, Plain] = {}
        for name, value in read.other_fields().items():
            if value is True or (shows_all and value is not False):
                fields[name] = value
        return f"{compact_json(fields)}\n" if fields else ""
