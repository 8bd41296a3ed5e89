"""Recognises telephones that are so short that they may also be ids, such as `0012345`.

A call passes a telephone, and the texts that the trial has read are searched for its *key*. The key
of `030 1234` is `0301234`, its digits. But code does not recognise the telephone in the line
`Ann,030 1234,Berlin` of a table, or in the order `ID-0012345`. So a short one has a second key, as
it is written:

    keys_as_written("0012345", is_whole_argument=True)     -> ("0012345",)
    keys_as_written("030 1234", is_whole_argument=True)    -> (" 030 1234 ",)
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.account_key import (
    MIN_ACCOUNT_CHARS,
    account_key,
)
from controlplane.agent.evidence.texts.words import phrase_of, words_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def is_short_telephone(value: WrittenValue) -> bool:
    """Return True for a telephone with fewer digits than any account: `0012345`, `012-3456`.

    A longer one is recognised in each text, like an account.
    """
    if value.kind is not Kind.TELEPHONE:
        return False
    return len(account_key(value.canonical)) < MIN_ACCOUNT_CHARS


def keys_as_written(telephone: str, *, is_whole_argument: bool) -> tuple[str, ...]:
    """Return the key of a telephone as it is written: one word, or a phrase of several words.

    There is none for a phrase if it is only a part of an argument: a long argument may have
    thousands of telephones, and the search for each phrase is slow.
    """
    words = words_of(telephone)
    if len(words) == 1:
        return (words[0],)
    return (phrase_of(telephone),) if is_whole_argument else ()
