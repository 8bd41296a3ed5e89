"""Splits a text into words as they are written, with the marks within them.

The values of a call, such as an id, are looked up in texts by their words. So an id must stay one
word: the text `Pay (inv-2026-17), ann,bob.` has the words `Pay`, `inv-2026-17`, `ann` and `bob`. The
hyphens belong to the id, but the comma separates two names.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.character_table import CharacterTable

MARKS: Final = "-_.@'+,:/"
"""Marks that may stand within a word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_MARKS_BETWEEN_DIGITS: Final = ",:/"
"""The marks that may stand only between digits. In `ann,bob`, the comma separates two words."""


def _character_of_word(character: str) -> str:
    """Return a letter, digit or mark as it is, and a blank for any other character."""
    return character if character.isalnum() or character in MARKS else " "


_CHARACTERS_OF_WORDS: Final = CharacterTable(_character_of_word)


def written_words(text: str) -> list[str]:
    """Return the words of a text, with the marks within them.

    `Pay inv-2026-17 (1,250.00) to ann,bob.` -> `Pay`, `inv-2026-17`, `1,250.00`, `to`, `ann`,
    `bob`. Marks at the ends of a word do not belong to it.
    """
    words: list[str] = []
    # Characters that do not belong to words, such as brackets, become blanks.
    for chunk in text.translate(_CHARACTERS_OF_WORDS).split():
        word = chunk.strip(MARKS)
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
    words = [word.strip(MARKS) for word in "".join(chars).split()]
    return [word for word in words if word]
