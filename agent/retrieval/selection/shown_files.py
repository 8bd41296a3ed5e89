"""Writes the files that fit a request best into the first message.

For "Renew my loan l-7", which names a record, a file about one case:

    show_best_files(...)   -> {"/docs/loans.md": 5000, "/loans/l-7.json": 900}

The message then has 5,000 characters of the best document, a text for all requests, and 900 of
the record.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.initial_calls.shown_calls import show_fitting_file
from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.selection.file_selection import select_files


def show_best_files(
    candidates: Sequence[Candidate], calls: InitialCalls, writer: SectionWriter
) -> dict[str, int]:
    """Write the best files into the message until its room for files is used.

    `candidates` are sorted, the best first. Return how many characters of each file are shown,
    by path.
    """
    selected = select_files(candidates, calls, writer.remaining_chars)
    # Documents come first: if several trials begin with the same text, endpoints can cache it.
    selected.sort(key=lambda file: not isinstance(file.candidate, DocumentCandidate))
    shown_chars: dict[str, int] = {}
    for file in selected:
        remark = file.candidate.validity_remark
        shown_chars[file.candidate.path] = show_fitting_file(
            writer, file.read_operation, file.call, file.chars, remark
        )
    return shown_chars
