"""Finds the words of a longer text that identify something, such as an id or an amount.

In `Pay inv-2026017 by 5 pm`, this is `inv-2026017`. If no text contains a whole argument, the
origins of such words are looked up. Plain words are in any text, so they tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.word_value import value_of_word
from controlplane.agent.evidence.texts.uniform_text import unify
from controlplane.agent.evidence.texts.written_words import written_words

MIN_WORD_CHARS: Final = 4
"""The shortest word of a longer text that is looked up, in characters. Longer texts have many
shorter ones by chance, such as `30%`. These count only as a whole argument."""


def identifying_words(text: str) -> Iterator[ArgumentValue]:
    """Yield the words of a text that identify something, such as `inv-17`."""
    for word in written_words(unify(text)):  # as written, in upper and lower case
        if is_identifying_word(word):
            yield value_of_word(word)


def is_identifying_word(word: str) -> bool:
    """Return True if a word of a longer text identifies something.

    | word | |
    |---|---|
    | `inv-17`, `ann_b`, `1250` | True: ids, addresses, dates and amounts have digits or marks |
    | `well-known`, `Ann's` | False: plain words have hyphens and apostrophes, too |
    | `30%` | False: it is too short |
    """
    if len(word) < MIN_WORD_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()
