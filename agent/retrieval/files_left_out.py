"""Tells the model and the journal which files the first message does not show.

The model reads `(Not shown: 2 documents of /docs ...)`, so that it can read them by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.events import RankedFile
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason

MAX_ROWS: Final = 40
"""How many files the journal lists for one request, shown or not."""
MAX_LEFT_OUT_ROWS: Final = 12
"""How many files that are not shown are among them: the best, which were left out narrowly."""


def files_left_out(candidates: Iterable[Candidate], document_root: str) -> str:
    """Return the line that tells the model what is not shown; empty if all is shown.

    `(Not shown: 2 documents of /docs; /docs/updates/2031-05-02-keys.md (not begun).)`
    """
    document_count = 0
    remarks: list[str] = []
    for candidate in candidates:
        if candidate.shown_chars:
            continue
        remark = _left_out_remark(candidate)
        if remark:
            remarks.append(remark)
        elif candidate.is_document:
            # For other documents, their number is enough: the rules say what they are about.
            document_count += 1

    if document_count:
        remarks.insert(0, f"{document_count} documents of {document_root}")
    if not remarks:
        return ""
    return f"(Not shown: {'; '.join(remarks)}.)\n"


def _left_out_remark(candidate: Candidate) -> str:
    """Return the remark about a file that the model should know of; else empty."""
    reasons = candidate.reasons
    if candidate.is_notice or Reason.NOT_IN_FORCE in reasons:
        return candidate.path + candidate.validity_remark
    is_foreign = Reason.WITHHELD in reasons  # It belongs to another user.
    if is_foreign and Reason.NAMED in reasons:
        return f"{candidate.path} (it belongs to somebody else)"
    return ""


def journal_rows(candidates: Iterable[Candidate]) -> tuple[RankedFile, ...]:
    """Return the rows for the journal: the shown files, then the best of the files left out."""
    shown: list[RankedFile] = []
    left_out: list[RankedFile] = []
    for candidate in candidates:
        if candidate.shown_chars:
            shown.append(candidate.journal_row())
        elif candidate.reasons:
            left_out.append(candidate.journal_row())
    rows = shown + left_out[:MAX_LEFT_OUT_ROWS]
    return tuple(rows[:MAX_ROWS])


def is_fitting_left_out(file: RankedFile) -> bool:
    """Return True if a file of the journal's list fits, and may be shown, but is not shown.

    `file.reason` has the reasons for which it fits or must not be shown: `named+words`.
    """
    reasons = file.reason.split("+")
    is_refused = Reason.WITHHELD in reasons or Reason.NOT_IN_FORCE in reasons
    return bool(file.reason) and not file.chars and not is_refused
