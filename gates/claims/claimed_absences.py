"""Finds answers about records of a kind of which every look-up has failed.

Source: a look-up that failed says nothing, so that neither "there is none" nor a refusal for want of one rests on it.
What excuses is a look-up of that kind that succeeded, or a record of it that was read and belongs to the case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gates.facts import TrialFacts, compound_stem, facts_of, id_prefix, kind_of, stems_in
from gates.types.evidence import Evidence, LookUp
from gates.types.plain_data import quote
from gates.types.submission import OK, UNSUPPORTED, Case, Submission
from gates.types.terms import fold_text, reason_tokens

MAX_FAILED: Final = 50
MAX_LOOK_UPS: Final = 500
_MOST_NAMES: Final = 12
"""Files whose names begin in more ways have no kind in common."""
_LEAST_STEM: Final = 3
_BOUNDARY: Final = re.compile(r"\\[bB]")
_ESCAPE: Final = re.compile(r"\\(\W)")
_PART: Final = re.compile(r"[^\W\d_]+")


def fault_of_absence(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer that speaks of a kind of record that was only looked up in vain.

    So does a refusal that gives nothing found, if what was looked for in vain is what the request names. Does not apply
    without a trace, to other outcomes, after a change, and to kinds that no path names.
    """
    failed = [each for each in evidence.look_ups if each.has_failed][:MAX_FAILED]
    if submission.outcome not in (OK, UNSUPPORTED) or not failed or evidence.changes:
        return ""
    facts = facts_of(evidence)
    asked = frozenset(facts.ids_in(case.instruction))
    said = stems_in(_without_values(submission.answer_text, facts))
    if _PART.fullmatch(submission.answer_text.strip()):
        said = frozenset()  # a single word is a value, such as the workspace's word for yes
    is_silent = submission.outcome == UNSUPPORTED and not set(facts.ids_in(submission.answer_text)) - asked
    for kind, stems in _kinds(facts).items():
        in_vain = [each for each in failed if _concerns(each, kind, stems)]
        is_meant = not stems.isdisjoint(said) or (is_silent and any(asked & _words(each) for each in in_vain))
        if in_vain and is_meant and not _is_covered(kind, stems, facts, asked, in_vain[-1]):
            return (
                f"What is said of {quote(kind)} rests on a look-up that failed ({quote(in_vain[-1].place)}), and a "
                "failed look-up is no empty result: look there in a way that works, by another query, by a search or "
                "by reading the records, and answer from what is found."
            )
    return ""


def _kinds(facts: TrialFacts) -> Mapping[str, frozenset[str]]:
    """Return the folders that hold records of one kind, with the stems of what those are called."""
    named: dict[str, set[str]] = {}
    for name, paths in facts.paths_by_id.items():
        for path in paths:
            kind = kind_of(path)
            named.setdefault(kind, {compound_stem(kind.rpartition("/")[2])}).add(compound_stem(id_prefix(name)))
    return {
        kind: frozenset(stem for stem in stems if len(stem) >= _LEAST_STEM)
        for kind, stems in named.items()
        if len(stems) < _MOST_NAMES
    }


def _without_values(answer: str, facts: TrialFacts) -> str:
    """Return an answer without what it quotes of records: a title `Returns Clerk` speaks of no returns."""
    readings = [reading for record in facts.records.values() for reading in record.readings]
    held = {value for each in readings for values in each.fields.values() for value in values}
    for value in sorted((each for each in held if " " in each.strip() and each in answer), key=len, reverse=True):
        answer = answer.replace(value, "|")
    return answer


def _words(look_up: LookUp) -> frozenset[str]:
    """Return the words of what was asked for, those of a pattern without its escapes."""
    return frozenset(reason_tokens(_ESCAPE.sub(r"\1", _BOUNDARY.sub(" ", look_up.terms))))


def _concerns(look_up: LookUp, kind: str, stems: frozenset[str]) -> bool:
    """Say whether a look-up was made in a kind's folder or below it, or asked for the kind by what it is called."""
    return f"{look_up.place}/".startswith(f"{kind}/") or not stems.isdisjoint(stems_in(look_up.terms))


def _is_covered(kind: str, stems: frozenset[str], facts: TrialFacts, asked: frozenset[str], failed: LookUp) -> bool:
    """Say whether something else bears out what is said of a kind: another look-up, or the records themselves.

    A listing shows names alone: it takes the place of another listing, and of no query into what records hold.
    """
    for each in facts.evidence.look_ups[:MAX_LOOK_UPS]:
        if each.has_failed or not each.is_whole or not (each.terms or each.operation == failed.operation):
            continue
        is_above = kind.startswith(each.place.rstrip("/") + "/") and (not each.terms or bool(asked & _words(each)))
        if is_above or _concerns(each, kind, stems):
            return True
    known = {path for paths in facts.paths_by_id.values() for path in paths if kind_of(path) == kind}
    meant = asked | facts.signed_in
    read = [record for path, record in facts.records.items() if path in known]
    return len(read) == len(known) or any(
        fold_text(each.id) in meant or any(reading.holds(one) for reading in each.readings for one in meant)
        for each in read
    )
