"""Finds the parts of a URL that are looked up if no text contains the whole URL.

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
from controlplane.agent.evidence.origins.values.url_keys import host_of, key_of_url
from controlplane.agent.evidence.origins.values.word_value import value_of_word
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.agent.evidence.texts.written_words import written_words
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the host and the identifying words of a URL. A value of another kind has no parts.

    `https://pay.org/?to=GB33BUKB2020` -> `pay.org`, `GB33BUKB2020`
    """
    if value.kind is not Kind.URL:
        return ()
    host = host_of(key_of_url(value.canonical))
    parts = [ArgumentValue(host, (host,), role=ValueRole.ADDRESS)]
    for word in written_words(value.text.partition("://")[2]):
        if fold(word) != host and is_identifying_word(word):
            parts.append(value_of_word(word))
    return tuple(parts)
