"""Returns the keys of a short text, by which it is found in whatever spelling.

A call has `to="Ann Miller"` or `to="US13 3000 0001"`. A mail may write them as `ANN MILLER` and
`US1330000001`. What both spellings share is a *key*:

| short text | keys |
|---|---|
| `Ann` | `ann` |
| `Ann Miller` | ` ann miller `, a phrase: the words with a blank on each side |
| `US13 3000 0001` | `us1330000001`, the account; ` us13 3000 0001 ` |
| `inv-2026017` | `inv-2026017`; `inv2026017`, as it may be an account |
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.values.account_key import key_if_account
from controlplane.agent.evidence.texts.words import has_digit, phrase_of


def keys_of_short_text(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a text, first the one that tells the text from others.

    `words` are the words of the text in small letters. Whether a text with digits is an account
    is not certain, so it is looked up as an account and as words.
    """
    is_one_word = len(words) == 1
    key_as_words = words[0] if is_one_word else phrase_of(text)
    account_key = key_if_account(text) if has_digit(text) else ""
    if not account_key or account_key == key_as_words:
        return (key_as_words,)
    if is_one_word:
        return (key_as_words, account_key)
    return (account_key, key_as_words)
