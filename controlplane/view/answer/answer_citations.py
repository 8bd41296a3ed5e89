"""The citations of an answer: the passages that support it, as the user would name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.agent.events import Citation
from controlplane.gates.support.sources.sources import Source
from controlplane.journal.journal_reader import TrialRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.answer.shown_path import TOOL_RESULTS, shown_path
from controlplane.view.answer.trial_evidence import citations_by_scripts

MOST_CITATIONS: Final = 200


def answer_citations(
    summary: TrialSummary, record: TrialRecord, sources: Sequence[Source], root: Path
) -> list[Citation]:
    """Return the citations of the answer, with paths as the user would write them.

    A path with quotations has one citation for each; any other path has one citation.
    """
    by_scripts = citations_by_scripts(record)
    citations = []
    for cited_path in summary.refs[:MOST_CITATIONS]:
        user_path = shown_path(cited_path, root)
        for citation in _citations_of(cited_path, by_scripts):
            line = _quoted_line(citation, cited_path, sources)
            citations.append(
                Citation(
                    path=user_path,
                    line=line,
                    quote=citation.quote,
                    reason=citation.reason,
                )
            )
    return citations


def _citations_of(cited_path: str, by_scripts: Sequence[Citation]) -> list[Citation]:
    """Return the last citation of each quotation of a path; without quotations, the last of all.

    A script may write the path as `docs/a.md`. Its citation has this form as `path`, and
    the environment's form, `/docs/a.md`, as `spelling`. `cited_path` has the latter form.
    """
    last_citation = Citation(path=cited_path, reason="")
    by_quotation: dict[str, Citation] = {}
    for citation in by_scripts:
        if citation.spelling == cited_path:
            last_citation = citation
            if citation.quote:
                by_quotation[citation.quote] = citation
    if by_quotation:
        return list(by_quotation.values())
    return [last_citation]


def _quoted_line(citation: Citation, cited_path: str, sources: Sequence[Source]) -> int:
    """Return the line of a file on which a quotation begins; 0 if the line is unknown."""
    if not citation.quote or cited_path.startswith(TOOL_RESULTS):
        return 0
    if citation.line:
        return citation.line
    for source in sources:
        if source.path != cited_path:
            continue
        line = source.line_of_quotation(citation.quote)
        if line is not None:
            return source.place(line).line
    return 0
