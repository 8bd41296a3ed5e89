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

# A number in groups is a first group and further ones, each after a separator:
#
#     US13 3000 0001   has the groups `US13`, `3000` and `0001`
#     030/123-4567     has the groups `030`, `123` and `4567`

_SEPARATOR: Final = r"[-. /]{1,2}"
"""One or two signs between groups: `-`, ` /`"""
_DIGITS: Final = r"\pN[\pL\pN]*"
"""A digit, and perhaps further digits and letters: `3000`, `4a`."""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_DIGITS}"
"""`030`, or with the two letters of a country: `US13`."""
_FURTHER_GROUP: Final = rf"\(?\pL{{0,4}}{_DIGITS}\)?"
"""`3000`, `BANK5` with at most four letters first, or `(030)` in brackets."""
_FURTHER_GROUPS: Final = rf"(?:{_SEPARATOR}{_FURTHER_GROUP})+"
_GROUPED_NUMBER: Final = re2.compile(_FIRST_GROUP + _FURTHER_GROUPS)
"""An account or a telephone: `US13 3000 0001`."""
_ACCOUNT_WITH_BANK_NAME: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}{_FURTHER_GROUPS})"
)
"""A country and two digits (`GB33`), the four letters of a bank (`BUKB`), then further groups.
The bank's name has no digit, so `_GROUPED_NUMBER` finds only the groups behind it."""
MIN_CHARS_WITH_BANK_NAME: Final = 18
"""How many letters and digits an account with a bank's name has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account or a telephone number has. The longest IBAN has 34."""


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the numbers in a text that are written in groups, such as `us13 3000 0001`.

    An account with a bank's name is returned twice, since the four letters may be a word:

    | text | numbers |
    |---|---|
    | `call 030/123-4567` | `030/123-4567` |
    | `to gb33 bukb 2020 1555 5555 55` | `2020 1555 5555 55`, `gb33 bukb 2020 1555 5555 55` |
    | `au12 from 2020 1555 5555` | `2020 1555 5555`, `au12 from 2020 1555 5555` |
    """
    text = encodable(folded_text)
    numbers = list(_GROUPED_NUMBER.findall(text))
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
