"""Finds the parts of a URL, which are looked up if no text has the whole URL.

A script may build the URL `https://pay.org/?to=GB3320201555` itself. Its host may be from one
text, and the account in it from another, such as a mail whose author wants the money. The parts
are

    ArgumentValue("pay.org", keys=("pay.org",), role=ADDRESS)
    ArgumentValue("GB3320201555", keys=("gb3320201555",), role=ADDRESS)
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.identifying_words import (
    identifying_words,
)
from controlplane.agent.evidence.origins.values.url_keys import host_of, key_of_url
from controlplane.agent.evidence.origins.values.word_value import value_of_word
from controlplane.gates.values.value_kinds import WrittenValue


def parts_of_url(url: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the host of a URL, and its words with digits or marks, such as ids and accounts."""
    parts: list[ArgumentValue] = []
    host = host_of(key_of_url(url.canonical))  # `canonical` has no scheme.
    if host:  # `https://?to=1` has none.
        parts.append(ArgumentValue(host, keys=(host,), role=ValueRole.ADDRESS))

    _scheme, separator, address = url.text.partition("://")
    if not separator:  # `www.pay.org`
        address = url.text
    for word in identifying_words(address):
        is_host = key_of_url(word) == host  # `pay.org`, or `www.pay.org`
        if not is_host:
            parts.append(value_of_word(word))
    return tuple(parts)
