"""Makes a value of a short text, which is looked up as a whole: `Ann Miller`, `15 May 2026`.

`send_money(to="Ann Miller", date="15 May 2026")` has two such texts. A mail may write them in
another way, `ANN MILLER` or `2026-05-15`. So each is looked up by a *key*, which all its spellings
share:

    Ann Miller       -> " ann miller ", the words in small letters, with a blank on each side
    15 May 2026      -> "2026-05-15"
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.values.account_key import key_if_account
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.recognised_values import (
    as_whole,
    recognised_values,
)
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.words import has_digit, phrase_of
from controlplane.gates.values.value_kinds import Kind


def value_of_short_text(text: str, words: Sequence[str]) -> ArgumentValue:
    """Return a short text as a value. `words` are its words, in small letters."""
    recognised = recognised_values(text)  # its dates, amounts, URLs and ids
    for value in recognised:
        is_whole_text = value.text == text
        # An id, such as `inv-17`, needs no key of its own: it is a word like any other.
        if is_whole_text and value.kind is not Kind.ID:
            return as_whole(value)

    main_key, *other_keys = _keys_of(text, words)
    return ArgumentValue(
        text=text,
        main_key=main_key,
        other_keys=tuple(other_keys),
        parts=tuple(parts_of(text, recognised, with_dates=True)),
        role=ValueRole.WHOLE,
    )


def _keys_of(text: str, words: Sequence[str]) -> list[str]:
    """Return the keys of a text, first the one that tells the text from others.

    Whether a text with digits is an account is not certain, so it is looked up as words, too:
    `US13 3000 0001` -> `us1330000001`, ` us13 3000 0001 `.
    """
    account_key = key_if_account(text) if has_digit(text) else ""
    if len(words) == 1:
        keys = [words[0]]  # `inv-2026017`, even if it may be the account `inv2026017`
        if account_key:
            keys.append(account_key)
        return keys

    phrase = phrase_of(text)
    if account_key:
        return [account_key, phrase]
    return [phrase]
