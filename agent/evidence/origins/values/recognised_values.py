"""Recognises the values in a text that have a form of their own, such as dates and URLs.

The argument `Pay by 15 May 2026` has a date. It is read by `gates/values`, and looked up by
its keys, the forms that all spellings of the date share:

    recognised_values("Pay by 15 May 2026")    -> [date]
    as_part(date)    -> ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"), role=DETAIL)

The second key has no year. A text that says only `15 May` has it.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.short_telephones import (
    is_short_telephone,
    keys_as_written,
)
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

_ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS: Final = (*_ADDRESS_KINDS, Kind.DATE, Kind.TIME, Kind.NUMBER, Kind.ID)


def recognised_values(text: str) -> list[WrittenValue]:
    """Return the values of a text in their order: `7 on 15 May 2026` -> `7`, `15 May 2026`."""
    return written_values(text, kinds=_KINDS, max_values=bounds.MOST_TRACED_VALUES)


def as_whole(value: WrittenValue) -> ArgumentValue:
    """Return a recognised value that is a whole argument: `date="15 May 2026"`."""
    return _argument_value(value, ValueRole.WHOLE)


def as_part(value: WrittenValue) -> ArgumentValue:
    """Return a recognised value that is a part of a longer text: `bob@pay.org` in a mail."""
    # A short telephone, such as `0012345`, may also be an id, which reaches nobody.
    is_address = value.kind in _ADDRESS_KINDS and not is_short_telephone(value)
    return _argument_value(value, ValueRole.ADDRESS if is_address else ValueRole.DETAIL)


def _argument_value(value: WrittenValue, role: ValueRole) -> ArgumentValue:
    """Return a recognised value with its keys, and with its parts if it is a URL."""
    keys = keys_of_value(value)
    if is_short_telephone(value):
        # As an id, it is found in texts as it is written, and not only by its digits.
        is_whole = role is ValueRole.WHOLE
        keys += keys_as_written(value.text, is_whole_argument=is_whole)
    parts = parts_of_url(value) if value.kind is Kind.URL else ()
    return ArgumentValue(value.text, keys=keys, parts=parts, role=role)
