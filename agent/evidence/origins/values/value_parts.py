"""Finds the parts of a text: the values within it, such as ids and addresses.

A script may write a text itself, but take the account in it from a mail. So if no text that was
read has the whole argument, its parts are looked up instead: in `Pay inv-2026 to US13 3000 0001`,
these are the id and the account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.grouped_accounts import (
    grouped_accounts,
)
from controlplane.agent.evidence.origins.values.identifying_words import (
    identifying_words,
)
from controlplane.agent.evidence.origins.values.recognised_values import as_part
from controlplane.agent.evidence.origins.values.word_value import value_of_word
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_WORD_KINDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
"""Recognised values of these kinds are left to `identifying_words`, which finds them as words."""


def parts_of(
    text: str, recognised_values: Iterable[WrittenValue], *, with_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the parts of a text: recognised values, then accounts in groups, then words.

    `Pay inv-17 to US13 3000 0001 by 15 May 2026, and tell bob@pay.org` has the parts

        ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"))    # only if `with_dates`
        ArgumentValue("bob@pay.org", keys=("bob@pay.org",), role=ADDRESS)
        ArgumentValue("us13 3000 0001", keys=("us1330000001",), role=ADDRESS)
        ArgumentValue("inv-17", keys=("inv-17",))

    The first two are `recognised_values`. The groups `US13`, `3000` and `0001` are words, too.
    """
    values = [value for value in recognised_values if value.kind not in _WORD_KINDS]
    for value in values:
        if with_dates or value.kind is not Kind.DATE:
            yield as_part(value)

    # The `15` of the date is not a part of its own, so these values are blanked out.
    remaining_text = _without(values, text)
    for key, account in grouped_accounts(fold(remaining_text)).items():
        yield ArgumentValue(account, keys=(key,), role=ValueRole.ADDRESS)
    for word in identifying_words(remaining_text):
        yield value_of_word(word)


def _without(values: Iterable[WrittenValue], text: str) -> str:
    """Return a text with blanks in the place of some of its values: `ask a@b.org` -> `ask        `."""
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    return "".join(chars)
