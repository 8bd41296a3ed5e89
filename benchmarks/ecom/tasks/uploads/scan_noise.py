"""What scanning does to a text: misread letters, dropped ones, changed case, and rubbish between the lines.

Noise never turns one digit into another, so that a scan keeps one reading.
"""

from __future__ import annotations

from random import Random
from typing import Final

MISREAD: Final = {"o": "0", "O": "0", "l": "1", "I": "1", "S": "5", "s": "5", "B": "8"}
MISREAD_DIGITS: Final = {"0": "O", "1": "I", "5": "S"}
RUBBISH: Final = (
    "  ..........................",
    " .  .  .  ..................................",
    "__-_-_.:_--_:___-",
    "SCANNED",
    "*** COPY ***",
    "|  '  .",
    "RECEIVED  /  DESK",
)
RULE: Final = "-"
WIDTH: Final = 54


def misread(rng: Random, text: str) -> str:
    """Return the text with one letter misread as a digit, if it has one that may be."""
    places = [at for at, letter in enumerate(text) if letter in MISREAD]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + MISREAD[text[at]] + text[at + 1 :]


def misread_number(rng: Random, text: str) -> str:
    """Return a number with one digit misread as a letter, if it has one that may be."""
    places = [at for at, digit in enumerate(text) if digit in MISREAD_DIGITS]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + MISREAD_DIGITS[text[at]] + text[at + 1 :]


def dropped(rng: Random, text: str) -> str:
    """Return the text without one letter from inside a word of at least six letters."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    at = rng.choice(long)
    cut = rng.randrange(2, len(words[at]) - 1)
    words[at] = words[at][:cut] + words[at][cut + 1 :]
    return " ".join(words)


def worn(rng: Random, text: str, *, level: float) -> str:
    """Return the text after some of the mishaps of a scan; `level` is the chance of each."""
    for mishap in (dropped, misread):
        if rng.random() < level:
            text = mishap(rng, text)
    return text.upper() if rng.random() < level / 3 else text


def rule(rng: Random, *, level: float) -> str:
    """Return a ruled line, worn in places."""
    return "".join(rng.choice(".:_ ") if rng.random() < level / 12 else RULE for _ in range(WIDTH))


def rubbish(rng: Random, *, level: float) -> list[str]:
    """Return no line, or one that means nothing."""
    return [rng.choice(RUBBISH)] if rng.random() < level else []
