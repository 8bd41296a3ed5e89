"""Citations that an instruction asks for in so many words."""

from __future__ import annotations

import re
from typing import Final

from gates.plain import show
from gates.submission import OK, Case, Submission

MAX_CHARS: Final = 20_000
_CITE: Final = re.compile(r"[^.!?\n]*\b(?:[Cc]ite\b|grounding refs?\b)[^.!?\n]*")
_MAYBE_NONE: Final = re.compile(r"\b(?:every|each|all|any|if|no|not|don't|never)\b", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\bcite\b[^.!?\n]*\b(?:every|each|all)\b[^.!?\n]*\bcounted\b", re.IGNORECASE)
_ONE_NUMBER: Final = re.compile(r"\D{0,40}(\d{1,6})\D{0,40}")


def fault_of_demand(submission: Submission, case: Case) -> str:
    """Return what is missing of the citations that the instruction demands of an OK answer; empty for nothing.

    "Cite the file you read" needs one citation at least; "cite every record counted" needs as many as the answer
    counts. A demand for "every" or "all" of something is no demand for one, because there may be none.
    """
    if submission.outcome != OK:
        return ""
    text = case.instruction[:MAX_CHARS]
    cited = len(submission.citations)
    demand = next((found[0] for found in _CITE.finditer(text) if not _MAYBE_NONE.search(found[0])), "")
    if demand and not cited:
        return f"Nothing is cited, but the instruction says {show(demand.strip(), 120)}: cite what was read for it."
    counted = _COUNTED.search(text)
    number = _ONE_NUMBER.fullmatch(submission.answer_text.strip()) if counted else None
    if counted and number and int(number[1]) > cited:
        return (
            f"The answer counts {int(number[1])}, but {cited} are cited, and the instruction says "
            f"{show(counted[0].strip(), 120)}: cite every one that was counted, or correct the number."
        )
    return ""
