"""The values in the answer to a question, each with its support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.journal.journal_reader import TrialRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.terminal_text import one_line
from controlplane.view.trial_pages.page_part import Part

UNVERIFIED: Final = "unverified"
"""The first word of a value's support text if nothing supports the value."""
OPERATION_OF_QUESTIONS: Final = "passages"
"""An operation that only the trials of questions about files have (`ask`)."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A value in the answer to a question, with its support."""

    value: str
    support: str
    """The support in words, which begin with `UNVERIFIED` if there is none."""


def judged_claims(record: TrialRecord, summary: TrialSummary) -> list[JudgedClaim]:
    """Return each value of an answer to a question with what supports it.

    The list is empty for trials of other benchmarks.
    """
    operations = {call.operation for call in record.all_calls}
    if OPERATION_OF_QUESTIONS not in operations:
        return []
    # Importing these modules takes time, as they import the rules. Other pages do not need them.
    from controlplane.gates.support.support_texts import support_text
    from controlplane.view.answer.trial_evidence import marker_of_trial

    # A mark is a value in the answer with what supports it.
    claims = []
    for mark in marker_of_trial(record, summary).marks(summary.answer):
        support = support_text(mark)
        if support:  # It is empty for a value that the question gives.
            claims.append(JudgedClaim(mark.value.text, support))
    return claims


def claim_part(claim: JudgedClaim) -> Part:
    style = "red" if claim.support.startswith(UNVERIFIED) else ""
    return Part(one_line(claim.value), style, tail=f"  {one_line(claim.support)}")
