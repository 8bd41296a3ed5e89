"""Finds the statements of a message about something, apart from mere questions.

`He works here` states it. `I wonder whether he works here` leaves it open, so it is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.disclosure.word_edges import any_of

# Each string may have several words with `|` between them, as patterns have.
_NEW_SUBJECT_OR_REASON: Final = any_of(
    # Subjects with which a new clause begins, in English, German and Dutch
    "it|its|this|that|the|he|she|i|you",
    "er|es|ich|ist|das|der|die",
    "hij|ik|het|dat",
    # Reasons: `because`
    "as|because|since|denn|weil|want|omdat",
)
CLAUSE_END: Final = re.compile(
    "(?i)"
    + any_of(
        r"[.!?;:]\s",
        r"\s[–—-]\s",  # a dash
        r"\n",
        r"\b(?:but|aber|maar|sondern)\b",
        rf",\s(?={_NEW_SUBJECT_OR_REASON}\b)",  # `, he is here`, but not `, Anna or Jan`
    )
)
"""The end of a clause.

In `I can't say that, but he is here`, `can't say` applies only to the first clause.
"""
_OPEN_QUESTION: Final = re.compile(
    r"(?i)\b"
    + any_of(
        "whether|if",
        "ob",  # German
        "of (?:de|het|deze|dit|die|uw|je|hij|zij|ze|er|een|iemand)",  # Dutch; `of` alone is `or`
    )
    + r"\b"
)
"""Words that turn the statement after them into an open question: `whether he works here`."""


class Statement(NamedTuple):
    """A part of a message that matches a pattern."""

    text: str
    words_before: str
    """The words before it in the same clause."""


def statements_in(message: str, pattern: str) -> Iterator[Statement]:
    """Yield the statements that match a pattern, except those that are left open.

    `I doubt it, but he works here`, pattern `he works here` -> the text `he works here`
    `I wonder whether he works here` -> none, because `whether` precedes it in its clause
    """
    for clause in CLAUSE_END.split(message):
        for match in re.finditer(f"(?i){pattern}", clause):
            words_before = clause[: match.start()]
            if not _OPEN_QUESTION.search(words_before):
                yield Statement(match[0], words_before)
