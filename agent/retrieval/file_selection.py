"""Selects the files to show in the first message, and writes them into it.

A candidate is a document (a text for all requests) or a record (about one case). All share a
*room*, which the environment declares as `ToolSchema.ranked_chars`. With 7,000 characters:

| candidate, the best first | characters | shown |
|---|---|---|
| `/records/loans/loan-12.json`, which the request names | 900 | 900 |
| `/docs/loans.md`, the best document | 5,000 | 5,000 |
| `/docs/fees.md`, the second best | 2,000 | none: it does not fit into what is left |
| `/docs/cards.md`, which hardly has words of the request | 300 | none: it is not wanted |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.cut_texts import shown_length
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.retrieval.file_candidate import (
    Candidate,
    DocumentCandidate,
    declared_records,
)
from controlplane.agent.retrieval.file_room import FileRoom
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.wanted_files import wanted_files
from controlplane.sandbox.interface import Operation, ToolSchema

MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room for all files that one named record may use."""
SECTION_CHARS: Final = 160
"""The characters that a file's title, and the note that its text is cut, take in the message."""


@dataclass(frozen=True, slots=True)
class SelectedFile:
    """A file to show."""

    candidate: Candidate
    read_operation: Operation
    """The operation that read the file."""
    call: CallUnderWay
    """The call that read the file."""
    chars: int
    """How many characters of the message the file may take."""


def show_best_files(
    candidates: Sequence[Candidate], calls: InitialCalls, writer: SectionWriter
) -> dict[str, int]:
    """Write the best files into the message until its room for files is used.

    `candidates` are sorted, the best first. Return how many characters of each file are shown,
    by path: `{"/docs/loans.md": 5000}`.
    """
    selected = select_files(candidates, calls, writer.remaining_chars)
    # Documents come first: if several trials begin with the same text, endpoints can cache it.
    selected.sort(key=lambda file: not isinstance(file.candidate, DocumentCandidate))
    shown_chars: dict[str, int] = {}
    for file in selected:
        remark = file.candidate.validity_remark
        shown_chars[file.candidate.path] = writer.show_fitting_file(
            file.read_operation, file.call, file.chars, remark
        )
    return shown_chars


def select_files(
    candidates: Sequence[Candidate], calls: InitialCalls, max_chars: int
) -> list[SelectedFile]:
    """Return the files to show in at most `max_chars` characters, the best first.

    They are the candidates that fit the request well enough, and were read. If a file does not
    fit into the remaining room, the next one is tried.
    """
    room = FileRoom.of(calls.tool_schema.ranked_chars, max_chars)
    selected: list[SelectedFile] = []
    for candidate in wanted_files(candidates):
        operation = candidate.read_operation
        reader = FileReader(calls, operation)
        call = reader.call_for(candidate.path)
        if operation is None or call is None:
            continue  # The trial had no call left to read the file.
        text = reader.text(candidate.path) or ""  # empty if the call has failed
        needed_chars = _needed_chars(candidate, text, calls.tool_schema)
        chars = room.take(candidate, needed_chars)
        if chars is None:
            continue  # There is no room for the file.
        selected.append(SelectedFile(candidate, operation, call, chars))
    return selected


def _needed_chars(candidate: Candidate, text: str, tool_schema: ToolSchema) -> int:
    """Return how many characters a file with this text takes if there is room for it.

    A document takes its whole length. Documents matter more than records, so records are cut:

    - a record that the request names, to a part of the room for all files (`ranked_chars`)
    - another record, to the few characters that the environment declares (`each_chars`)
    """
    whole_chars = shown_length(text) + SECTION_CHARS
    if isinstance(candidate, DocumentCandidate):
        return whole_chars
    if Reason.NAMED in candidate.reasons:
        max_chars = int(MAX_NAMED_RECORD_PART * tool_schema.ranked_chars)
    else:
        max_chars = declared_records(tool_schema).each_chars
    return min(whole_chars, max_chars)
