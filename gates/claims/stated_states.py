"""Finds states that an answer says a record is in, and that this record is not in by its last reading.

Source: an answer that says "loan-7 is returned" or "loan-7 is still open" is borne out by the record that reads so
after everything that was done, in whatever voice it says it.
"""

from __future__ import annotations

from gates.claims.statements import StatedState, stated_states
from gates.facts import facts_of
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import OK, Case, Submission


def faults_of_stated_states(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    """Return the faults of an OK answer whose sentence names a record and only states that it is not in.

    Does not apply without a trace, to records that were not read, and to fields whose states the workspace does not
    tell. A sentence that also names the record's true state, or one of a record tied to it, passes.
    """
    if submission.outcome != OK or not evidence.has_trace:
        return []
    facts = facts_of(evidence)
    by_records: dict[tuple[str, ...], list[StatedState]] = {}
    records_of = {}
    for each in stated_states(submission.answer_text, facts):
        key = tuple(record.path for record in each.records)
        records_of[key] = each.records
        by_records.setdefault(key, []).append(each)
    faults: list[str] = []
    for key, stated in by_records.items():
        subjects = facts.tied_to(records_of[key])
        known = list(map(facts.about, subjects))
        current, done = frozenset[str]().union(*(each.current_states for each in known)), facts.done_stems(subjects)
        before = frozenset[str]().union(*(each.past_states for each in known))
        told = [each for each in stated if each.stem in current or (each.stem in done and not _is_stale(each, before))]
        if told or not current | done:
            continue
        false = [each.stem for each in stated if each.is_behind_its_record or each.stem not in before]
        if false:
            faults.append(_fault(key[0], stale=false[0] in before))
    return faults


def _is_stale(stated: StatedState, before: frozenset[str]) -> bool:
    """Say whether a state is told as a field's value that was its value before; else it may tell what was done."""
    return stated.is_value and stated.stem in before


def _fault(path: str, *, stale: bool) -> str:
    if stale:
        return (
            f"The answer gives the state that {quote(path)} had before it was changed: read it again, and state what "
            "it reads now."
        )
    return (
        f"The answer says of {quote(path)} a state that is in none of its readings: read it again, and state what it "
        "reads; what was not done is not reported as done."
    )
