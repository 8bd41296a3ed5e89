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
from controlplane.agent.evidence.origins.values.grouped_numbers import (
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.identifying_words import (
    identifying_words,
)
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.uniform_text import fold
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
    # The letters and digits within recognised values, also within dates, are not values of
    # their own. So blanks take their place: `ask a@b.org now` -> `ask         now`.
    chars = list(text)
    for value in recognised_values:
        if value.kind in _KINDS_OF_WORDS:
            continue
        chars[value.start : value.end] = " " * (value.end - value.start)
        if includes_dates or value.kind is not Kind.DATE:
            is_address = value.kind in ADDRESS_KINDS
            yield ArgumentValue(
                text=value.text,
                keys=keys_of_value(value),
                parts=parts_of_url(value),
                role=ValueRole.ADDRESS if is_address else ValueRole.DETAIL,
            )
    remaining_text = "".join(chars)

    for number in grouped_numbers(fold(remaining_text)):  # in lower case
        for key in account_keys(number):
            yield ArgumentValue(number, (key,), role=ValueRole.ADDRESS)
    yield from identifying_words(remaining_text)
