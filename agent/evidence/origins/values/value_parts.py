"""Finds the parts of an argument that identify something, such as the ids and addresses in it.

A script may write a text itself, but take the account in it from a mail. So if no text contains
a whole argument, its parts are looked up instead: in `Pay inv-2026 to US13 3000 0001`, these
are the id and the account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.grouped_numbers import grouped_numbers
from controlplane.agent.evidence.origins.values.identifying_words import (
    identifying_words,
)
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.gates.values.value_kinds import Kind, WrittenValue

ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_WORD_KINDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
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
    values = [value for value in recognised_values if value.kind not in _WORD_KINDS]
    for value in values:
        if includes_dates or value.kind is not Kind.DATE:
            yield _part_of_known_kind(value)

    # What is within these values, such as the `15` of the date, is not a value of its own.
    remaining_text = _without(values, text)
    for number in grouped_numbers(fold(remaining_text)):  # in lower case
        for key in account_keys(number):
            yield ArgumentValue(number, (key,), role=ValueRole.ADDRESS)
    yield from identifying_words(remaining_text)


def _part_of_known_kind(value: WrittenValue) -> ArgumentValue:
    """Return a value such as `bob@pay.org` as a part, which has its own parts if it is a URL."""
    is_address = value.kind in ADDRESS_KINDS
    return ArgumentValue(
        text=value.text,
        keys=keys_of_value(value),
        parts=parts_of_url(value),
        role=ValueRole.ADDRESS if is_address else ValueRole.DETAIL,
    )


def _without(values: Iterable[WrittenValue], text: str) -> str:
    """Return a text with blanks in the place of some of its values: `ask a@b.org` -> `ask        `."""
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    return "".join(chars)
