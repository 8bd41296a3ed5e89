"""Returns the keys of a date, a number or an address: the forms that all its spellings share.

A mail says `26 June 2026`, and a call has `date="2026-06-26"`. Both have the key `2026-06-26`, so
the date of the call is found in the mail. `gates/values` reads what is written, and its
`canonical` form is nearly the key:

| written | `canonical` | keys |
|---|---|---|
| `https://www.pay.org/Form` | `www.pay.org/Form` | `pay.org/form` |
| `Em.ma@site.com` | `em.ma@site.com` | `emma@site.com` |
| `+49 30 123-4567` | `+49301234567` | `49301234567` |
| `26 June 2026` | `2026-06-26` | `2026-06-26`, and `--06-26` for texts without the year |
| `1,250.00` | `1250` | `1250` |
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.account_key import account_key
from controlplane.agent.evidence.origins.values.url_keys import key_of_url
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value that was read in a text, first the one that is most likely.

    An ambiguous value has those of both readings: `1.199` is `1199` or `1.199`.
    """
    match value.kind:
        case Kind.URL:
            url_key = key_of_url(value.canonical)
            return (url_key,) if url_key else ()  # `https:///` has none.
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return (account_key(value.canonical),)
        case Kind.DATE:
            return _keys_of_date(value.canonical, value.other_canonical)
    if value.other_canonical:
        return (value.canonical, value.other_canonical)
    return (value.canonical,)


def _keys_of_date(date: str, other_date: str) -> tuple[str, ...]:
    """Return the keys of a date, or of both dates that an ambiguous one may be.

    `2026-04-03`, `2026-03-04` (from `03/04/2026`)
    -> `2026-04-03`, `--04-03`, `2026-03-04`, `--03-04`
    """
    if not other_date:
        return (date, _without_year(date))
    return (date, _without_year(date), other_date, _without_year(other_date))


def _without_year(date: str) -> str:
    """Return a date without its year: `2026-06-26` and `--06-26` -> `--06-26`."""
    _year, month, day = date.rsplit("-", 2)
    return f"--{month}-{day}"
