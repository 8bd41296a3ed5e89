"""Finds the parts of an argument that identify something, such as the ids and addresses in it.

If no text contains a whole argument, the origins of its parts are looked up instead. The URL
`https://pay.org/?to=GB33BUKB2020` has two: `pay.org`, its host, and `GB33BUKB2020`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.grouped_numbers import (
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.identifying_words import (
    identifying_words,
    is_identifying_word,
    value_of_word,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    host_of,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import fold
from controlplane.agent.evidence.texts.written_words import written_words
from controlplane.gates.values.value_kinds import Kind, WrittenValue

ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS_OF_WORDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
"""Kinds of values that are found as words, by `identifying_words`."""


def parts_of(
    text: str, recognised_values: Iterable[WrittenValue], *, includes_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the parts of a text: values of known kinds, then accounts in groups, then words.

    `Pay inv-2026 to US13 3000 0001 by 15 May 2026, and tell bob@pay.org` has the parts

    1. `15 May 2026` (only if `includes_dates`) and `bob@pay.org`, the `recognised_values`,
    2. `us13 3000 0001`, an account in groups,
    3. `inv-2026`, and the groups `US13`, `3000` and `0001` as words.

    In a long text, such as the body of a mail, dates do not decide whom or what the call reaches.
    """
    values = [value for value in recognised_values if value.kind not in _KINDS_OF_WORDS]
    for value in values:
        if includes_dates or value.kind is not Kind.DATE:
            yield _part_of_kind(value)

    # Digits within these values, also within dates, are not values of their own.
    remaining_text = _with_blanks_for(values, text)
    yield from _grouped_accounts(remaining_text)
    yield from identifying_words(remaining_text)


def _grouped_accounts(text: str) -> Iterator[ArgumentValue]:
    """Yield the accounts and telephones that are written in groups: `GB33 BUKB 2020 1555`."""
    for number in grouped_numbers(fold(text)):  # in lower case
        for key in account_keys(number):
            yield ArgumentValue(number, (key,), role=ValueRole.ADDRESS)


def _with_blanks_for(values: Iterable[WrittenValue], text: str) -> str:
    """Return a text with blanks in place of some values: `ask a@b.org now` -> `ask         now`."""
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    return "".join(chars)


def _part_of_kind(value: WrittenValue) -> ArgumentValue:
    """Return a value of a known kind within a longer text, as a part to look up.

    A mail address says whom a call reaches, so its role is `ADDRESS`. A date is a `DETAIL`.
    """
    return ArgumentValue(
        text=value.text,
        keys=keys_of_value(value),
        parts=parts_of_url(value),
        role=ValueRole.ADDRESS if value.kind in ADDRESS_KINDS else ValueRole.DETAIL,
    )


def parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the parts of a URL: its host and identifying words. Other values have no parts.

    `https://pay.org/?to=GB33BUKB2020` -> `pay.org`, `GB33BUKB2020`
    """
    if value.kind is not Kind.URL:
        return ()
    host = host_of(value.canonical)
    parts = [ArgumentValue(host, (host,), role=ValueRole.ADDRESS)]
    for word in written_words(value.text.partition("://")[2]):
        if fold(word) != host and is_identifying_word(word):
            parts.append(value_of_word(word))
    return tuple(parts)
