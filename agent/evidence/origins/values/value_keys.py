"""Returns the keys of a value that was read in a text: what all its spellings share (`keys.py`).

A mail says `26 June 2026`. The main key of this date is `2026-06-26`, by which the argument
`2026-06-26` of a call is found in the mail. Another key of it, `--06-26`, is that of `June 26`.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.account_key import account_key
from controlplane.agent.evidence.origins.values.url_keys import key_of_url
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def main_key_of(value: WrittenValue) -> str:
    """Return the main key of a value, made of the usual form in which it was read (`canonical`).

    | value | `canonical` | main key |
    |---|---|---|
    | `https://www.pay.org/form` | `www.pay.org/form` | `pay.org/form` |
    | `Em.ma@site.com` | `em.ma@site.com` | `emma@site.com` |
    | `+49 30 123-4567` | `+49301234567` | `49301234567` |
    | `26 June 2026` | `2026-06-26` | `2026-06-26` |
    | `1,250.00` | `1250` | `1250` |
    """
    match value.kind:
        case Kind.URL:
            return key_of_url(value.canonical)
        case Kind.MAIL:
            return mailbox_of(value.canonical)
        case Kind.IBAN | Kind.TELEPHONE:
            return account_key(value.canonical)
    return value.canonical


def other_keys_of(value: WrittenValue) -> tuple[str, ...]:
    """Return the other keys of a value. A text with one of them has the value as well.

    | value | other keys |
    |---|---|
    | `1.199`, which may be 1199 | `1.199` |
    | `26 June 2026` | `--06-26`, of the day in any year |
    | `03/04/2026`, which may be in April or March | `--04-03`, `2026-03-04`, `--03-04` |
    """
    if value.kind is Kind.DATE:
        keys = [_without_year(value.canonical)]
        if value.other_canonical:
            keys += [value.other_canonical, _without_year(value.other_canonical)]
        return tuple(keys)
    if value.other_canonical:
        return (value.other_canonical,)
    return ()


def _without_year(date: str) -> str:
    """Return a date without its year: `2026-06-26` and `--06-26` -> `--06-26`."""
    _year, month, day = date.rsplit("-", 2)
    return f"--{month}-{day}"
