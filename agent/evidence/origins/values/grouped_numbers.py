"""Finds accounts and telephones that are written in groups, such as `US13 3000 0001`.

A number in groups has a first group, and then a separator and a further group, once or more:

| number | first group | separators | further groups |
|---|---|---|---|
| `US13 3000 0001` | `US13` | blanks | `3000`, `0001` |
| `030/123-4567` | `030` | `/` and `-` | `123`, `4567` |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.texts.words import letters_and_digits
from controlplane.gates.surrogates import encodable

_SEPARATOR: Final = r"[-. /]{1,2}"
_DIGITS: Final = r"\pN[\pL\pN]*"
"""A digit, and perhaps further digits and letters: `3000`, `4a`."""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_DIGITS}"
"""`030`, or with the two letters of a country: `US13`."""
_FURTHER_GROUP: Final = rf"\(?\pL{{0,4}}{_DIGITS}\)?"
"""`3000`, or after at most four letters, `BANK5`, or in brackets, `(030)`."""
_FURTHER_GROUPS: Final = rf"(?:{_SEPARATOR}{_FURTHER_GROUP})+"
_GROUPED_NUMBER: Final = re2.compile(_FIRST_GROUP + _FURTHER_GROUPS)


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the accounts and telephones in a text that are written in groups.

    | text, in lower case | numbers |
    |---|---|
    | `call 030/123-4567` | `030/123-4567` |
    | `to gb33 bukb 2020 1555 5555 55` | `2020 1555 5555 55`, `gb33 bukb 2020 1555 5555 55` |
    | `au12 from 2020 1555 5555` | `2020 1555 5555`, `au12 from 2020 1555 5555` |

    In the second text, four letters name the bank of the account (`bukb`). In the third one,
    they are a word. This is not known, so the number is returned with and without them.
    """
    text = encodable(folded_text)
    return [*_GROUPED_NUMBER.findall(text), *_accounts_with_bank(text)]


_ACCOUNT_WITH_BANK: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}{_FURTHER_GROUPS})"
)
"""A country and two digits (`GB33`), the four letters of a bank (`BUKB`), then further groups.
The bank has no digit, so `_GROUPED_NUMBER` finds only the groups behind it."""
MIN_CHARS_WITH_BANK: Final = 18
"""How many letters and digits an account with a bank's letters has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""


def _accounts_with_bank(text: str) -> list[str]:
    """Return the accounts in a text that have a bank's letters: `gb33 bukb 2020 1555 5555 55`."""
    accounts: list[str] = []
    for account in _ACCOUNT_WITH_BANK.findall(text):
        char_count = sum(map(len, letters_and_digits(account)))
        if char_count >= MIN_CHARS_WITH_BANK:
            accounts.append(account)
    return accounts
