"""Shows the results of calls to the model, as texts.

A read of `/docs/a.md` returns `{"content": "A key is lent for ...", "hash": "5d41"}`:

    the first time    the text, below a line `{"hash":"5d41"}` if the trial may write files
    later             `(unchanged: it stands above as the result of read /docs/a.md)`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from controlplane.agent.exoskeleton.initial_results import InitialResult
from controlplane.agent.exoskeleton.shown.file_read import (
    FIRST_LINE_PARAMETER,
    FileRead,
)
from controlplane.agent.exoskeleton.shown.needed_fields import needed_fields
from controlplane.agent.exoskeleton.shown.shown_file import shown_file
from controlplane.agent.exoskeleton.shown.shown_once import ShownOnce
from controlplane.agent.exoskeleton.shown.shown_texts import compact_json, shown_result
from controlplane.agent.initial_calls.call_texts import title_of
from controlplane.agent.initial_calls.sections.rest_notice import READ_ALL
from controlplane.sandbox.interface import Operation, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class ShownResults:
    """Shows results in one conversation, and each long text only once."""

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and the
    fields that a write needs, such as the file's hash."""
    way_to_read_on: str = FIRST_LINE_PARAMETER
    """How the model reads the rest of a long file: by the parameter `start_line`. If the
    environment has a call for whole files: `start_line, or all by read_all(path)`."""
    texts: ShownOnce = field(default_factory=ShownOnce)
    """The texts that were shown before."""

    @classmethod
    def after(
        cls,
        initial_results: Iterable[InitialResult],
        tool_schema: ToolSchema,
        *,
        may_write_files: bool,
    ) -> ShownResults:
        """Return a `ShownResults` that knows the results which the first message has shown."""
        way_to_read_on = FIRST_LINE_PARAMETER
        if tool_schema.operation(READ_ALL):
            way_to_read_on += f", or all by {READ_ALL}(path)"
        return cls(may_write_files, way_to_read_on, ShownOnce.after(initial_results))

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return the result of a call as the model sees it."""
        title = title_of(operation, arguments)
        is_text_of_file = FileRead.has_text(operation, result)
        if not is_text_of_file:
            return self.texts.shown(shown_result(operation, result), title)

        read = FileRead(operation, arguments, result)
        is_exact = self.may_write_files
        text = shown_file(read, is_exact=is_exact, way_to_read_on=self.way_to_read_on)
        fields = needed_fields(read, may_write_files=self.may_write_files)
        line_of_fields = f"{compact_json(fields)}\n" if fields else ""
        return line_of_fields + self.texts.shown(text, title)
