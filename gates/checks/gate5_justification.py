"""Gate 5: every reason names something that the trial found at its path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import filterfalse, islice
from typing import Final

from gates.claims import telling_words, words_that_tell
from gates.facts import TrialFacts, facts_of
from gates.types import terms
from gates.types.canonical_paths import base_name, canonical
from gates.types.evidence import Evidence, Reference, Touch
from gates.types.plain_data import quote
from gates.types.submission import Case, Submission
from gates.types.term_index import TermIndex
from gates.types.verdict import MAX_FAULTS, Verdict, not_applicable, verdict_of

GATE = 5
MAX_WORDS: Final = 100
"""How many words of one reason are looked for; one of them must have been found."""
_MAX_CHARS: Final = 20_000
_FEW: Final = 8
"""How many words are looked for one by one at once: of more, it takes less time to see first whether any was seen."""

_NEGATION: Final = re.compile(
    r"\b(?:no|not|none|never|nothing|without|absent|missing|lacks?|neither|nor|isn't|kein\w*)\b", re.I
)
_QUOTED: Final = re.compile(r"[`'\"“‘«]([^`'\"”’»]{2,80})[`'\"”’»]")
_ACTION_STEMS: Final = {
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

_DONE: Final = {"write": "written", "delete": "deleted", "execute": "executed"}


def judge_justification(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject a reason that names nothing of what this trial saw at its path.

    Guards against citations without support: bare paths, boilerplate, reasons copied from another file. One specific
    thing is enough (an id, a number, a name, a word of a rule), in any case, accent, plural or number format. Lets pass
    the same reason on many refs if each holds what it names; the action as the reason for a path that was written,
    deleted or executed; "no row for X" if X is named; and any reason of substance for a whole text that was empty or
    too long to index.
    """
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return not_applicable(GATE, "the citations carry no reasons")
    if not evidence.has_trace:
        return not_applicable(GATE, "there is no trace of what was read")
    if not reasons:
        return not_applicable(GATE, "nothing is cited")
    asked, facts = TermIndex(case.instruction[:_MAX_CHARS]), facts_of(evidence)
    faults: list[str] = []
    for reference, reason in reasons.items():
        found = evidence.find(reference)
        if found.touch is None or not isinstance(reason, str):
            continue
        if not _is_justified(found, found.touch, reason, asked, facts):
            faults.append(_fix_it(reference, reason, found.touch) if len(faults) < MAX_FAULTS else "")
    return verdict_of(GATE, faults)


def _is_justified(found: Reference, touch: Touch, reason: str, asked: TermIndex, facts: TrialFacts) -> bool:
    """Say whether `reason` names something seen at the path, an action on it, or something absent from it."""
    stems = tuple(stem for action in touch.actions for stem in _ACTION_STEMS.get(action, ()))
    if stems and any(token.startswith(stems) for token in terms.reason_tokens(reason)):
        return True
    given = dict.fromkeys(terms.reason_tokens(_without_path(reason, found)))
    words = telling_words(islice(filterfalse(terms.is_boilerplate, given), MAX_WORDS), found.path, facts)
    if words and _names_what_is_there(words, touch):
        return True
    has_samples = any(seen.has_samples for seen in touch.seen)
    if not has_samples and touch.contains_any(_all_terms(terms.reason_tokens(reason)[:MAX_WORDS])):
        return True
    if not words:
        return False
    is_dull = not (has_samples or touch.actions == {"delete"} or any(seen.is_excerpt for seen in touch.seen))
    if is_dull or any(not seen.is_whole for seen in touch.seen):
        return True
    return _names_what_is_absent(reason, words, asked)


def _all_terms(words: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(terms.lookup_terms, words))


def _names_what_is_there(words: list[str], touch: Touch) -> bool:
    """Say whether a word that tells something of the path was seen there; a single sign alone is too little."""
    if len(words) > _FEW and not touch.contains_any(_all_terms(words)):
        return False
    told = (word for word in words if touch.contains_any(terms.lookup_terms(word)))
    if len(words) == 1:
        told = (word for word in told if len(word) > 1)
    telling: frozenset[str] | None = None
    for word in told:
        if not word.isalpha():
            return True
        if telling is None:
            telling = frozenset(words_that_tell(words, touch))
        if word in telling:
            return True
    return False


def _names_what_is_absent(reason: str, words: list[str], asked: TermIndex) -> bool:
    """Say whether the reason states an absence and names what is absent: an id, a quotation or a term of the task."""
    names_it = (
        any(any(map(str.isdigit, word)) for word in words)
        or _QUOTED.search(reason) is not None
        or asked.holds_any(_all_terms(words))
    )
    return names_it and _NEGATION.search(reason) is not None


def _without_path(reason: str, found: Reference) -> str:
    """Return the reason without the cited path, in any spelling, and without its file name."""
    kept = reason.replace(found.citation, " ").replace(found.path, " ")
    name = base_name(found.path).casefold()
    if name not in kept.casefold():
        return kept
    words = [word for word in kept.split() if not (word.startswith("/") and canonical(word) == found.path)]
    return " ".join(word for word in words if word.strip(".,;:()`'\"").casefold() != name)


def _fix_it(reference: str, reason: str, touch: Touch) -> str:
    samples = list(dict.fromkeys(word for seen in touch.seen for word in seen.samples))[:3]
    samples = samples or [done for action, done in _DONE.items() if action in touch.actions]
    example = f", for example {', '.join(quote(word, 40) for word in samples)}" if samples else ""
    return (
        f"The reason for {quote(reference)}, {quote(reason)}, names nothing that was found there: name an id, a "
        f"number, a name or the rule that was read there{example}."
    )
