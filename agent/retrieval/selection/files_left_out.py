"""Tells the model which files the first message does not show.

The model can read them itself, so it should know that there are more:

    (Not shown: 2 documents of /docs; /docs/updates/2031-05-02-keys.md (not begun).)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason


def files_left_out(
    candidates: Iterable[Candidate],
    shown_chars: Mapping[str, int],
    document_root: str,
) -> str:
    """Return the line that tells the model what is not shown; empty if all is shown.

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
        if candidate.document.is_notice or Reason.NOT_IN_FORCE in reasons:
            return candidate.path + candidate.validity_remark
        return ""
    if Reason.WITHHELD in reasons and Reason.NAMED in reasons:
        return f"{candidate.path} (it belongs to somebody else)"
    return ""
