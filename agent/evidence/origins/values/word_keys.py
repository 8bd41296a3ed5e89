"""Returns the keys of the words, accounts and URLs in a text.

A text that a trial reads is indexed by these keys. If an argument of a call has one of them
(`keys.py`), it has a value of the text.

| in the text | keys |
|---|---|
| `Ann's` | `ann` |
| `inv-2026-17`, a compound word | the word, and `2026` (`17` is short, and `inv` has no digit) |
| `US13 3000 0001`, an account | `us1330000001`, and `us13`, `3000`, `0001` as words |
| `www.pay.org/Form` | `pay.org/form`, `pay.org`, and the words |
| `7` | none: most texts have such a small number by chance |
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.evidence.origins.values.grouped_accounts import (
    grouped_accounts,
)
from controlplane.agent.evidence.origins.values.keys import (
    MIN_IDENTIFYING_CHARS,
    is_small_number,
)
from controlplane.agent.evidence.origins.values.url_keys import keys_of_urls
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.agent.evidence.texts.words import parts_of_word
from controlplane.agent.evidence.texts.written_words import written_words
from controlplane.gates.values.addresses.web_addresses import mailbox_of


def keys_of_words(text: str) -> set[str]:
    """Return the keys of the words, accounts and URLs in a text.

    `To US13 3000 0001: 7` -> `to`, `us13`, `3000`, `0001`, `us1330000001`
    """
    folded_text = fold(text)  # in lower case
    keys = set[str]()
    for word in set(written_words(folded_text)):
        if not is_small_number(word):
            keys.update(_keys_of_word(word))
    keys.update(grouped_accounts(folded_text))  # `us1330000001` for `us13 3000 0001`
    # In the folded text, a URL may be cut in two: folding separates sentences, `week.Please`.
    keys.update(keys_of_urls(text))
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
