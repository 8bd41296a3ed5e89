"""Compares words and numbers of texts regardless of case, accents, inflection and number format.

`fold_text` brings a text into the form that is compared: `Café` -> `cafe`.
A token is a word, number, id or path of a text; its parts are the runs of letters
and digits in it: `fa-19` has the parts `fa` and `19`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

import re2

from controlplane.gates.values.normal_text import CharacterTable

STEM_LETTERS: Final = 5
"""Letters that the inflected forms of a word usually share: `repor` of report and reported."""
_TOKEN: Final = re2.compile(r"[\pL\pN]+(?:[-_.@:/'][\pL\pN]+)*")
"""A word, number, id or path: `FA-1934-02`, `docs/rules.md`, `don't`.

`\\pL` are the letters of all scripts, `\\pN` their digits and numerals.
"""
_NUMBER_MARKS: Final = ".,'\u00a0\u202f"
"""Marks between the digits of a number, including the two blanks that do not break a line."""
_WITHOUT_NUMBER_MARKS: Final = dict.fromkeys(map(ord, _NUMBER_MARKS))
"""For `str.translate`, which drops a character that is mapped to None."""
_NUMBER: Final = re2.compile(r"\p{Nd}+(?:[.,'\x{a0}\x{202f}]\p{Nd}+)*")
"""Digits with single marks between them: `1,199.00`. `\\p{Nd}` are the digits of all scripts."""


# Replacements of single characters


def _raised_digit_apart(character: str) -> str:
    """Return a raised digit or fraction with a caret before it: `²` -> `^²`.

    `²` is folded into `2` afterwards. The caret keeps `5²` from becoming the number 52.
    A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
    """
    match unicodedata.category(character):
        case "No":  # raised, lowered and circled digits, and fractions
            return f"^{character}"
        case "Cs":  # surrogates
            return "?"
    return character


def _without_accent(character: str) -> str | None:
    """Return None for an accent that follows its letter: `e´` becomes `e`."""
    return None if unicodedata.combining(character) else character


def _letter_or_digit(character: str) -> str:
    """Return a letter or digit as it is, and a blank for any other character."""
    return character if character.isalnum() else " "


def _digit_or_mark(character: str) -> str:
    """Return a digit or a mark of numbers as it is, and a blank for any other character."""
    is_of_number = character.isdecimal() or character in _NUMBER_MARKS
    return character if is_of_number else " "


_RAISED_DIGITS_APART: Final = CharacterTable(_raised_digit_apart)
_WITHOUT_ACCENTS: Final = CharacterTable(_without_accent)
_BLANKS_BETWEEN_WORDS: Final = CharacterTable(_letter_or_digit)
_ONLY_NUMBERS: Final = CharacterTable(_digit_or_mark)


# Forms of a text


def fold_text(text: str) -> str:
    """Return a text in lower case and without accents: `Café 5²` -> `cafe 5^2`."""
    if text.isascii():
        return text.lower()
    # Put a caret before raised digits: `5²` would become the number 52, and `5^²` does not.
    text = text.translate(_RAISED_DIGITS_APART)
    # The form NFKD of Unicode puts each accent behind its letter, and makes `2` of `²`.
    decomposed = unicodedata.normalize("NFKD", text)
    # `casefold` may join letters and accents again, so they are decomposed a second time.
    folded = unicodedata.normalize("NFKD", decomposed.casefold())
    return folded.translate(_WITHOUT_ACCENTS)


def bare_text(text: str) -> str:
    """Return a folded text without blanks, the form in which quotations are compared.

    `It’s  Done` -> `it'sdone`
    """
    return "".join(fold_text(text).replace("’", "'").split())


def parts_of(folded_text: str) -> list[str]:
    """Return the runs of letters and digits: `fa-19 of may` -> `fa`, `19`, `of`, `may`."""
    return folded_text.translate(_BLANKS_BETWEEN_WORDS).split()


def distinctive_words(text: str) -> frozenset[str]:
    """Return the words of a text with at least two letters, without case and accents.

    Texts are compared by them: a line that shares many of them with an answer is likely
    to be its source.
    """
    return frozenset(word for word in parts_of(fold_text(text)) if len(word) > 1)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the folded words, numbers, ids and paths: `FA-19 of May` -> `fa-19`, `of`, `may`."""
    return tuple(_TOKEN.findall(fold_text(text)))


def numbers_of(text: str) -> Iterator[str]:
    """Yield each number of a text as it is written: `1,199.00 EUR for 3` -> `1,199.00`, `3`.

    Two marks in a row end a number: `10..20` is 10 and 20.
    """
    # Most numbers have no mark, and need no pattern: a file may have 100,000 of them.
    for piece in dict.fromkeys(text.translate(_ONLY_NUMBERS).split(" ")):
        if piece.isdecimal():
            yield piece
        elif piece:
            yield from _NUMBER.findall(piece)


def number_key(number: str) -> str:
    """Return a key that a number has in every format: `1,199.00`, `1199` -> `1199`.

    These are its digits without marks, and without zeros at both ends. Other numbers may have
    the same key, such as `11.99` and `119900`, because nothing shows what a mark means.
    """
    return number.translate(_WITHOUT_NUMBER_MARKS).strip("0")


def stem(word: str) -> str:
    """Return the start of a folded word that its inflected forms share.

    `reports`, `reported` -> `repor`; `fees` -> `fee`; `gas` -> `gas`
    """
    if len(word) > STEM_LETTERS:
        return word[:STEM_LETTERS]
    is_plural = len(word) > 3 and word.endswith("s")
    if is_plural:
        return word[:-1]
    return word
