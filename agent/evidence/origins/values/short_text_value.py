"""Makes a value of a short text, which is looked up as a whole: `Ann Miller`, `15 May 2026`.

`send_money(to="Ann Miller", date="15 May 2026")` has two such texts. Each is found in other
texts by its keys, which all its spellings share: ` ann miller ` and `2026-05-15` (`keys.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.keys import MIN_IDENTIFYING_CHARS
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.words import has_digit, phrase_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue


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


def value_of_short_text(
    text: str, words: Sequence[str], recognised_values: Sequence[WrittenValue]
) -> ArgumentValue:
    """Return a short text as a value.

    | text | keys, the main one first |
    |---|---|
    | 1. `15 May 2026`, all of it of a known kind | `2026-05-15`, `--05-15` (in any year) |
    | 2. `Inv-17`, one word | `inv-17` |
    | 3. `Ann Miller`, several words | ` ann miller ` (a phrase) |
    | 3. `US13 3000 0001`, perhaps an account in groups | `us1330000001`, ` us13 3000 0001 ` |

    `words` are those of the text, in lower case.
    """
    for value in recognised_values:
        # Ids are left out: they are looked up as words.
        if value.text.strip() == text and value.kind is not Kind.ID:
            keys = keys_of_value(value)
            return ArgumentValue(text, keys, parts_of_url(value), ValueRole.WHOLE)

    parts = tuple(parts_of(text, recognised_values, includes_dates=True))
    keys_as_account = account_keys(text) if has_digit(text) else ()
    if len(words) == 1:
        keys = (words[0], *keys_as_account)
    else:
        # Two spellings of an account have the same main key, so they count as one value.
        keys = (*keys_as_account, phrase_of(text))
    return ArgumentValue(text, keys, parts, ValueRole.WHOLE)
