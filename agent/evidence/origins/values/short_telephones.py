"""Recognises telephones that are so short that they may also be ids, such as `0012345`.

The telephone `030 1234` is found in a text by its digits, `0301234`. But an order `ID-0012345`, or
the line `Ann,030 1234,Berlin` of a table, does not look like it has a telephone. There, the digits
are found by a key that has them as they are written.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.account_key import (
    MIN_ACCOUNT_CHARS,
    account_key,
)
from controlplane.agent.evidence.texts.words import phrase_of, words_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def is_short_telephone(value: WrittenValue) -> bool:
    """Return True for a telephone with fewer digits than an account: `0012345`, `012-3456`."""
    if value.kind is not Kind.TELEPHONE:
        return False
    return len(account_key(value.canonical)) < MIN_ACCOUNT_CHARS


def keys_as_written(telephone: str, *, is_whole_argument: bool) -> tuple[str, ...]:
    """Return the key of a telephone as a word, `0012345`, or as a phrase, ` 030 1234 `.

    Within a longer text, there is none for a phrase: a text may have thousands of telephones, and
    the search for each phrase is slow.
    """
    words = words_of(telephone)
    if len(words) == 1:
        return (words[0],)
    return (phrase_of(telephone),) if is_whole_argument else ()
