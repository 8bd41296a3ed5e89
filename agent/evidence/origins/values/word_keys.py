"""Returns the keys of the words, accounts and URLs in a text.

A *key* is a form that all spellings of a value share: a word in small letters, an account without
blanks, a URL without its scheme. A text that a trial reads is indexed by its keys. If an argument
of a call has one of them, it has a value of the text.

    keys_of_words("Pay Ann's inv-2026-17")    -> {"pay", "ann", "inv-2026-17", "2026"}
    keys_of_words("To US13 3000 0001: 7")     -> {"to", "us1330000001", "us13", "3000", "0001"}
    keys_of_words("https://pay.org/Form")     -> {"pay.org/form", "pay.org", "https", "form"}

The `7` has no key: most texts have such a small number by chance.
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
    """Return the keys of the words, accounts and URLs in a text."""
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
    """Yield the keys of one word: `inv-2026-17` has the keys `inv-2026-17` and `2026`.

    Of its parts, `17` is too short to tell anything, and `inv` has no digit.
    """
    yield word.removesuffix("'s")
    if word.isalnum():
        return  # It has no marks, and so no parts.
    if "@" in word:
        yield mailbox_of(word)
    for part in parts_of_word(word):
        if not part.isalpha() and len(part) >= MIN_IDENTIFYING_CHARS:
            yield part
