"""Finds accounts and telephones that are written in groups, such as `US13 3000 0001`.

People group the digits of an account as they like. All ways share a key, by which a mail
with `US13 3000 0001` and a call with `us13-30000001` match: `us1330000001`.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.texts.words import letters_and_digits
from controlplane.gates.surrogates import encodable

_GROUP: Final = r"\pN[\pL\pN]*"
"""`3000`"""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_GROUP}"
"""`030`, or `GB33` with a country's two letters"""
_SEPARATOR: Final = r"[-. /]{1,2}"
"""One or two signs between groups: `-`, ` /`"""
_FURTHER_GROUP: Final = rf"{_SEPARATOR}\(?\pL{{0,4}}{_GROUP}\)?"
"""` 3000`, `/BANK5` with a bank's letters, or ` (030)` in brackets"""
_GROUPED_NUMBER: Final = re2.compile(rf"{_FIRST_GROUP}(?:{_FURTHER_GROUP})+")
"""An account or a telephone that is written in groups: `US13 3000 0001`, `030/123-4567`."""
_WITH_BANK_CODE: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}(?:{_FURTHER_GROUP})+)"
)
"""An account whose second group is the four letters of a bank: `GB33 BUKB 2020 1555 5555 55`."""
MIN_CHARS_WITH_BANK_CODE: Final = 18
"""How many letters and digits an account with a bank's letters has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the letters are a word: `FY26 plan 3`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account or a telephone number has. The longest IBAN has 34."""


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the numbers in a text that are written in groups, such as `us13 3000 0001`.

    Four letters may also be a word: `au12 from 2020 1555 5555`. So the number without them
    is returned, too: `gb33 bukb 2020 1555 5555 55` -> `2020 1555 5555 55`, and the whole.
    """
    text = encodable(folded_text)
    numbers = list(_GROUPED_NUMBER.findall(text))
    for account in _WITH_BANK_CODE.findall(text):
        char_count = sum(map(len, letters_and_digits(account)))
        if char_count >= MIN_CHARS_WITH_BANK_CODE:
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
