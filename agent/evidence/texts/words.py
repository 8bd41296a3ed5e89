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

from controlplane.gates.surrogates import encodable
from controlplane.gates.values.character_table import CharacterTable
from controlplane.gates.values.normal_text import normalize_text

# A text in which equal words have equal characters, in the form in which words are compared.
#
# To find out which text a value of a call comes from, the words of both are compared. A mail may
# write `Ann’s` where the call has `ann's`, or leave out the blank after a full stop:
#
# | function | `Call Ann’s desk.Please pay` becomes |
# |---|---|
# | `unify` | `Call Ann's desk. Please pay` |
# | `fold` | `call ann's desk. please pay` |

_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ`", "'"))
"""A table for `str.translate` that turns the other apostrophes into `'`."""
_JOINED_SENTENCES: Final = re2.compile(
    r"(\p{Ll}\.)(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)"
)
"""Two sentences without a blank between them: `week.Please`, `week.The`.
The second one begins with a word of at least four letters, or with a common one.
A shorter word may be the end of a name, such as `Com` in `site.Com`."""


def fold(text: str) -> str:
    """Return a text in lower case and uniform (see `unify`): `Ann’s INV` -> `ann's inv`."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text in which equal words have equal characters.

    Wide letters become usual ones, all apostrophes `'`, and invisible characters are left
    out. Sentences without a blank between them are separated, so that their words are
    found: `this week.Please` -> `this week. Please`. Upper and lower case stay.
    """
    # Most texts are ASCII, and have none of these characters. (Only a backtick may be in them. It
    # stays, since few people use it as an apostrophe if they write ASCII.)
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    # RE2 refuses a half of a surrogate pair. `encodable` replaces it by `?`.
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))


# Splits a text into words as they are written, with the marks within them.
#
# The values of a call, such as an id, are looked up in texts by their words. So an id must stay one
# word: the text `Pay (inv-2026-17), ann,bob.` has the words `Pay`, `inv-2026-17`, `ann` and `bob`. The
# hyphens belong to the id, but the comma separates two names.

_MARKS: Final = "-_.@'+,:/"
"""Marks that may stand within a word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_MARKS_BETWEEN_DIGITS: Final = ",:/"
"""The marks that may stand only between digits. In `ann,bob`, the comma separates two words."""


def _character_of_word(character: str) -> str:
    """Return a letter, digit or mark as it is, and a blank for any other character."""
    return character if character.isalnum() or character in _MARKS else " "


_CHARACTERS_OF_WORDS: Final = CharacterTable(_character_of_word)


def written_words(text: str) -> list[str]:
    """Return the words of a text, with the marks within them.

    `Pay inv-2026-17 (1,250.00) to ann,bob.` -> `Pay`, `inv-2026-17`, `1,250.00`, `to`, `ann`,
    `bob`. Marks at the ends of a word do not belong to it.
    """
    words: list[str] = []
    # Characters that do not belong to words, such as brackets, become blanks.
    for chunk in text.translate(_CHARACTERS_OF_WORDS).split():
        word = chunk.strip(_MARKS)
        if word.isalnum():  # as most words are
            words.append(word)
        elif any(mark in word for mark in _MARKS_BETWEEN_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk: `ann,bob` -> `ann`, `bob`, but `1,250` stays one word.

    The chunk neither begins nor ends with a mark.
    """
    chars = list(chunk)
    for position, char in enumerate(chunk):
        if char not in _MARKS_BETWEEN_DIGITS:
            continue
        is_between_digits = (
            chunk[position - 1].isdigit() and chunk[position + 1].isdigit()
        )
        if not is_between_digits:
            chars[position] = " "
    words = [word.strip(_MARKS) for word in "".join(chars).split()]
    return [word for word in words if word]


_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(_MARKS, " "))
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
