"""Finds accounts and telephones that are written in groups, such as `US13 3000 0001`.

A mail may have the account in groups where a call has it in one: `US1330000001`. So each is
returned by its key, the letters and digits of all its groups:

    grouped_accounts("pay to us13 3000 0001")    -> {"us1330000001": "us13 3000 0001"}
    grouped_accounts("call 030/123-4567")        -> {"0301234567": "030/123-4567"}
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.origins.values.account_key import key_if_account
from controlplane.gates.surrogates import encodable

_SEPARATOR: Final = r"[-. /]{1,2}"
_DIGIT_AND_MORE: Final = r"\pN[\pL\pN]*"
"""A digit, and perhaps further digits and letters: `3000`, `4a`."""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_DIGIT_AND_MORE}"
"""`030`, or with the two letters of a country: `us13`."""
_FURTHER_GROUP: Final = rf"\(?\pL{{0,4}}{_DIGIT_AND_MORE}\)?"
"""`3000`, or after at most four letters, `bank5`, or in brackets, `(030)`."""
_FURTHER_GROUPS: Final = rf"(?:{_SEPARATOR}{_FURTHER_GROUP})+"

_DIGITS_IN_GROUPS: Final = re2.compile(_FIRST_GROUP + _FURTHER_GROUPS)
"""`us13 3000 0001`. A group without a digit, such as `bukb` in `gb33 bukb 2020 1555`, ends it."""
_WITH_BANK: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}{_FURTHER_GROUPS})"
)
"""A country and two digits (`gb33`), the four letters of a bank (`bukb`), then further groups."""
MIN_CHARS_WITH_BANK: Final = 18
"""How many letters and digits an account with a bank's letters has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""


def grouped_accounts(folded_text: str) -> dict[str, str]:
    """Return the accounts that a text, in lower case, has in groups, by their keys.

    `gb33 bukb 2020 1555 5555 55` has two: the whole text, if `bukb` is a bank, and
    `2020 1555 5555 55`, if `bukb` is only a word before the account.
    """
    text = encodable(folded_text)
    accounts: dict[str, str] = {}
    for account in _DIGITS_IN_GROUPS.findall(text):
        key = key_if_account(account)
        if key:
            accounts.setdefault(key, account)
    for account in _WITH_BANK.findall(text):
        key = key_if_account(account)
        if len(key) >= MIN_CHARS_WITH_BANK:
            accounts.setdefault(key, account)
    return accounts
