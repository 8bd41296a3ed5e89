"""Writes the files that fit a request best into the first message.

For "Renew my loan l-7", which names a record, a file about one case:

    show_best_files(...)   -> {"/docs/loans.md": 5000, "/loans/l-7.json": 900}

The message then has a section of 5,000 characters for the best document, a text for all requests,
and one of 900 for the record. A section has a heading, and as much of the file as fits.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.initial_calls.call_texts import outcome_text
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.sections.prompt_sections import Place
from controlplane.agent.initial_calls.sections.result_section import result_section
from controlplane.agent.initial_calls.sections.section_writer import SectionWriter
from controlplane.agent.initial_calls.sections.text_starts import (
    compact_text_start,
)
from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.selection.file_selection import (
    SelectedFile,
    select_files,
)


def show_best_files(
    candidates: Sequence[Candidate], calls: InitialCalls, writer: SectionWriter
) -> dict[str, int]:
    """Write the best files into the message until its room for files is used.

    `candidates` are sorted, the best first. Return the lengths of the sections, by path.
    """
    selected = select_files(candidates, calls, writer.remaining_chars)
    # Documents come first: if several trials begin with the same text, endpoints can cache it.
    selected.sort(key=lambda file: not isinstance(file.candidate, DocumentCandidate))
    return {file.candidate.path: _show_file(file, writer) for file in selected}


def _show_file(file: SelectedFile, writer: SectionWriter) -> int:
    """Add the section of a file to the message, and return its length."""
    operation = file.read_operation
    outcome = file.call.outcome()
    # `file.chars` is the share of the message's room that this file has got. The file may be a
    # record in JSON, of which more fits without the indentation.
    room = writer.room_for_result(file.chars)
    shown_text = compact_text_start(outcome_text(operation, outcome), room)
    section = result_section(
        Place.FITTING,
        outcome,
        shown_text,
        operation,
        writer.tool_schema,
        remark=file.candidate.validity_remark,
    )
    writer.add_result(section, file.call, shown_text)
    return sum(len(piece) for piece in section.pieces)
