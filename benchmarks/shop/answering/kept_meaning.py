"""Checks that a message has the same meaning in another form: its numbers, ids, and yes or no.

A model puts answers into the form that a request asks for. It may put `No, basket_12 is closed.`
into `<NO>`, but not into `<YES>`. A message with another meaning is not used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.texts.yes_no_words import (
    NO_WORDS,
    YES_WORDS,
    possible_yes_no_words,
)

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
"""`12`, `1.200,50`"""
_ID: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
"""`basket_12`, `AB-1`"""


def keeps_meaning(message: str, proposal: str, yes_no_words: Sequence[str]) -> bool:
    """Return True if a proposed form has the same meaning as a message.

    | message | proposal | same meaning |
    |---|---|---|
    | `No, basket_12 is closed.` | `<NO>` | yes |
    | `No, basket_12 is closed.` | `<YES>` | no: the opposite |
    | `AB-1 has 12 units.` | `12` | yes |
    | `AB-1 has 12 units.` | `13`, or `AB-2: 12` | no: another number, or another id |
    | `AB-1 has 12 units.` | `AB-1` | no: it loses all numbers |

    `yes_no_words` are the words of the shop's rules, such as `<YES>` and `<NO>`, yes first.
    """
    # 1. The proposal is such a word.
    if proposal in yes_no_words:
        proposal_says_yes = proposal == yes_no_words[0]
        return not _are_opposite(polarity(message), proposal_says_yes)

    # 2. It has other words. Ids and numbers must not be added, and not all numbers lost.
    adds_ids = not _values_of(_ID, proposal) <= _values_of(_ID, message)
    numbers = _values_of(_NUMBER, message)
    proposed_numbers = _values_of(_NUMBER, proposal)
    adds_numbers = not proposed_numbers <= numbers
    loses_all_numbers = bool(numbers) and not proposed_numbers
    if adds_ids or adds_numbers or loses_all_numbers:
        return False

    # 3. A yes must not become a no, or a no a yes.
    return not _are_opposite(polarity(message), polarity(proposal))


def _values_of(pattern: re.Pattern[str], text: str) -> set[str]:
    """Return the ids or numbers in a text, in a form in which equal ones are equal.

    They have no capitals, no decimal commas and no leading zeros: `007,5` -> `7.5`. Ids
    begin with a letter, so they have no leading zeros.
    """
    values = set()
    for value in pattern.findall(text):
        values.add(value.casefold().replace(",", ".").lstrip("0") or "0")
    return values


_DENYING_WORDS: Final = NO_WORDS | {"not", "none", "cannot"}
"""Words with which a sentence says no: "No.", "It is not open."
"""


def polarity(message: str) -> bool | None:
    """Return True if a message says yes, False if it says no; None if it says neither or both."""
    words = set(normal_words(message).split())
    has_yes = not words.isdisjoint(YES_WORDS)
    has_no = not words.isdisjoint(_DENYING_WORDS)
    if has_yes and not has_no:
        return True
    if has_no and not has_yes:
        return False
    return None


def _are_opposite(first: bool | None, second: bool | None) -> bool:
    """Return True if one text is a yes and the other a no. None is neither."""
    if first is None or second is None:
        return False
    return first is not second


def says_no(message: str, rules: str) -> bool:
    """Return True if a whole message is a no: the rules' word for it, or a sentence that begins with it.

    Unlike `polarity`, a "not" inside the message does not count: "AB-1, but not in sand" is
    not a no.
    """
    words = possible_yes_no_words(rules)  # yes first
    if message.strip() in words:
        is_first = words.index(message.strip()) == 0
        return not is_first
    message_words = normal_words(message).split()
    return bool(message_words) and message_words[0] in ("no", "false")
