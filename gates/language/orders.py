"""Words that order a change, or claim that one was made. Only what is certain counts: a doubt is no order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gates.language.prose import plain_text

MAX_CHARS: Final = 20_000
_PLAIN: Final = (
    r"delete|remove|erase|append|apply|approve|cancel|close|check\s?out|create|export|update|replace|rename|move|"
    r"submit|restart|recover|finali[sz]e|issue|refund|clean\s(?:out|up)|"
    r"(?:complete|finish|proceed with)\b[^.!?]{0,40}\b(?:checkout|workflow|order|purchase)"
)
_ADDING: Final = r"(?:add|put)(?!\s+(?:up|together|simply))"
_FILING: Final = r"(?:write|save|store)\b[^.!?\n]{0,120}\s(?:to|at|into|as|in)\s+[`'\"]?/\S*"
_TOLD_OF: Final = (
    r"(?:is|was|are|were|has|had|will|can|may|might|must|should|would|could|does|did|went|goes|looks|works)\b"
)
_VERB: Final = rf"(?:(?:{_PLAIN}|{_ADDING})\b(?!\s*[:=]|\s+{_TOLD_OF})|{_FILING})"
_POLITE: Final = r"(?:(?:please|kindly|now|just|then|go ahead(?: and)?),?\s){0,4}"
_LEADS: Final = (
    r"^|[.!?;:]\s|\n|\bplease,?\s|\bgo ahead and\s|\b(?:can|could|would) you\s|"
    r"(?:^|[.!?]\s)(?:under|in|for|at|from)\s[^.!?,]{1,120},\s|"
    r"(?:^|[.!?]\s)(?:hi|hello|hey|dear|good\s(?:morning|day|evening))\b[^.!?,]{0,40},\s|"
    r"\s(?:and|then)\s(?=create\b[^.!?]{0,80}\sat\s/)"
)
_ORDER: Final = re.compile(rf"(?:{_LEADS}){_POLITE}({_VERB}(?:\s+\S+){{0,3}})", re.IGNORECASE)
_ABOUT_THE_ANSWER: Final = re.compile(
    r"\b(?:answer|repl(?:y|ies)|response|message|result|output|rounding|format|line|number|value)\b", re.IGNORECASE
)
_DEEDS: Final = (
    r"deleted|removed|erased|added|applied|approved|cancell?ed|checked\s?out|created|written|saved|exported|updated|"
    r"replaced|renamed|moved|submitted|restarted|recovered|refunded|completed the checkout"
)
_CLAIM: Final = re.compile(
    rf"\b(?:I(?:'ve| have)?|we(?:'ve| have)?|successfully|ha(?:s|ve) now been|is now)\s+(?:\w+ly\s+)?({_DEEDS})\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def ordered_deed(instruction: str) -> str:
    """Return the words by which `instruction` orders a change; empty where it does not for certain.

    An order is an imperative or a polite request at the beginning of a clause, about something else than the answer.
    "If …, delete …" and "Do not delete …" are none.
    """
    lines = (" ".join(line.split()) for line in plain_text(instruction[:MAX_CHARS]).splitlines())
    for order in _ORDER.finditer("\n".join(lines)):
        words = " ".join(order[1].rstrip(" .!?;:,\n").split())
        if not _ABOUT_THE_ANSWER.search(words):
            return words
    return ""


_BARE: Final = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|s[iì]|true|false|null|none|n/?a)?\W*\d*\W*", re.IGNORECASE)


def is_bare_value(answer: str) -> bool:
    """Say whether `answer` is nothing but a yes, a no, a number or an empty value."""
    return _BARE.fullmatch(answer.strip()[:80]) is not None and len(answer.strip()) <= 80


def claimed_deed(answer: str) -> str:
    """Return the words by which `answer` claims that a change was made just now; empty where it does not."""
    claim = _CLAIM.search(answer[:MAX_CHARS])
    return " ".join(claim[0].split()) if claim else ""
