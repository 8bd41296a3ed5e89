"""Makes a value of a short text, which is looked up as a whole: `Ann Miller`, `15 May 2026`.

`send_money(to="Ann Miller", date="15 May 2026")` has two such texts. Each is found in other
texts by its keys, which all its spellings share: ` ann miller ` and `2026-05-15` (`keys.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.values.account_key import key_if_account
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.keys import MIN_IDENTIFYING_CHARS
from controlplane.agent.evidence.origins.values.recognised_values import (
    as_whole,
    recognised_values,
)
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.words import has_digit, phrase_of
from controlplane.gates.values.value_kinds import Kind


def identifies_something(text: str) -> bool:
    """Return True if a short text identifies something: `7`, `A-1` and `Ann`, not `restart`.

    Two kinds of texts occur everywhere, so it says nothing in which text they are found: a
    single word in small letters, and one or two characters. But a number is looked up even
    if it is short: it may be an amount or an id.
    """
    if text.isalpha() and text.islower() and text.isascii():
        return False
    if text.isdigit():
        return True
    return len(text) >= MIN_IDENTIFYING_CHARS and any(char.isalnum() for char in text)


def value_of_short_text(text: str, words: Sequence[str]) -> ArgumentValue:
    """Return a short text as a value. `words` are its words, in lower case.

    | text | main key | other keys |
    |---|---|---|
    | `15 May 2026`, all of it a recognised value | `2026-05-15` | `--05-15` (in any year) |
    | `Inv-2026017`, one word | `inv-2026017` | `inv2026017`, if it is an account |
    | `US13 3000 0001`, perhaps an account in groups | `us1330000001` | ` us13 3000 0001 ` |
    | `Ann Miller`, any other words | ` ann miller ` (a phrase) | |
    """
    values = recognised_values(text)
    for value in values:
        # An id is one word, and looked up as one.
        if value.text == text and value.kind is not Kind.ID:
            return as_whole(value)

    parts = tuple(parts_of(text, values, with_dates=True))
    account = key_if_account(text) if has_digit(text) else ""
    if len(words) == 1:
        other_keys = (account,) if account else ()
        return ArgumentValue(text, words[0], other_keys, parts, ValueRole.WHOLE)
    phrase = phrase_of(text)
    if account:
        return ArgumentValue(text, account, (phrase,), parts, ValueRole.WHOLE)
    return ArgumentValue(text, phrase, parts=parts, role=ValueRole.WHOLE)
