"""Finds the words of a longer text that identify something, such as an id or an amount.

    identifying_words("Pay inv-2026017 by 5 pm")    -> ["inv-2026017"]

If no text contains a whole argument, the origins of such words are looked up. Plain words, such as
`Pay`, are in any text, so they tell nothing.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.uniform_text import unify
from controlplane.agent.evidence.texts.written_words import written_words

MIN_WORD_CHARS: Final = 4
"""The shortest word of a longer text that is looked up, in characters. Longer texts have many
shorter ones by chance, such as `30%`. These count only as a whole argument."""


def identifying_words(text: str) -> list[str]:
    """Return the words of a text that identify something, as they are written."""
    return [word for word in written_words(unify(text)) if _identifies(word)]


def _identifies(word: str) -> bool:
    """Return True if a word of a longer text identifies something.

    | word | |
    |---|---|
    | `inv-17`, `ann_b`, `1250` | True: ids, addresses, dates and amounts have digits or marks |
    | `well-known`, `Ann's` | False: plain words have hyphens and apostrophes, too |
    | `5` | False: it is too short |
    """
    if len(word) < MIN_WORD_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()
