"""Finds the parts of a URL, which are looked up if no text has the whole URL.

A script may build the URL `https://pay.org/?to=GB33BUKB2020` itself. Its host may be from one
text, and the account in it from another, such as a mail whose author wants the money.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.identifying_words import (
    is_identifying_word,
)
from controlplane.agent.evidence.origins.values.url_keys import host_of
from controlplane.agent.evidence.origins.values.word_value import value_of_word
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.agent.evidence.texts.written_words import written_words


def parts_of_url(url: str, url_key: str) -> tuple[ArgumentValue, ...]:
    """Return the host of a URL, and its words with digits or marks, such as ids and accounts.

    `https://www.pay.org/?to=GB33BUKB2020`, `pay.org/?to=gb33bukb2020` (its key)
    -> `pay.org`, `GB33BUKB2020`
    """
    parts: list[ArgumentValue] = []
    host = host_of(url_key)  # which is a key, too
    if host:  # `https://?to=1` has none.
        parts.append(ArgumentValue(host, main_key=host, role=ValueRole.ADDRESS))
    for word in written_words(url.partition("://")[2]):
        if fold(word) != host and is_identifying_word(word):
            parts.append(value_of_word(word))
    return tuple(parts)
