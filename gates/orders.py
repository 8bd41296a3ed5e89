"""Words that order a change, or claim that one was made. Only what is certain counts: a doubt is no order."""

from __future__ import annotations

import re
from typing import Final

_VERBS: Final = (
    r"delete|remove|erase|add|put|append|apply|approve|cancel|close|check\s?out|create|write|save|export|update|"
    r"change|replace|rename|move|set|submit|restart|recover|finali[sz]e|issue|refund|clean\s(?:out|up)"
)
_POLITE: Final = r"(?:please,?\s+|kindly\s+|go ahead(?: and|,)?\s+|now\s+|just\s+|then\s+)*"
_ORDER: Final = re.compile(rf"(?:^|[.!?;:]\s+|\n\s*){_POLITE}({_VERBS})\b(?!\s*[:=])(?:\s+\S+){{1,3}}", re.IGNORECASE)
_DEEDS: Final = (
    r"deleted|removed|erased|added|applied|approved|cancell?ed|checked\s?out|created|written|saved|exported|updated|"
    r"replaced|renamed|moved|submitted|restarted|recovered|refunded|completed the checkout"
)
_CLAIM: Final = re.compile(
    rf"\b(?:I(?:'ve| have)?|we(?:'ve| have)?|successfully|ha(?:s|ve) now been|is now)\s+(?:\w+ly\s+)?({_DEEDS})\b",
    re.IGNORECASE,
)


def ordered_deed(instruction: str) -> str:
    """Return the words by which `instruction` orders a change; empty where it does not for certain.

    An order is an imperative at the beginning of a sentence. "If …, delete …" and "Do not delete …" are none.
    """
    order = _ORDER.search(instruction[:20_000])
    return " ".join(order[0].strip(" .!?;:\n").split()) if order else ""


def claimed_deed(answer: str) -> str:
    """Return the words by which `answer` claims that a change was made just now; empty where it does not."""
    claim = _CLAIM.search(answer[:20_000])
    return " ".join(claim[0].split()) if claim else ""
