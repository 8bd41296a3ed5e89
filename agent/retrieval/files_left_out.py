"""Tells the model and the journal which files the first message does not show.

The message says `(Not shown: 2 documents of /docs.)`, so that the model can read them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from controlplane.agent.events import RankedFile
from controlplane.agent.retrieval.file_candidate import (
    Candidate,
    DocumentCandidate,
)
from controlplane.agent.retrieval.ranking_reasons import Reason

MAX_ROWS: Final = 40
"""How many files the journal lists for one request, shown or not."""
MAX_LEFT_OUT_ROWS: Final = 12
"""How many of them may be files that are not shown. The best of these are listed."""


def files_left_out(
    candidates: Iterable[Candidate],
    shown_chars: Mapping[str, int],
    document_root: str,
) -> str:
    """Return the line that tells the model what is not shown; empty if all is shown.

    `(Not shown: 2 documents of /docs; /docs/updates/2031-05-02-keys.md (not begun).)`

    The model should know of some files by their paths (see `_left_out_remark`). Other documents
    are only counted, and other records are not mentioned. `shown_chars` has the files that are
    shown.
    """
    document_count = 0
    remarks: list[str] = []
    for candidate in candidates:
        if shown_chars.get(candidate.path):
            continue
        remark = _left_out_remark(candidate)
        if remark:
            remarks.append(remark)
        elif isinstance(candidate, DocumentCandidate):
            document_count += 1

    if document_count:
        remarks.insert(0, f"{document_count} documents of {document_root}")
    if not remarks:
        return ""
    return f"(Not shown: {'; '.join(remarks)}.)\n"


def _left_out_remark(candidate: Candidate) -> str:
    """Return the remark about a file that is not shown; empty if the model need not know it.

    - a document that changes others, or is not in force: `/docs/a.md (not begun)`
    - a record that the request names, but that belongs to another user than the one who asks
    """
    reasons = candidate.reasons
    if isinstance(candidate, DocumentCandidate):
        if candidate.is_notice or Reason.NOT_IN_FORCE in reasons:
            return candidate.path + candidate.validity_remark
        return ""
    if Reason.WITHHELD in reasons and Reason.NAMED in reasons:
        return f"{candidate.path} (it belongs to somebody else)"
    return ""


def journal_rows(
    candidates: Iterable[Candidate], shown_chars: Mapping[str, int]
) -> tuple[RankedFile, ...]:
    """Return the rows for the journal: the shown files, then the best of the files left out.

    `/docs/loans.md` (shown), `/docs/fees.md` (left out, reason `words`). A file that nothing
    connects with the request has no row.
    """
    shown: list[RankedFile] = []
    left_out: list[RankedFile] = []
    for candidate in candidates:
        chars = shown_chars.get(candidate.path, 0)
        if chars:
            shown.append(candidate.journal_row(chars))
        elif candidate.reasons:
            left_out.append(candidate.journal_row(chars))
    rows = shown + left_out[:MAX_LEFT_OUT_ROWS]
    return tuple(rows[:MAX_ROWS])


def is_fitting_left_out(file: RankedFile) -> bool:
    """Return True if a file of the journal's list fits, and may be shown, but is not shown.

    `file.reason` has the reasons for which it fits or must not be shown: `named+words`.
    """
    reasons = file.reason.split("+")
    is_refused = Reason.WITHHELD in reasons or Reason.NOT_IN_FORCE in reasons
    return bool(file.reason) and not file.chars and not is_refused
