"""Checks that an OK answer cites what the instruction demands."""

from __future__ import annotations

import re
from typing import Final

from gates.language.text_normalization import normalize_text
from gates.types.evidence import Evidence
from gates.types.plain_data import quote
from gates.types.submission import OK, Case, Submission

MAX_CHARS: Final = 20_000
_CITE: Final = re.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
_END: Final = re.compile(r"[.!?\n]")
_MAYBE_NONE: Final = re.compile(r"\b(?:every|each|all|any|if|no|not|don't|never)\b", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\bcite\b[^.!?\n]{0,120}\b(?:every|each|all)\b[^.!?\n]{0,120}\bcounted\b", re.IGNORECASE)
_QUANTITY: Final = re.compile(
    r"\bhow much\b|\bhow many (?:\w+ ){0,3}?(?:units?|pieces?|copies|items?|euros?|cents?|hours|days|weeks)\b",
    re.IGNORECASE,
)
_ROW_FORMAT: Final = re.compile(r"(?<!\S)(/[^\s#]+)(#\w+=)<\w+>")
_SOURCE: Final = re.compile(
    r"\b(?:[Rr]ead|[Ll]ook at|receipt|upload)\s(?:[a-zA-Z]+\s){0,8}?(/(?:[\w.-]+/)+[\w-]+(?:\.[\w-]+)+)(?![\w/#])"
)
_ONE_NUMBER: Final = re.compile(r"\D{0,40}(\d{1,6})\D{0,40}")


def fault_of_demanded_citations(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an OK answer that lacks citations which the instruction demands, or an empty string."""
    if submission.outcome != OK:
        return ""
    text = normalize_text(case.instruction[:MAX_CHARS])
    return (
        _fault_of_some(submission, text)
        or _fault_of_counted(submission, text)
        or _fault_of_rows(submission, text)
        or _fault_of_source(submission, evidence, text)
    )


def _fault_of_some(submission: Submission, text: str) -> str:
    """ "Cite the file you read" demands one citation; "every" or "all" demands none: there may be none to cite."""
    demands = (sentence for sentence in _END.split(text) if _CITE.search(sentence))
    demand = next((sentence for sentence in demands if not _MAYBE_NONE.search(sentence)), "")
    if not demand or submission.citations:
        return ""
    return (
        f"Nothing is cited, but the instruction says {quote(demand.strip(), 120)}: cite what was read for it, or read "
        "it first."
    )


def _fault_of_counted(submission: Submission, text: str) -> str:
    """ "Cite every record counted" demands as many citations as the answer counts, unless it counts their contents."""
    counted = None if _QUANTITY.search(text) else _COUNTED.search(text)
    number = _ONE_NUMBER.fullmatch(submission.answer_text.strip())
    cited = len(submission.citations)
    if counted is None or number is None or int(number[1]) <= cited:
        return ""
    return (
        f"The answer counts {int(number[1])}, but {cited} are cited, and the instruction says "
        f"{quote(counted[0].strip(), 120)}: cite every one that was counted, or correct the number."
    )


def _fault_of_rows(submission: Submission, text: str) -> str:
    """A format such as `/x.tsv#row=<RowID>` demands row citations, unless the answer is a count or sum of 0."""
    wanted = _ROW_FORMAT.search(text)
    if wanted is None or any(path.startswith(wanted[1] + wanted[2]) for path in submission.citations):
        return ""
    if not re.search(r"[1-9]", submission.answer_text):
        return ""
    return f"No row is cited, but the instruction wants them as {quote(wanted[0])}: cite every row the answer rests on."


def _fault_of_source(submission: Submission, evidence: Evidence, text: str) -> str:
    """A file that the instruction says to read must be cited; with a trace, only if it was read."""
    for found in _SOURCE.finditer(text):
        source = evidence.find(found[1]).path
        was_read = not evidence.has_trace or source in evidence.touches
        if was_read and not any(evidence.find(path).path == source for path in submission.citations):
            return f"The instruction says to read {quote(found[1])}, and it is not cited: cite it."
    return ""
