"""Returns the keys of a value, which all its spellings share.

A mail may say `GB33 BUKB 2020 1555 5555 55` where a call has `GB33BUKB20201555555555`. A text
is indexed by the keys of the values in it, and a value of a call is found by its own:

| spellings | key |
|---|---|
| `GB33 BUKB 2020 1555 5555 55`, `gb33bukb20201555555555` | `gb33bukb20201555555555` |
| `Emma@Site.com`, `emma@site.com` | `emma@site.com` |
| `1,250.00`, `1250` | `1250` |
| `15 May 2026`, `2026-05-15` | `2026-05-15` |
| `https://www.pay.org/form`, `pay.org/form` | `pay.org/form` |
| `Ann Miller`, `ann miller` | ` ann miller ` (a phrase) |

A *phrase* is the key of several words. An index of all phrases in a text would be too large,
so a phrase is searched in the words of the text.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MIN_IDENTIFYING_CHARS: Final = 3
"""The shortest text that identifies something, in characters. Shorter texts occur everywhere."""
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


def is_phrase(key: str) -> bool:
    """Return True for the key of several words: ` ann miller `.

    The blanks at its ends keep it from being found within longer words: `Joann Millers`.
    """
    return key.startswith(" ")


def is_small_number(word: str) -> bool:
    """Return True for a number of one or two digits, which most texts contain by chance."""
    return len(word) < MIN_IDENTIFYING_CHARS and word.isdigit()


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value that was read in a text. A text has it if it has one of them.

    | value | keys |
    |---|---|
    | `https://www.pay.org/form` | `pay.org/form` |
    | `Emma@Site.com` | `emma@site.com` |
    | `GB33 BUKB 2020 1555 5555 55`, `+49 30 123-4567` | `gb33bukb2020...`, `49301234567` |
    | `26 June 2026` | `2026-06-26`, `--06-26` |
    | `1,250.00`, `17:10` | `1250`, `17:10` |
    """
    match value.kind:
        case Kind.URL:
            return (_without_www(value.canonical),)
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return account_keys(value.canonical)
        case Kind.DATE:
            return _keys_of_date(value)
        case _:
            return _canonical_forms(value)


def _canonical_forms(value: WrittenValue) -> tuple[str, ...]:
    """Return the form that all spellings of a value share. Some can be read in two ways.

    `1,250.00` -> `1250`; `1.199` -> `1199`, `1.199`; `03/04/2026` -> `2026-04-03`, `2026-03-04`
    """
    if value.other_canonical:
        return value.canonical, value.other_canonical
    return (value.canonical,)


def _keys_of_date(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a date, with and without its year: `2026-06-26`, `--06-26`.

    A text may have the date without the year: the key of `June 26` is `--06-26` alone. An
    argument with a year is found there by its second key.
    """
    keys: list[str] = []
    for date in _canonical_forms(value):
        keys.append(date)
        # A date without a year begins with `--`, so the text before its first `-` is empty.
        year, _, month_and_day = date.partition("-")
        if year and month_and_day:
            keys.append(f"--{month_and_day}")
    return tuple(keys)


def host_of(url: str) -> str:
    """Return the key of the host of a canonical URL: `www.pay.org/form?x=1` -> `pay.org`."""
    host = _without_www(url).partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


def _without_www(url: str) -> str:
    """Return a canonical URL without its `www.`, since most hosts answer to both names."""
    return url.removeprefix("www.").casefold()
