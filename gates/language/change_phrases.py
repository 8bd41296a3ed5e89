"""Finds the words that request a change, or claim that one was made. A doubtful phrase counts as neither."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gates.language.text_normalization import normalize_text

MAX_CHARS: Final = 20_000
_PLAIN: Final = (
    r"delete|remove|erase|append|apply|approve|cancel|close|check\s?out|create|export|update|replace|rename|move|"
    r"submit|restart|recover|finali[sz]e|issue|refund|clean\s(?:out|up)|"
    r"(?:complete|finish|proceed with)\b[^.!?]{0,40}\b(?:checkout|workflow|order|purchase)"
)
_ADDING: Final = r"(?:add|put)(?!\s+(?:up|together|simply))"
_FILING: Final = r"(?:write|save|store)\b[^.!?\n]{0,120}\s(?:to|at|into|as|in)\s+[`'\"]?/\S*"
_STATEMENT: Final = (
    r"(?:is|was|are|were|has|had|will|can|may|might|must|should|would|could|does|did|went|goes|looks|works)\b"
)
_VERB: Final = rf"(?:(?:{_PLAIN}|{_ADDING})\b(?!\s*[:=]|\s+{_STATEMENT})|{_FILING})"
_POLITE: Final = r"(?:(?:please|kindly|now|just|then|go ahead(?: and)?),?\s){0,4}"
_LEADS: Final = (
    r"^|[.!?;:]\s|\n|\bplease,?\s|\bgo ahead and\s|\b(?:can|could|would) you\s|"
    r"(?:^|[.!?]\s)(?:under|in|for|at|from)\s[^.!?,]{1,120},\s|"
    r"(?:^|[.!?]\s)(?:hi|hello|hey|dear|good\s(?:morning|day|evening))\b[^.!?,]{0,40},\s|"
    r"\s(?:and|then)\s(?=create\b[^.!?]{0,80}\sat\s/)"
)
_REQUEST: Final = re.compile(rf"(?:{_LEADS}){_POLITE}({_VERB}(?:\s+\S+){{0,3}})", re.IGNORECASE)
_ABOUT_THE_ANSWER: Final = re.compile(
    r"\b(?:answer|repl(?:y|ies)|response|message|result|output|rounding|format|line|number|value)\b", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"(?:^|[.!?:;]\s{1,3}|\n\s{0,3})(?:(?:please|kindly|now|just|hi|hello),?\s{1,3}){0,3}"
    r"(?:tell|say|show|list|name|report|state|find|count|look|search|answer|reply|respond|output|summari[sz]e|explain"
    r"|describe|compare|calculate|compute|determine|identify|translate|give (?:me|us|the)|get me|what|which|who|whom"
    r"|whose|when|where|why|how|read|check (?:if|whether|that|how|what|which))\b"
    r"|\b(?:and|then)\s(?:tell|say|show|list|name|report|state|count|answer|reply|respond|return|output)\b"
    r"|\bwhether\b|\b(?:want|need|like|curious|love) to (?:know|see|hear)\b|\blet me know\b|\bwonder",
    re.IGNORECASE,
)
_CHANGED: Final = (
    r"deleted|removed|erased|added|applied|approved|cancell?ed|checked\s?out|created|written|saved|exported|updated|"
    r"replaced|renamed|moved|submitted|restarted|recovered|refunded|completed the checkout"
)
_CLAIM: Final = re.compile(
    rf"\b(?:I(?:'ve| have)?|we(?:'ve| have)?|successfully|ha(?:s|ve) now been|is now)\s+(?:\w+ly\s+)?({_CHANGED})\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def requested_change(instruction: str) -> str:
    """Return the words by which `instruction` certainly requests a change, or an empty string.

    A request is an imperative or a polite question at the beginning of a clause, about something else than the answer;
    "If …, delete …" and "Do not delete …" do not count.
    """
    lines = (" ".join(line.split()) for line in normalize_text(instruction[:MAX_CHARS]).splitlines())
    for request in _REQUEST.finditer("\n".join(lines)):
        words = " ".join(request[1].rstrip(" .!?;:,\n").split())
        if not _ABOUT_THE_ANSWER.search(words):
            return words
    return ""


def asks_for_value(instruction: str) -> bool:
    """Say whether words of an instruction certainly want something told."""
    return _ASKS.search(instruction[:MAX_CHARS]) is not None


_BARE: Final = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|s[iì]|true|false|null|none|n/?a)?\W*\d*\W*", re.IGNORECASE)


def is_bare_value(answer: str) -> bool:
    """Say whether the whole `answer` is a yes, a no, a number or an empty value."""
    return _BARE.fullmatch(answer.strip()[:80]) is not None and len(answer.strip()) <= 80


def claimed_change(answer: str) -> str:
    """Return the words by which `answer` claims that a change was just made, or an empty string."""
    claim = _CLAIM.search(answer[:MAX_CHARS])
    return " ".join(claim[0].split()) if claim else ""
