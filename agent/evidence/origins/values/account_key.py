"""Returns the key of an account or a telephone, which all ways to group its digits share.

| spellings | key |
|---|---|
| `US13 3000 0001`, `us13-30000001` | `us1330000001` |
| `+49 30 123-4567`, `0049 (30) 1234567` | `49301234567` |

A mail may have the first spelling, and a call of `send_money` the second. By the key, the
account of the call is found in the mail.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.words import letters_and_digits

MIN_ACCOUNT_CHARS: Final = 8
"""How many letters and digits an account has at least. A shorter text is not taken for one."""
MAX_ACCOUNT_CHARS: Final = 40
"""How many it has at most. The longest IBAN has 34."""
DIALLING_PREFIX: Final = "00"
"""Stands for the `+` of a telephone number: `0049` is `+49`."""


def account_key(account: str) -> str:
    """Return the key of a text that is an account or a telephone.

    `GB33 BUKB 2020` -> `gb33bukb2020`
    """
    joined = "".join(letters_and_digits(account.casefold()))
    return joined.removeprefix(DIALLING_PREFIX)


def key_if_account(text: str) -> str:
    """Return the key of a text as an account; empty if it is too short or too long for one.

    `0049 30 123-4567` -> `49301234567`, but `FY26` -> ``
    """
    key = account_key(text)
    has_length_of_account = MIN_ACCOUNT_CHARS <= len(key) <= MAX_ACCOUNT_CHARS
    return key if has_length_of_account else ""


def may_be_account(word: str) -> bool:
    """Return True for a word that has the length of an account, and more digits than letters.

    This is true for `DE12345678`, and also for some ids, such as `inv-2026017`.
    """
    digit_count = sum(char.isdigit() for char in word)
    return key_if_account(word) != "" and digit_count > len(word) / 2
