"""The damage that a worn paper does to its scan.

Scanned papers are text, as a scanner that reads letters (OCR) gives it. The scan of a worn
paper misreads or drops letters, changes case, and has rows of rubbish between lines:
`Nordvane Skery two-pers0n tent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.data import read_data

SCANS: Final = read_data("scans.json")
"""Texts of scans and crosslists, and the characters that scans misread, by their use.

`misread`: `{"o": "0", "l": "1", ...}`; `rubbish`: rows of rubbish, such as `*** COPY ***`.
"""
RULE_WIDTH: Final = 54
"""The number of dashes in a row of dashes."""
LEAST_LETTERS_OF_DAMAGED_WORD: Final = 6
"""Shorter words keep all their letters, so that names can still be recognised."""


def worn_text(rng: Random, text: str, wear: float) -> str:
    """Return a text as it appears in a worn scan: without a letter, misread, or in capitals.

    `wear` is the chance of most errors, from 0 to 1. Several may occur together.
    """
    if rng.random() < wear:
        text = _without_one_letter(rng, text)
    if rng.random() < wear:
        text = misread_text(rng, text, SCANS["misread"])
    if rng.random() < wear / 3:  # Rarer, because capitals change the whole text.
        text = text.upper()
    return text


def misread_text(rng: Random, text: str, misread_as: Mapping[str, str]) -> str:
    """Return a text with one character misread, if it has one that can be.

    `two` with `{"o": "0"}` -> `tw0`
    """
    places = [place for place, character in enumerate(text) if character in misread_as]
    if not places:
        return text
    place = rng.choice(places)
    return text[:place] + misread_as[text[place]] + text[place + 1 :]


def _without_one_letter(rng: Random, text: str) -> str:
    """Return a text without one inner letter of a long word, if it has one: `Skery` for `Skerry`."""
    words = text.split(" ")
    numbers_of_long_words = []
    for number, word in enumerate(words):
        if len(word) >= LEAST_LETTERS_OF_DAMAGED_WORD and word.isalpha():
            numbers_of_long_words.append(number)
    if not numbers_of_long_words:
        return text
    number = rng.choice(numbers_of_long_words)
    word = words[number]
    place = rng.randrange(2, len(word) - 1)
    words[number] = word[:place] + word[place + 1 :]
    return " ".join(words)


def row_of_dashes(rng: Random, wear: float) -> str:
    """Return a row of dashes, some of which were scanned as other characters."""
    # A row has many dashes, so a few of them are misread.
    chance_for_each_dash = wear / 12
    signs = []
    for _ in range(RULE_WIDTH):
        sign = "-"
        if rng.random() < chance_for_each_dash:
            sign = rng.choice(".:_ ")
        signs.append(sign)
    return "".join(signs)


def rubbish_rows(rng: Random, chance: float) -> list[str]:
    """Return a row of rubbish with this chance, else no row."""
    if rng.random() < chance:
        return [rng.choice(SCANS["rubbish"])]
    return []
