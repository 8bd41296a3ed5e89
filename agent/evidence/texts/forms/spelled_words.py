"""Finds the words that a script passes to a tool character by character.

A script could make up the word `vat`, and pass it in letters or in their codes. A tool may return the
whole word, which is the script's own, and so proves nothing:

    spelled_words("['v', 'a', 't']")                    -> ["vat"]
    from_character_codes("select char(118, 97, 116)")   -> ["vat"]
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

import re2

LEAST_LETTERS: Final = 3
"""The fewest single letters in a row that may spell a word. Other characters may separate them."""
MOST_GAP_CHARS: Final = 8
"""The most characters between two letters of a spelled word. `'v', 'a'` has four: `', '`."""
_CHARACTER_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be character codes: `118, 97, 116`. They have
at most six digits, as `chr` takes no number above 1,114,111."""


def spelled_words(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell: `['v', 'a', 't'] -> vat`."""
    words: list[str] = []
    letters = ""  # of the word that is spelled at this place
    for is_word, chars in groupby(text, str.isalnum):
        run = "".join(chars)
        if is_word and len(run) == 1:
            letters += run
        elif is_word or len(run) > MOST_GAP_CHARS:
            # A longer word, or a wide gap, ends a spelled word. A short gap is passed over.
            words.append(letters)
            letters = ""
    words.append(letters)
    return [word for word in words if len(word) >= LEAST_LETTERS]


def from_character_codes(text: str) -> list[str]:
    """Return the texts that numbers in a row spell as character codes: `118, 97, 116 -> vat`."""
    texts: list[str] = []
    for match in _CHARACTER_CODES.finditer(text):
        numbers = match[0].replace(",", " ").replace(";", " ").split()
        texts.append("".join(chr(int(number)) for number in numbers))
    return texts
