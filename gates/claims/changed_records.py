"""Finds changes that were made to another record than the one that the instruction, or else the answer, names.

Source: what was done must have been done to what was asked about, or to a record that is tied to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gates.facts import TrialFacts, facts_of, id_of, is_id
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import OK, Case, Submission
from gates.types.terms import fold_text

MAX_PAIRS: Final = 40


def fault_of_changed_records(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an OK answer if every change was made to records that nothing ties to a named one.

    Does not apply if no record is named, if a change names none, and to more than 40 pairs of both.
    """
    if submission.outcome != OK or not evidence.changes:
        return ""
    facts = facts_of(evidence)
    named = _named(facts, case.instruction) or _named(facts, submission.answer_text)
    changed = [list(_changed_ids(facts, each.path, each.action, each.detail)) for each in evidence.changes]
    everything = {each for ids in changed for each in ids}
    if not named or not all(changed) or len(everything) * len(set(named)) > MAX_PAIRS:
        return ""
    if any(one == other or facts.are_linked(one, other) for one in everything for other in set(named)):
        return ""
    return (
        f"What was changed is {quote(sorted(everything)[0])}, but {quote(named[0])} is what it is about, and nothing "
        "that was seen ties the two: make the change to the record that is meant, and undo the other if that is "
        "possible."
    )


def _named(facts: TrialFacts, text: str) -> list[str]:
    """Return the ids of data records that a text names."""
    return [each.id for each in facts.named_in(text) if is_id(each.id) or facts.record_of(each) is not None]


def _changed_ids(facts: TrialFacts, path: str, action: str, detail: str) -> Iterator[str]:
    """Yield the ids of the records that a change was made to, as far as it names them."""
    if action != "execute":
        if path in facts.records:
            yield fold_text(id_of(path))
        return
    words = [fold_text(each) for each in detail.split()]
    yield from _known(facts, words) or [each for each in words if is_id(each)]


def _known(facts: TrialFacts, words: Iterable[str]) -> list[str]:
    return [each for each in words if each in facts.paths_by_id]
