"""What a request's records make of it, and how a submission differs from that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.shop.language.record_kinds import id_of, kind_of, skus_in
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from gates import Submission
from gates.types import Evidence, split_fragment

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Expectation:
    """The outcome, the value and the citations that the records bear out."""

    basis: str
    """What was compared, for messages: records, documents and conditions."""
    outcome: str
    cited: frozenset[str] = frozenset()
    """The records and documents that the answer rests on."""
    tolerated: frozenset[str] = frozenset()
    """Records that may be cited beside them."""
    states: Callable[[str], bool] | None = None
    """Says whether a message states what the records show; None if any message does."""
    may_be: frozenset[str] = frozenset()
    """Further outcomes that what is known does not rule out."""
    strange: frozenset[str] = frozenset()
    """Records that no answer rests on, where several outcomes may be right."""
    deed: tuple[str, ...] = ()
    """A path that an OK must have changed, or a tool with the words of its call; empty if nothing was asked to be done.
    """
    may_be_told: bool = False
    """Whether the request asks if the deed may be done, so that an OK which changes nothing may tell what holds."""
    open_between: Callable[[], frozenset[str]] | None = None
    """Returns the codes of several records of which everything holds that the request says: no OK picks one of them."""
    by_record: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)
    """For records of which an OK rests on exactly one: whether a message states what that one makes of the question."""


def fault_of(expected: Expectation, submission: Submission, evidence: Evidence) -> str:
    """Return how a submission differs from what is expected, or an empty string.

    Records that the answer does not rest on must not be cited; documents and tools may be.
    """
    is_ok = submission.outcome == OK
    if submission.outcome in expected.may_be:
        strange = sorted(path for path in submission.citations if path in expected.strange)
        if strange:
            return f"The answer does not rest on {_some(list(map(id_of, strange)))}: uncite it."
        return (_fault_of_pick(expected, submission) or _fault_by_record(expected, submission)) if is_ok else ""
    if expected.may_be_told and submission.outcome == OK and not evidence.changes:
        return _fault_of_value(expected, submission)
    if submission.outcome != expected.outcome:
        return (
            f"{expected.basis} do not bear out {submission.outcome}: go through them again, condition by condition, "
            "and take the outcome that the workspace's documents give to what the records hold."
        )
    if expected.outcome == OK and expected.deed and evidence.has_trace and not _was_done(expected.deed, evidence):
        return f"{expected.basis} allow what was asked, and the trace does not show it done as asked: do it first."
    if fault := _fault_of_value(expected, submission):
        return fault
    cited = {split_fragment(path)[0] for path in submission.citations}
    if missing := sorted(expected.cited - cited):
        return f"The answer rests on more than it cites: read and cite {_some(missing)}."
    further = sorted(path for path in cited - expected.cited - expected.tolerated if kind_of(path) is not None)
    if further:
        return f"The answer does not rest on {_some(list(map(id_of, further)))}: remove it from the citations."
    return ""


def _fault_of_value(expected: Expectation, submission: Submission) -> str:
    if expected.states is None or expected.states(submission.answer_text):
        return ""
    return (
        f"The answer does not state what {expected.basis} hold: read and compute again what was asked, and state that."
    )


def _fault_of_pick(expected: Expectation, submission: Submission) -> str:
    """Return the fault of an answer with the code of one of several records that the request does not tell apart."""
    given = skus_in(submission.answer_text[:20_000])
    if expected.open_between is None or len(given) != 1 or given[0] not in (codes := expected.open_between()):
        return ""
    return (
        f"Everything that the request says holds for {len(codes)} records, and the answer picks one: ask which is "
        f"meant with {CLARIFICATION}, naming and citing each."
    )


def _fault_by_record(expected: Expectation, submission: Submission) -> str:
    """Return the fault of an answer that rests on none or several of some records, or not on the one that it cites."""
    cited = {split_fragment(path)[0] for path in submission.citations}
    if missing := sorted(expected.cited - cited):
        return f"The answer rests on more than it cites: read and cite {_some(missing)}."
    if not expected.by_record:
        return ""
    meant = sorted(cited & expected.by_record.keys())
    if len(meant) != 1:
        return (
            f"The question is about one record, and the answer cites {len(meant)} that may be meant: find the one that "
            "fits every word of the request, and cite that one alone."
        )
    if expected.by_record[meant[0]](submission.answer_text):
        return ""
    return f"The answer does not state what {id_of(meant[0])} makes of the question: compute it again from that record."


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _was_done(deed: tuple[str, ...], evidence: Evidence) -> bool:
    path, *words = deed
    made = [each for each in evidence.changes if each.path == path]
    return any(set(words) <= set(each.detail.split()) for each in made)


def holds_word(word: str) -> Callable[[str], bool]:
    """Return whether a message holds a word, number or instant that no letter or digit touches."""
    spelled = re.escape(word).replace("_", "[ _-]")
    pattern = re.compile(rf"(?<![\w.]){spelled}(?!\w|[.,]\d)", re.IGNORECASE)
    return lambda text: pattern.search(text[:20_000]) is not None
