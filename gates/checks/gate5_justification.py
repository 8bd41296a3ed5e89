"""Gate 5: every reason names something that was found at its path."""

from __future__ import annotations

import re
from typing import Final

from gates.types import terms
from gates.types.canonical_paths import base_name, canonical
from gates.types.evidence import Evidence, Reference, Touch
from gates.types.plain_data import show
from gates.types.submission import Case, Submission
from gates.types.verdict import Verdict, listed, not_applicable, passes, rejects

GATE = 5

_NEGATION: Final = re.compile(
    r"\b(?:no|not|none|never|nothing|without|absent|missing|lacks?|neither|nor|isn't|kein\w*)\b", re.I
)
_QUOTED: Final = re.compile(r"[`'\"“‘«]([^`'\"”’»]{2,80})[`'\"”’»]")
_DEEDS: Final = {
    "write": (
        "writ",
        "wrot",
        "creat",
        "updat",
        "chang",
        "edit",
        "sav",
        "add",
        "modif",
        "set",
        "append",
        "stor",
        "export",
        "generat",
        "produc",
    ),
    "delete": ("delet", "remov", "clean", "eras", "purg", "drop"),
    "execute": (
        "execut",
        "ran",
        "run",
        "call",
        "invok",
        "apply",
        "appli",
        "perform",
        "us",
        "query",
        "queri",
        "tool",
        "command",
        "output",
        "report",
        "return",
        "gave",
        "print",
    ),
}


def judge_justification(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a reason that names nothing of what this trial saw at its path.

    Stands against citations strewn over an answer: bare paths, boilerplate, reasons copied from another file. One
    specific thing is enough (an id, a number, a name, a word of a rule), in any case, accent, plural or number format.
    Lets pass the same reason on many refs where each holds what it names; the deed as the reason for a path that was
    written, deleted or executed; "no row for X" where X is named; and any reason of substance for a text that was
    empty or too long to be indexed.
    """
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return not_applicable(GATE, "the citations carry no reasons")
    if not evidence.has_trace:
        return not_applicable(GATE, "there is no trace of what was read")
    if not reasons:
        return not_applicable(GATE, "nothing is cited")
    asked = terms.index_terms(case.instruction[:20_000])
    faults: list[str] = []
    for reference, reason in reasons.items():
        found = evidence.find(reference)
        if found.touch is None or not isinstance(reason, str):
            continue
        if not _is_justified(found, found.touch, reason, asked):
            faults.append(_fix_it(reference, reason, found.touch))
    return rejects(GATE, *listed(faults)) if faults else passes(GATE)


def _is_justified(found: Reference, touch: Touch, reason: str, asked: frozenset[str]) -> bool:
    """Say whether `reason` names something seen at the path, a deed done to it, or what was absent from it."""
    words = [word for word in terms.reason_tokens(_without_path(reason, found)) if not terms.is_boilerplate(word)]
    deeds = [deed for action in touch.actions for deed in _DEEDS.get(action, ())]
    levelled = terms.reason_tokens(reason)
    if any(word.startswith(deed) for word in levelled for deed in deeds):
        return True
    if not any(seen.samples for seen in touch.seen) and any(touch.names_any(terms.forms_of(each)) for each in levelled):
        return True
    if not words:
        return False
    if any(touch.names_any(terms.forms_of(word)) for word in words if len(word) > 1):
        return True
    if len(words) > 1 and any(touch.names_any(terms.forms_of(word)) for word in words):
        return True
    if not any(seen.samples for seen in touch.seen) or any(not seen.is_whole for seen in touch.seen):
        return True
    return _names_what_is_absent(reason, words, asked)


def _names_what_is_absent(reason: str, words: list[str], asked: frozenset[str]) -> bool:
    """Say whether the reason states an absence and names what: an id, a quotation, or something the task names."""
    if not _NEGATION.search(reason):
        return False
    return (
        any(any(char.isdigit() for char in word) for word in words)
        or _QUOTED.search(reason) is not None
        or any(not asked.isdisjoint(terms.forms_of(word)) for word in words)
    )


def _without_path(reason: str, found: Reference) -> str:
    """Return the reason without the cited path, its file name and other words that are nothing but a path."""
    kept = reason.replace(found.citation, " ").replace(found.path, " ")
    name = base_name(found.path)
    words = [word for word in kept.split() if not (word.startswith("/") and canonical(word) == found.path)]
    return " ".join(word for word in words if word.strip(".,;:()`'\"").casefold() != name.casefold())


def _fix_it(reference: str, reason: str, touch: Touch) -> str:
    samples = tuple(dict.fromkeys(word for seen in touch.seen for word in seen.samples))[:3]
    example = f", for example {', '.join(show(word, 40) for word in samples)}" if samples else ""
    return (
        f"The reason for {show(reference)}, {show(reason)}, names nothing that was found there: name an id, a number, "
        f"a name or the rule that was read there{example}."
    )
