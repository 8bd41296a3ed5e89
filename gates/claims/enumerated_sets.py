"""Finds sets of records that are named and cited in part.

Source: an answer cites the records that it rests on. One that is about all that the instruction enumerates rests on all
of them; a question between several rests on each.
"""

from __future__ import annotations

import re
from typing import Final

from gates.facts import TrialFacts, facts_of, kind_of
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import CLARIFICATION, OK, Case, Submission

_SHOWN: Final = 5
_RULED_OUT: Final = re.compile(
    r"\b(?:not|except|excluding|without|unlike|instead of|rather than|other than|besides|apart from|no)\b",
    re.IGNORECASE,
)
_REACH: Final = 60
_BARE_NUMBER: Final = re.compile(r"\D{0,20}\d{1,6}\D{0,20}")


def fault_of_enumerated_set(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer that cites some of the records of one kind that are enumerated, and not the rest.

    For an OK those are the ones that the instruction names, unless the answer chooses among them or counts some; for a
    clarification the ones that the answer names to choose from. Does not apply if none of them is cited.
    """
    if not evidence.has_trace:
        return ""
    facts = facts_of(evidence)
    if submission.outcome == CLARIFICATION:
        sets = _sets_in(facts, submission.answer_text)
    elif submission.outcome == OK and not _BARE_NUMBER.fullmatch(submission.answer_text.strip()[:60]):
        chosen = set(facts.ids_in(submission.answer_text))
        sets = [each for each in _sets_in(facts, case.instruction) if chosen.isdisjoint(each)]
    else:
        return ""
    cited = {evidence.find(each).path for each in submission.citations}
    for each in sets:
        missing = [path for path in each.values() if path not in cited]
        if 0 < len(missing) < len(each):
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            return (
                f"Of {len(each)} records that are named together, {', '.join(map(quote, missing[:_SHOWN]))}{more} "
                "are not cited: read and cite each of them."
            )
    return ""


def _sets_in(facts: TrialFacts, text: str) -> list[dict[str, str]]:
    """Return the sets of two or more records of one kind that a text names: their paths by id. What it rules out, and
    documents, belong to none."""
    found: dict[str, dict[str, str]] = {}
    end = 0
    for each in facts.named_in(text):
        before = text[max(end, each.start - _REACH) : each.start]
        end = each.end
        path = each.paths[0]
        if len(each.paths) == 1 and path not in facts.documents and not _RULED_OUT.search(before):
            found.setdefault(kind_of(path), {})[each.id] = path
    return [each for each in found.values() if len(each) > 1]
