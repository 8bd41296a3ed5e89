"""Recognises the values in a text that have a form of their own, such as dates and URLs.

The argument `Pay by 15 May 2026` has a date. It is read by `gates/values`, and looked up by
the key that all spellings of the date share, `2026-05-15`.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import (
    main_key_of,
    other_keys_of,
)
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
    is_address = value.kind in _ADDRESS_KINDS
    return _argument_value(value, ValueRole.ADDRESS if is_address else ValueRole.DETAIL)


def _argument_value(value: WrittenValue, role: ValueRole) -> ArgumentValue:
    """Return a recognised value with its keys, and with its parts if it is a URL."""
    main_key = main_key_of(value)
    is_url = value.kind is Kind.URL
    return ArgumentValue(
        text=value.text,
        main_key=main_key,
        other_keys=other_keys_of(value),
        parts=parts_of_url(value.text, main_key) if is_url else (),
        role=role,
    )
