"""Returns the keys of a value that was read in a text: what all its spellings share (`keys.py`).

Values are read by `gates/values`, which knows their kinds: a date, an account, a URL. A mail
says `26 June 2026`. By the keys of this date, the argument `2026-06-26` of a call is found in
the mail, and so is `June 26`, without the year.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.url_keys import key_of_url
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

NUMERIC_KINDS: Final = (
    Kind.NUMBER,
    Kind.DATE,
    Kind.TIME,
    Kind.TELEPHONE,
    Kind.IBAN,
    Kind.ID,
)
"""Kinds of values with digits. Their spellings may have no word in common, `15 May 2026` and
`2026-05-15`, so texts are searched for them, and not only for their words."""


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value. A text has the value if it has one of them.

    | value | keys |
    |---|---|
    | `https://www.pay.org/form` | `pay.org/form` |
    | `Emma@Site.com` | `emma@site.com` |
    | `GB33 BUKB 2020 1555 5555 55`, `+49 30 123-4567` | `gb33bukb2020...`, `49301234567` |
    | `26 June 2026` | `2026-06-26`, `--06-26` |
    | `1,250.00`, `17:10` | `1250`, `17:10` |
    | `1.199`, which can be read in two ways | `1199`, `1.199` |
    """
    match value.kind:
        case Kind.URL:
            return (key_of_url(value.canonical),)
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return account_keys(value.canonical)
    readings: tuple[str, ...] = (value.canonical,)
    if value.other_canonical:
        readings = (value.canonical, value.other_canonical)
    if value.kind is Kind.DATE:
        return _keys_of_dates(readings)
    return readings


def _keys_of_dates(dates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of a date in all its readings, with and without the year.

    A text may have the date without the year: the key of `June 26` is `--06-26` alone. An
    argument with a year, `2026-06-26`, is found there by its second key.
    """
    keys: list[str] = []
    for date in dates:
        keys.append(date)
        # A date without a year begins with `--`, so the text before its first `-` is empty.
        year, _, month_and_day = date.partition("-")
        if year and month_and_day:
            keys.append(f"--{month_and_day}")
    return tuple(keys)
