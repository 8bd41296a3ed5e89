"""Recognises the values in a text that have a form of their own, such as dates and URLs.

The argument `Pay by 15 May 2026` has a date. It is read by `gates/values`, and looked up by
its keys, the forms that all spellings of the date share:

    recognised_values("Pay by 15 May 2026")    -> [date]
    as_part(date)    -> ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"), role=DETAIL)
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.account_key import (
    MIN_ACCOUNT_CHARS,
    account_key,
)
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.url_parts import parts_of_url
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.words import phrase_of, words_of
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
    is_address = value.kind in _ADDRESS_KINDS and not _may_be_id(value)
    return _argument_value(value, ValueRole.ADDRESS if is_address else ValueRole.DETAIL)


def _argument_value(value: WrittenValue, role: ValueRole) -> ArgumentValue:
    """Return a recognised value with its keys, and with its parts if it is a URL."""
    keys = keys_of_value(value)
    if _may_be_id(value):
        keys += _keys_as_written(value.text, role)
    parts = parts_of_url(value) if value.kind is Kind.URL else ()
    return ArgumentValue(value.text, keys=keys, parts=parts, role=role)


def _may_be_id(value: WrittenValue) -> bool:
    """Return True for a short telephone, which may also be an order, `0012345`, or `012-3456`."""
    is_telephone = value.kind is Kind.TELEPHONE
    return is_telephone and len(account_key(value.canonical)) < MIN_ACCOUNT_CHARS


def _keys_as_written(text: str, role: ValueRole) -> tuple[str, ...]:
    """Return the key of a short telephone as a word, `0012345`, or as a phrase, ` 030 1234 `.

    Behind a mark, as in `order ID-0012345` or in the line `Ann,030 1234,Berlin`, these digits do
    not look like a telephone. So they are found there only by this key.
    """
    words = words_of(text)
    if len(words) == 1:
        return (words[0],)
    if role is ValueRole.WHOLE:
        return (phrase_of(text),)
    return ()  # A long text may have thousands, and the search for each phrase is slow.
