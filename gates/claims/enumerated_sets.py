"""Finds sets of records that are named and cited in part.

Source: an answer cites the records that it rests on. One that is about all that the instruction enumerates rests on all
of them; a question between several rests on each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gates.facts import TrialFacts, facts_of, is_state_like, kind_of
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import CLARIFICATION, OK, Case, Submission
from gates.types.terms import fold_text

_SHOWN: Final = 5
_RULED_OUT: Final = re.compile(
    r"\b(?:not|except|excluding|without|unlike|instead of|rather than|other than|besides|apart from|no)\b",
    re.IGNORECASE,
)
_REACH: Final = 60
_WORD: Final = re.compile(r"\w")
_BARE_NUMBER: Final = re.compile(r"\D{0,20}\d{1,6}\D{0,20}")


def fault_of_enumerated_set(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer that cites some of the records of one kind that are enumerated, and not the rest.

    For an OK those are the ones that the instruction names, unless the answer chooses among them or counts some; or, of
    an answer that is a list of ids and nothing else, all that it lists, however the request names their kind. For a
    clarification those are the ones that the answer names to choose from, and what a query listed alike of the
    signed-in user's.
    Does not apply if none of them is cited.
    """
    if not evidence.has_trace:
        return ""
    facts = facts_of(evidence)
    cited = {evidence.find(each).path for each in submission.citations}
    if submission.outcome == CLARIFICATION:
        sets = [*_sets_in(facts, submission.answer_text), *_sets_listed(facts, cited)]
    elif submission.outcome == OK and _lists_records(facts, submission.answer_text):
        sets = _sets_in(facts, submission.answer_text)
    elif submission.outcome == OK and not _BARE_NUMBER.fullmatch(submission.answer_text.strip()[:60]):
        chosen = set(facts.ids_in(submission.answer_text))
        sets = [each for each in _sets_in(facts, case.instruction) if chosen.isdisjoint(each)]
    else:
        return ""
    for each in sets:
        missing = [path for path in each.values() if path not in cited]
        if 0 < len(missing) < len(each):
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            return (
                f"Of {len(each)} records that are named or listed together, "
                f"{', '.join(map(quote, missing[:_SHOWN]))}{more} are not cited: read and cite each of them."
            )
    return ""


def _lists_records(facts: TrialFacts, answer: str) -> bool:
    """Say whether an answer is nothing but the ids of two or more records."""
    left, end = "", 0
    named = list(facts.named_in(answer))
    for each in named:
        left += answer[end : each.start]
        end = each.end
    return len(named) > 1 and _WORD.search(left + answer[end:]) is None


def _sets_listed(facts: TrialFacts, cited: set[str]) -> Iterator[dict[str, str]]:
    """Yield, of each query's rows, the signed-in user's records that are in the states of those cited, two at least.

    Who offers two of them to choose from leaves out none that is alike, read or not.
    """
    for table in facts.tables:
        rows = [(_record_in(row, facts), row) for row in table.rows]
        mine = facts.signed_in
        own = [(path, row) for path, row in rows if path and not mine.isdisjoint(map(fold_text, row.values()))]
        chosen = [_states_in(row) for path, row in own if path in cited]
        if len(chosen) > 1 and all(chosen) and all(each == chosen[0] for each in chosen):
            yield {path: path for path, row in own if _states_in(row) == chosen[0]}


def _record_in(row: Mapping[str, str], facts: TrialFacts) -> str:
    """Return the path of the record that a row is of: the first known one that it names."""
    known = (facts.paths_by_id.get(fold_text(value), ()) for value in row.values())
    return next((paths[0] for paths in known if len(paths) == 1), "")


def _states_in(row: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if is_state_like(value)}


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
