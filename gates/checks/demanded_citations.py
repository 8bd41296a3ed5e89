"""Citations that an instruction asks for in so many words."""

from __future__ import annotations

import re
from typing import Final

from gates.language.prose import plain_text
from gates.types.evidence import Evidence
from gates.types.plain_data import show
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


def fault_of_demand(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return what is missing of the citations that the instruction demands of an OK answer; empty for nothing."""
    if submission.outcome != OK:
        return ""
    text = plain_text(case.instruction[:MAX_CHARS])
    return (
        _fault_of_some(submission, text)
        or _fault_of_counted(submission, text)
        or _fault_of_rows(submission, text)
        or _fault_of_source(submission, evidence, text)
    )


def _fault_of_some(submission: Submission, text: str) -> str:
    """ "Cite the file you read" needs one citation; "every" or "all" of something needs none, for there may be none."""
    demands = (sentence for sentence in _END.split(text) if _CITE.search(sentence))
    demand = next((sentence for sentence in demands if not _MAYBE_NONE.search(sentence)), "")
    if not demand or submission.citations:
        return ""
    return (
        f"Nothing is cited, but the instruction says {show(demand.strip(), 120)}: cite what was read for it, or read "
        "it first."
    )


def _fault_of_counted(submission: Submission, text: str) -> str:
    """ "Cite every record counted" needs as many citations as the answer counts, unless it counts what they hold."""
    counted = None if _QUANTITY.search(text) else _COUNTED.search(text)
    number = _ONE_NUMBER.fullmatch(submission.answer_text.strip())
    cited = len(submission.citations)
    if counted is None or number is None or int(number[1]) <= cited:
        return ""
    return (
        f"The answer counts {int(number[1])}, but {cited} are cited, and the instruction says "
        f"{show(counted[0].strip(), 120)}: cite every one that was counted, or correct the number."
    )


def _fault_of_rows(submission: Submission, text: str) -> str:
    """A format such as `/x.tsv#row=<RowID>` wants rows cited in it, unless the answer counts or sums to nothing."""
    wanted = _ROW_FORMAT.search(text)
    if wanted is None or any(path.startswith(wanted[1] + wanted[2]) for path in submission.citations):
        return ""
    if not re.search(r"[1-9]", submission.answer_text):
        return ""
    return f"No row is cited, but the instruction wants them as {show(wanted[0])}: cite every row the answer rests on."


def _fault_of_source(submission: Submission, evidence: Evidence, text: str) -> str:
    """A file that the instruction says to read is a source of the answer; with a trace, where it was read."""
    for found in _SOURCE.finditer(text):
        source = evidence.find(found[1]).path
        was_read = not evidence.has_trace or source in evidence.touches
        if was_read and not any(evidence.find(path).path == source for path in submission.citations):
            return f"The instruction says to read {show(found[1])}, and it is not cited: cite it."
    return ""
