"""Finds answers that name a class of records in part: of all that are in one state, or at one place, some.

Source: "which loans in Gent are overdue?" wants every one that is. The class is certain only where the request
consists of the kind, a state, values of the records and words that fit any request; its members are the records that
were read in that state and with those values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gates.claims.statements import is_open
from gates.facts import Record, TrialFacts, compound_stem, facts_of, id_prefix
from gates.types import terms
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import OK, Case, Submission

MAX_CHARS: Final = 300
"""A longer request says more than a kind and a state."""
_MARKED: Final = re.compile(r"[\d`\"'/%:]")
_WORD: Final = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")
_DECIDES: Final = re.compile(r"\W*[^\W\d_]{1,5}[,.!:;]")
"""A short word at the beginning, apart from the rest: it decides a question, and names one example."""
_SHOWN: Final = 5


def fault_of_named_class(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an OK answer that names some records of the class a request is about, and leaves out others.

    Does not apply after a change, to a request that denies or says more than a kind of record, a state and values, and
    to answers that begin with a yes or no. Another's records belong to no class.
    """
    if submission.outcome != OK or evidence.changes:
        return ""
    asked = case.instruction
    if len(asked) > MAX_CHARS or _MARKED.search(asked) or is_open(asked, MAX_CHARS):
        return ""
    if _DECIDES.match(submission.answer_text):
        return ""
    facts = facts_of(evidence)
    said = set(facts.ids_in(submission.answer_text))
    cited = {evidence.find(each).path for each in submission.citations}
    for members in _classes_in(asked, facts):
        missing = [each.path for each in members if terms.fold_text(each.id) not in said and each.path not in cited]
        if missing and any(terms.fold_text(each.id) in said for each in members):
            return (
                f"The request is about all records of one kind that are alike, and {_listed(missing)}, read as alike, "
                "are neither named nor cited: go through every one that was read."
            )
    return ""


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(map(quote, paths[:_SHOWN])) + more


def _classes_in(instruction: str, facts: TrialFacts) -> Iterator[list[Record]]:
    """Yield the records of each kind that are in the one state, and hold the values, which the instruction names.

    Its first word asks or orders, unless it names kind or state.
    """
    words = {compound_stem(each): each for each in _WORD.findall(terms.fold_text(instruction))}
    first, *further = (
        frozenset() if terms.is_boilerplate(word) else {each} for each, word in (words or {"": ""}).items()
    )
    stems = frozenset[str]().union(*further)
    kinds = {each.kind: id_prefix(each.id) for each in facts.records.values()}
    for kind, prefix in kinds.items():
        names = {compound_stem(kind.rpartition("/")[2]), compound_stem(prefix)}
        of_kind = [each for each in facts.records.values() if each.kind == kind]
        states = frozenset[str]().union(*(_states(each, facts) for each in of_kind))
        named = stems | (first & (names | states))
        left = named - names
        state = left & states
        places = {words[each] for each in left - states}
        if left and left != named:
            alike = [each for each in of_kind if state <= facts.about(each).current_states]
            alike = [each for each in alike if not places or places.issubset(facts.values_of(each))]
            yield [each for each in alike if not facts.is_anothers(each)]


def _states(record: Record, facts: TrialFacts) -> frozenset[str]:
    return frozenset[str]().union(*(each.stems for each in facts.about(record).states.values()))
