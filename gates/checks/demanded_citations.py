"""Checks that an OK answer cites what the instruction demands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from gates.language.answer_contract import derive_contract
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
_ONLY_NUMBER: Final = re.compile(r"\D*(\d{1,6})\D*")
_MAX_ANSWER_CHARS: Final = 2_000
_MAX_SOURCES: Final = 20


def faults_of_demanded_citations(submission: Submission, evidence: Evidence, case: Case) -> list[str]:
    """Return the faults of an OK answer that lacks citations which the instruction demands."""
    if submission.outcome != OK:
        return []
    text = normalize_text(case.instruction[:MAX_CHARS])
    faults = [
        _fault_of_some(submission, text),
        _fault_of_counted(submission, text, case),
        _fault_of_rows(submission, text),
        *_faults_of_sources(submission, evidence, text),
    ]
    return [fault for fault in faults if fault]


def _fault_of_some(submission: Submission, text: str) -> str:
    """ "Cite the file you read" demands one citation; "every" or "all" demands none: there may be none to cite."""
    if submission.citations:
        return ""
    demands = (sentence for sentence in _END.split(text) if _CITE.search(sentence))
    if all(_MAYBE_NONE.search(sentence) for sentence in demands):
        return ""
    return "Nothing is cited, but the request asks for a citation: read what the answer rests on, and cite it."


def _fault_of_counted(submission: Submission, text: str, case: Case) -> str:
    """ "Cite every record counted" demands as many citations as the answer counts, unless it counts their contents."""
    counted = None if _QUANTITY.search(text) else _COUNTED.search(text)
    number = _number_in(submission.answer_text, case) if counted else None
    cited = len(submission.citations)
    if number is None or number <= cited:
        return ""
    return (
        f"The answer counts {number}, but {cited} are cited, and the request asks for every one that is counted: look "
        "at what was found once more, cite each of them, and count those."
    )


def _number_in(answer: str, case: Case) -> int | None:
    """Return the one number of an answer of few words, or of one whose form is wrong anyway, however long."""
    contract = derive_contract(case.instruction, case.rules)
    is_short = not (contract.is_enforced and contract.breach(answer))
    number = (_ONE_NUMBER if is_short else _ONLY_NUMBER).fullmatch(answer.strip()[:_MAX_ANSWER_CHARS])
    return int(number[1]) if number else None


def _fault_of_rows(submission: Submission, text: str) -> str:
    """A format such as `/x.tsv#row=<RowID>` demands row citations, unless the answer is a count or sum of 0."""
    wanted = _ROW_FORMAT.search(text)
    if wanted is None or any(path.startswith(wanted[1] + wanted[2]) for path in submission.citations):
        return ""
    if not re.search(r"[1-9]", submission.answer_text):
        return ""
    return f"No row is cited; rows are cited as {quote(wanted[0])}: cite every row the answer rests on."


def _faults_of_sources(submission: Submission, evidence: Evidence, text: str) -> Iterator[str]:
    """A file that the instruction says to read must be cited; with a trace, only if it was read."""
    sources = dict.fromkeys(found[1] for found in islice(_SOURCE.finditer(text), _MAX_SOURCES))
    cited = {evidence.find(path).path for path in submission.citations} if sources else set()
    for path in sources:
        source = evidence.find(path).path
        if source not in cited and (not evidence.has_trace or source in evidence.touches):
            yield f"{quote(path)} is what the request is about, and it is not cited: cite it."
