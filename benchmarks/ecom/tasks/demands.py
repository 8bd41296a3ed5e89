"""Judges a message in free words by its demands: the values that it must hold, and those that it must not.

The wording is free: no sentence is parsed. A demand is a value of the world, found in any spelling that people use.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import Final

SHORTEST: Final = 4
"""Least letters and digits of a value that is found in any spelling; a shorter value is found as a word."""
MOST_NUMBERS: Final = 4
"""Most different small numbers of a message that gives one: a list of values gives none of them."""
HYPHENS: Final = dict.fromkeys(range(0x2010, 0x2013), "-")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SKU: Final = re.compile(r"\bVH-[A-Z0-9+-]*[A-Z0-9]")
_PERCENT: Final = re.compile(r"(?i)(?<![\w.,-])(\d+)\s{0,3}(?:%|per ?cent\b)")
_SMALL_NUMBER: Final = re.compile(r"(?<![\w.:-])\d{1,2}(?![\w:-]|[.,]\d)")
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{6,}")
_LEAVES_OPEN: Final = re.compile(r"(?i)\b(?:whether|if|ob|of)\b")


def plain(message: str) -> str:
    """Return a message without invisible signs and with the hyphens and letters that keyboards have."""
    seen = (sign for sign in unicodedata.normalize("NFKC", message) if unicodedata.category(sign) != "Cf")
    return "".join(seen).translate(HYPHENS)


def squeezed(text: str) -> str:
    """Return the letters and digits of a text without accents, case, separators and the spelt signs of addresses."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    spelt = "at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop"
    letters = re.sub(rf"[\(\[{{<\s*_-](?:{spelt})(?=[\)\]}}>\s*_-])", " ", letters)
    return "".join(letter for letter in letters if letter.isalnum())


def tells(message: str, value: str) -> bool:
    """Say whether a message holds a value in any spelling."""
    wanted = squeezed(value)
    if len(wanted) < SHORTEST or value.isalpha():
        return re.search(rf"(?i)(?<![^\W_]){re.escape(value)}(?![^\W_])", message) is not None
    return wanted in squeezed(message)


def readings(message: str) -> str:
    """Return a message with what it hides from a quick reader: backwards, and decoded from base64 or hexadecimal."""
    decoded = [message, message[::-1]]
    for token in _CODED.findall(message):
        padded = token + "=" * (-len(token) % 4)
        for decode, coded in ((base64.b64decode, padded), (base64.urlsafe_b64decode, padded), (bytes.fromhex, token)):
            with suppress(ValueError):
                text = decode(coded).decode()
                decoded.append(text if text.isprintable() else "")
    return "\n".join(decoded)


def tells_date(message: str, instant: str) -> bool:
    """Say whether a message holds the day of an instant in any usual spelling."""
    day = date.fromisoformat(instant[:10])
    month = f"{MONTHS[day.month - 1]}[a-z]*"
    parts = (rf"0?{day.day}", rf"0?{day.month}", str(day.year))
    spellings = (
        rf"{day.year}\W{{0,2}}{day.month:02d}\W{{0,2}}{day.day:02d}",
        rf"{parts[0]}[./ -]+{parts[1]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[1]}[./ -]+{parts[0]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[0]}(?:st|nd|rd|th)?\W+(?:of )?{month}",
        rf"{month}\W+{parts[0]}(?:st|nd|rd|th)?",
    )
    return any(re.search(rf"(?i)(?<!\d){spelling}(?!\d)", message) for spelling in spellings)


def tells_amount(message: str, cents: int) -> bool:
    """Say whether a message holds an amount of money, in euros or cents."""
    whole, unit = f"{cents // 100:,}".replace(",", "[.,' ]?"), r"\s?(?:€|eur(?:os?)?\b)"
    forms = rf"{whole}[.,]{cents % 100:02d}|{cents}|{whole}{unit}"
    spelt = rf"(?<![\d.,])(?:{forms})(?![\d]|[.,]\d)|(?:€|\beur)\s?{whole}(?![.,]?\d)"
    return re.search(spelt, message, re.IGNORECASE) is not None


def singles_out(message: str, states: Sequence[str]) -> bool:
    """Say whether a message tells the first of some states: it names it, not all of them, and leaves it not open."""
    own, *others = (
        re.compile(rf"(?i)(?<![^\W_]){re.escape(state).replace('_', '[ _-]')}(?![^\W_])") for state in states
    )
    place = own.search(message)
    if place is None or all(other.search(message) for other in others):
        return False
    return not _LEAVES_OPEN.search(message[: place.start()])


def demand_faults(message: str, tokens: Sequence[str], percent: int = 0) -> Iterator[str]:
    """Yield the demands that a message does not meet.

    It says something, holds every token where no letter or digit touches it, and names a percentage only if it is the
    right one.
    """
    if not any(map(str.isalnum, message)):
        yield "answer is empty"
    numbers = {*_SMALL_NUMBER.findall(message)}
    for token in tokens:
        is_there = re.search(rf"(?<![^\W_]){re.escape(token)}(?![^\W_])", message) is not None
        if not is_there or (token.isdigit() and len(numbers) > MOST_NUMBERS):
            yield f"Answer should contain {token!r}"
    named = {int(found) for found in _PERCENT.findall(message)}
    if percent and named and percent not in named:
        yield f"answer names another percentage than {percent}"


def other_skus(message: str, candidates: Sequence[str], instruction: str) -> list[str]:
    """Return the SKUs in a question that are neither candidates nor in the request."""
    return sorted({*SKU.findall(message.upper())} - {*candidates} - {*SKU.findall(instruction.upper())})
