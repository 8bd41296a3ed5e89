"""Finds accounts and telephones that are written in groups, such as `US13 3000 0001`.

A text may have the digits in groups where a call has them in one: `US1330000001`. So the groups
are put together, to compare both:

| text, in lower case | groups |
|---|---|
| `call 030/123-4567` | `030/123-4567` |
| `to us13 3000 0001` | `us13 3000 0001` |
| `to gb33 bukb 2020 1555 5555 55` | `2020 1555 5555 55`, and the account with its bank, `bukb` |

Letters between digits may be a bank, or a word that has nothing to do with the number. This is
not known, so both are returned, with and without them.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.texts.words import letters_and_digits
from controlplane.gates.surrogates import encodable

_SEPARATOR: Final = r"[-. /]{1,2}"
_DIGIT_AND_MORE: Final = r"\pN[\pL\pN]*"
"""A digit, and perhaps further digits and letters: `3000`, `4a`."""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_DIGIT_AND_MORE}"
"""`030`, or with the two letters of a country: `us13`."""
_FURTHER_GROUP: Final = rf"\(?\pL{{0,4}}{_DIGIT_AND_MORE}\)?"
"""`3000`, or after at most four letters, `bank5`, or in brackets, `(030)`."""
_FURTHER_GROUPS: Final = rf"(?:{_SEPARATOR}{_FURTHER_GROUP})+"

_GROUPED_NUMBER: Final = re2.compile(_FIRST_GROUP + _FURTHER_GROUPS)
"""`us13 3000 0001`. Each group has a digit, so of `gb33 bukb 2020 1555`, it finds `2020 1555`."""
_ACCOUNT_WITH_BANK: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}{_FURTHER_GROUPS})"
)
"""A country and two digits (`gb33`), the four letters of a bank (`bukb`), then further groups."""
MIN_CHARS_WITH_BANK: Final = 18
"""How many letters and digits an account with a bank's letters has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the accounts and telephones that a text, in lower case, has in groups."""
    text = encodable(folded_text)
    return [*_GROUPED_NUMBER.findall(text), *_accounts_with_bank(text)]


def _accounts_with_bank(text: str) -> list[str]:
    """Return the accounts with the letters of a bank: `gb33 bukb 2020 1555 5555 55`."""
    accounts: list[str] = []
    for account in _ACCOUNT_WITH_BANK.findall(text):
        char_count = sum(map(len, letters_and_digits(account)))
        if char_count >= MIN_CHARS_WITH_BANK:
            accounts.append(account)
    return accounts
