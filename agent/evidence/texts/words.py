"""Splits texts into words, and brings words into the form in which they are compared.

The origin of a value is found by its words: a call with `to: "ann@site.com"` takes it from
the file that has this word. The text `Ann's inv-2026-17, ann,bob` has the words `Ann's`,
`inv-2026-17`, `ann` and `bob`; in the form in which they are compared, `ann`,
`inv-2026-17`, `ann` and `bob`.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.submission import encodable
from controlplane.gates.values.normal_text import normalize_text

_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ`", "'"))
"""A table for `str.translate` that turns the other apostrophes into `'`."""
_JOINED_SENTENCES: Final = re2.compile(
    r"(\p{Ll}\.)(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)"
)
"""Two sentences without a blank between them: `week.Please`, `week.The`.
The second one begins with at least four letters, or with a common word.
In `site.Com`, it is not a sentence."""


def fold(text: str) -> str:
    """Return a text in lower case and uniform (see `unify`): `Ann’s INV` -> `ann's inv`."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text in which equal words have equal characters.

    Wide letters become usual ones, all apostrophes `'`, and invisible characters are left
    out. Sentences without a blank between them are separated, so that their words are
    found: `this week.Please` -> `this week. Please`. Upper and lower case stay.
    """
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    # RE2 refuses halves of surrogate pairs. `encodable` drops them.
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))


_MARKS: Final = "-_.@'+,:/"
"""Marks that may stand within a word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_MARKS_BETWEEN_DIGITS: Final = ",:/"
"""The marks that may stand only between digits. In `ann,bob`, the comma separates two words."""


class KeptCharacters(dict[int, str]):
    """A table for `str.translate` that keeps letters, digits and some signs, and makes others blanks.

    If it keeps the sign `-`, it turns `(inv-17)` into ` inv-17 `. It would be too large for all
    of Unicode, so Python calls `__missing__` when `translate` looks up a character for the
    first time. The entry is kept.
    """

    def __init__(self, signs: str) -> None:
        super().__init__()
        self._signs = signs

    def __missing__(self, code_point: int) -> str:
        char = chr(code_point)
        is_kept = char.isalnum() or char in self._signs
        self[code_point] = char if is_kept else " "
        return self[code_point]


_CHARACTERS_OF_WORDS: Final = KeptCharacters(_MARKS)


def written_words(text: str) -> list[str]:
    """Return the words of a text, with the marks within them.

    `Pay inv-2026-17 (1,250.00) to ann,bob.` -> `Pay`, `inv-2026-17`, `1,250.00`, `to`, `ann`,
    `bob`. Marks at the ends of a word do not belong to it.
    """
    words: list[str] = []
    # Characters that do not belong to words, such as brackets, become blanks.
    for chunk in text.translate(_CHARACTERS_OF_WORDS).split():
        word = chunk.strip(_MARKS)
        is_plain = word.isalnum()
        if not is_plain and any(mark in word for mark in _MARKS_BETWEEN_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk: `ann,bob` -> `ann`, `bob`, but `1,250` stays one word.

    The chunk neither begins nor ends with a mark.
    """
    words: list[str] = []
    start = 0
    for position, char in enumerate(chunk):
        if char not in _MARKS_BETWEEN_DIGITS:
            continue
        is_between_digits = (
            chunk[position - 1].isdigit() and chunk[position + 1].isdigit()
        )
        if not is_between_digits:
            words.append(chunk[start:position].strip(_MARKS))
            start = position + 1
    words.append(chunk[start:].strip(_MARKS))
    return [word for word in words if word]


_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(_MARKS, " "))
"""A table for `str.translate` that turns every mark within a word into a blank."""


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


_LETTERS_AND_DIGITS: Final = re2.compile(r"[\pL\pN]+")


def letters_and_digits(text: str) -> list[str]:
    """Return the runs of letters and digits in a text: `inv-17` -> `inv`, `17`."""
    return list(_LETTERS_AND_DIGITS.findall(encodable(text)))


def has_digit(text: str) -> bool:
    """Return True if a text has a digit."""
    return any(char.isdigit() for char in text)
