"""Makes a value of a short text, which is looked up as a whole: `Ann Miller`, `15 May 2026`.

`send_money(to="Ann Miller", date="15 May 2026")` has two such texts. A mail may write them in
another way, `ANN MILLER` or `2026-05-15`. So each is looked up by its *keys*, the forms that all its
spellings share. That of several words is a phrase, the words with a blank on each side:

    ArgumentValue("Ann Miller", keys=(" ann miller ",), role=WHOLE)
    ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"), role=WHOLE)
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

    return ArgumentValue(
        text=text,
        keys=_keys_of(text, words),
        parts=tuple(parts_of(text, recognised, with_dates=True)),
        role=ValueRole.WHOLE,
    )


def _keys_of(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a text, first the one that tells the text from others.

    Whether a text with digits is an account is not certain, so it is looked up as words, too:
    `US13 3000 0001` -> `us1330000001`, ` us13 3000 0001 `.
    """
    account_key = key_if_account(text) if has_digit(text) else ""
    is_one_word = len(words) == 1
    key_as_words = words[0] if is_one_word else phrase_of(text)
    if not account_key or account_key == key_as_words:
        return (key_as_words,)
    if is_one_word:  # `inv-2026017`, even if it may be the account `inv2026017`
        return (key_as_words, account_key)
    return (account_key, key_as_words)
