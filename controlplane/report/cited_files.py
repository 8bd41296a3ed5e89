"""The files that an answer cites, with their texts, for the page of a trial.

The page shows beside each citation what the trial read in that file, so that a user can check
whether it supports the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import JournalDamaged
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sandbox.interface import Effect, ToolSchema

SHOWN_FILE_CHARS: Final = 200_000
"""Characters of a cited file that its trial's page holds."""


@dataclass(frozen=True, slots=True)
class CitedFile:
    """The text of a cited file as the trial last read it."""

    text: str
    line: int
    """The line on which a quotation begins; 0 without one."""


def cited_files(record: TrialRecord, refs: Iterable[str]) -> dict[str, CitedFile]:
    """Return the cited files that the trial read, by citation.

    `refs` are the citations of the answer, such as `/docs/a.md#row=7`. For this one, the result
    has the text of `/docs/a.md`, as the trial last read it. If a script cited it with a
    quotation, such as `harness.cite("/docs/a.md#row=7", ..., quote="21 days")`, the result also
    has the line on which "21 days" begins.
    """
    if record.started is None:
        return {}
    try:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    except JournalDamaged:
        return {}  # somebody else's journal; the rest of it can be shown

    text_by_path = {}
    for call in record.all_calls:
        file = _read_file(call, tool_schema)
        if file is not None:
            text_by_path[file.path] = file.text[:SHOWN_FILE_CHARS]

    quotation_by_ref = {}
    for step in record.step_summaries:
        for citation in step.citations:
            if citation.quote:
                quotation_by_ref[citation.spelling] = citation

    files = {}
    for ref in refs:
        path = ref.partition("#")[0]
        if path not in text_by_path:
            continue
        text = text_by_path[path]
        line = 0
        if ref in quotation_by_ref:
            line = _quoted_line(quotation_by_ref[ref], text)
        files[ref] = CitedFile(text, line)
    return files


@dataclass(frozen=True, slots=True)
class _ReadFile:
    path: str
    text: str


def _read_file(call: CallRecord, tool_schema: ToolSchema) -> _ReadFile | None:
    """Return the file that a call read; None if it read none.

    A world's operations have names and fields of their own. Its tool schema declares which of
    them read a file (`Effect.READS`), by which argument they name it (`subject`), and in which
    field of the result its content is (`json_field`, also for files that are not JSON).
    """
    operation = tool_schema.operation(call.operation)
    if operation is None or operation.effect is not Effect.READS or call.result is None:
        return None
    text = call.result.get(operation.json_field)
    if not isinstance(text, str):
        return None
    path = call.arguments.get(operation.subject)
    return _ReadFile(str(path), text)


def _quoted_line(citation: Citation, text: str) -> int:
    """Return the line of a text on which a quotation begins; 0 if the text does not have it."""
    if citation.line:
        return citation.line
    place = text.find(citation.quote)
    if place < 0:
        return 0
    return text.count("\n", 0, place) + 1
