"""Returns the words of a text in the form in which they are compared.

The origin of a value is found by its words: a call with `to: "ann@site.com"` takes it from
the file that has this word. For the text `Ann’s INV-17`:

| function | returns |
|---|---|
| `words_of` | `ann`, `inv-17` |
| `phrase_of` | ` ann inv-17 `, in which ` ann ` can be found |
| `letters_and_digits` | `Ann`, `s`, `INV`, `17` |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.agent.evidence.texts.written_words import MARKS, written_words
from controlplane.gates.surrogates import encodable

_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(MARKS, " "))
"""A table for `str.translate` that turns every mark within a word into a blank."""
_LETTERS_AND_DIGITS: Final = re2.compile(r"[\pL\pN]+")
"""A run of letters and digits, of any script."""


def parts_of_word(word: str) -> list[str]:
    """Return what the marks in a word separate: `inv-2026` -> `inv`, `2026`."""
    return word.translate(_BLANKS_FOR_MARKS).split()


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without a genitive's `'s`: `Ann's` -> `ann`."""
    return [word.removesuffix("'s") for word in written_words(fold(text))]


def phrase_of(text: str) -> str:
    """Return the words of a text as a phrase, with a blank around each: ` ann miller `.

    With blanks, the phrase ` ann ` is found in it, and not in ` anna miller `.
    """
    return f" {' '.join(words_of(text))} "


def letters_and_digits(text: str) -> list[str]:
    """Return the runs of letters and digits in a text: `inv-17` -> `inv`, `17`."""
    return list(_LETTERS_AND_DIGITS.findall(encodable(text)))


def has_digit(text: str) -> bool:
    """Return True if a text has a digit."""
    return any(char.isdigit() for char in text)


def has_words(text: str) -> bool:
    """Return True if a text has a letter or a digit. Other texts, such as `---`, tell nothing."""
    return any(char.isalnum() for char in text)
