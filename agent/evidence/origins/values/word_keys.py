"""Returns the keys of the words, accounts and URLs in a text.

A text is indexed by these keys, and an argument that contains the same value is found by
them (`value_keys.py`). `Ann's inv-2026-17, from www.pay.org/Form` has, among others, the keys

- `ann`, `inv-2026-17` and `from` for its words,
- `2026` for a part of a word (`17` is too short, and `inv` has no digit),
- `pay.org/form` and `pay.org` for its URL.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.evidence.origins.values.account_keys import (
    account_keys,
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    MIN_IDENTIFYING_CHARS,
    host_of,
    is_small_number,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import fold, parts_of_word
from controlplane.agent.evidence.texts.written_words import written_words
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values


def keys_of_words(text: str) -> set[str]:
    """Return the keys of the words, accounts and URLs in a text.

    `To US13 3000 0001: 7` -> `to`, `us13`, `3000`, `0001`, `us1330000001`. A number of one or
    two digits, such as 7, has none here: most texts have some by chance.
    """
    folded_text = fold(text)  # in lower case
    keys = set[str]()
    for word in set(written_words(folded_text)):
        if not is_small_number(word):
            keys.update(_keys_of_word(word))
    for number in grouped_numbers(folded_text):  # such as `us13 3000 0001`
        keys.update(account_keys(number))
    # Folding separates sentences, as in `week.Please`, which may cut a URL in two. So URLs
    # are read in the text as it is written.
    keys.update(_keys_of_urls(text))
    return keys


def _keys_of_word(word: str) -> Iterator[str]:
    """Yield the keys of one word: `inv-2026` has the keys `inv-2026` and `2026`."""
    yield word.removesuffix("'s")
    if word.isalnum():
        return  # It has no marks, and so no parts.
    if "@" in word:
        yield mailbox_of(word)
    for part in parts_of_word(word):
        if not part.isalpha() and len(part) >= MIN_IDENTIFYING_CHARS:
            yield part


def _keys_of_urls(text: str) -> Iterator[str]:
    """Yield the keys of the URLs in a text, and their hosts."""
    for chunk in text.split():
        may_have_url = "://" in chunk or "www." in chunk.casefold()
        if may_have_url:
            for url in written_values(chunk, kinds=(Kind.URL,)):
                yield from keys_of_value(url)
                yield host_of(url.canonical)
