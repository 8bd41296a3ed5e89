"""Finds accounts and telephones that are written in groups, such as `US13 3000 0001`.

People group the digits of an account as they like. A mail may have `US13 3000 0001`, and a
call `us13-30000001`. Both have the same *key*, `us1330000001`, so the call's account is found
in the mail.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.texts.words import letters_and_digits
from controlplane.gates.surrogates import encodable

# Two patterns find numbers in groups. Every group of the first has a digit. The second group
# of some accounts is a bank's name in four letters, so they have a pattern of their own:
#
#     text                           _GROUPED_NUMBER finds  _ACCOUNT_WITH_BANK_NAME finds
#     US13 3000 0001                 US13 3000 0001         nothing
#     030/123-4567                   030/123-4567           nothing
#     GB33 BUKB 2020 1555 5555 55    2020 1555 5555 55      GB33 BUKB 2020 1555 5555 55
#     AU12 from 2020 1555 5555       2020 1555 5555         AU12 from 2020 1555 5555
#
# `_GROUPED_NUMBER` reads the third text in these steps:
#
#     1. `GB33` could be a first group, but the next one, `BUKB`, has no digit. No match here.
#     2. `BUKB` has no digit, so it is not a first group.
#     3. `2020` is a first group. ` 1555`, ` 5555` and ` 55` are further groups.

_FROM_DIGIT: Final = r"\pN[\pL\pN]*"
"""Letters and digits that begin with a digit: `3000`, `4a`."""
_SEPARATOR: Final = r"[-. /]{1,2}"
"""One or two signs between groups: `-`, ` /`"""
_FURTHER_GROUP: Final = rf"{_SEPARATOR}\(?\pL{{0,4}}{_FROM_DIGIT}\)?"
"""A group after the first, and its separator: ` 3000`, ` (030)` in brackets, or `/BANK5`, with
at most four letters before its first digit."""
_GROUPED_NUMBER: Final = re2.compile(
    rf"(?:\pL{{2}})?{_FROM_DIGIT}(?:{_FURTHER_GROUP})+"
)
"""An account or a telephone. The first group may begin with a country's two letters: `US13`."""
_ACCOUNT_WITH_BANK_NAME: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}(?:{_FURTHER_GROUP})+)"
)
"""A country and two digits (`GB33`), the four letters of a bank (`BUKB`), then other groups."""
MIN_CHARS_WITH_BANK_NAME: Final = 18
"""How many letters and digits an account with a bank's name has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account or a telephone number has. The longest IBAN has 34."""


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the numbers in a text that are written in groups, such as `us13 3000 0001`.

    An account with a bank's name is returned twice, because its four letters may be a word:

        au12 from 2020 1555 5555  ->  2020 1555 5555, au12 from 2020 1555 5555
    """
    text = encodable(folded_text)
    numbers = list(_GROUPED_NUMBER.findall(text))  # without a bank's name
    for account in _ACCOUNT_WITH_BANK_NAME.findall(text):
        char_count = sum(map(len, letters_and_digits(account)))
        if char_count >= MIN_CHARS_WITH_BANK_NAME:
            numbers.append(account)
    return numbers


def account_keys(groups: str) -> tuple[str, ...]:
    """Return the key of an account or a telephone: `+49 30 123-4567` -> `49301234567`.

    The key has the letters and digits, without the zeros of a dialling prefix such as
    `0049`. There is none if they are too few or too many for an account.
    """
    joined = "".join(letters_and_digits(groups.casefold()))
    joined = joined.removeprefix("00")
    if MIN_ACCOUNT_CHARS <= len(joined) <= MAX_ACCOUNT_CHARS:
        return (joined,)
    return ()
