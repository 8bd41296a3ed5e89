"""Selects the files to show in the first message.

A candidate is a document (a text for all requests) or a record (about one case). All share a
*room*, which the environment declares as `ToolSchema.ranked_chars`. With 7,000 characters:

| candidate, the best first | characters | selected |
|---|---|---|
| `/records/loans/loan-12.json`, which the request names | 900 | 900 |
| `/docs/loans.md`, the best document | 5,000 | 5,000 |
| `/docs/fees.md`, the second best | 2,000 | no: it does not fit into what is left |
| `/docs/cards.md`, which hardly has words of the request | 300 | no: it is not wanted |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.selection.file_room import FileRoom
from controlplane.agent.retrieval.selection.needed_room import needed_chars
from controlplane.agent.retrieval.selection.wanted_files import wanted_files
from controlplane.sandbox.interface import Operation


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
        if operation is None:
            continue  # The environment has no call that reads the file.
        reader = FileReader(calls, operation)
        call = reader.call_for(candidate.path)
        if call is None:
            continue  # The trial had no call left to read the file.
        text = reader.text(candidate.path) or ""  # empty if the call has failed
        chars = room.take(candidate, needed_chars(candidate, text, calls.tool_schema))
        if chars is None:
            continue  # There is no room for the file.
        selected.append(SelectedFile(candidate, operation, call, chars))
    return selected
