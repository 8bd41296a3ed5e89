"""Returns keys by which a value of an argument is found in a text, in any spelling.

All spellings of a value share a key. A text is indexed by the keys of its values:

| spelling | key |
|---|---|
| `Emma@Site.com` | `emma@site.com` |
| `1,250.00` | `1250` |
| `15 May 2026` | `2026-05-15` |
| `US13 3000 0001 2121`, `us13-3000-0001-2121` | `us13300000012121` |
| `https://www.pay.org/form?x=1` | `pay.org/form?x=1`, and its host `pay.org` |

A value of several words, such as `Ann Miller`, has no key. It is compared as a phrase:
` ann miller `.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import re2

from controlplane.agent.evidence.texts.words import (
    fold,
    has_digit,
    letters_and_digits,
    parts_of_word,
    written_words,
)
from controlplane.gates.submission import encodable
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

MIN_IDENTIFYING_CHARS: Final = 3
"""The shortest text that identifies something, in characters. Shorter texts occur everywhere."""


def is_small_number(word: str) -> bool:
    """Return True for a number of one or two digits, which most texts contain by chance."""
    return len(word) < MIN_IDENTIFYING_CHARS and word.isdigit()


# --- Keys of words ---


def word_keys(text: str) -> set[str]:
    """Return the keys of a text that do not depend on the meaning of its numbers.

    These are the keys of its words, accounts and URLs. Small numbers have no key here.
    """
    folded = fold(text)
    keys = set[str]()
    for word in set(written_words(folded)):
        if not is_small_number(word):
            keys.add(word.removesuffix("'s"))
            if not word.isalnum():
                keys.update(_keys_in_compound(word))
    for groups in grouped_numbers(folded):
        keys |= account_keys(groups)
    keys.update(_url_keys(text))
    return keys


def _keys_in_compound(word: str) -> Iterator[str]:
    """Yield the mailbox in a word, and its parts with digits: `2026` in `inv-2026`."""
    if "@" in word:
        yield mailbox_of(word)
    for part in parts_of_word(word):
        if not part.isalpha() and len(part) >= MIN_IDENTIFYING_CHARS:
            yield part


def _url_keys(text: str) -> Iterator[str]:
    """Yield the URLs in a text, and their hosts."""
    for chunk in text.split():
        if "://" in chunk or "www." in chunk.casefold():
            for url in written_values(chunk, kinds=(Kind.URL,)):
                yield from keys_of_value(url)
                yield host_of(url.canonical)


# --- Keys of accounts ---


_GROUP: Final = r"\pN[\pL\pN]*"
"""`3000`"""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_GROUP}"
"""`030`, or `US13` with a country's two letters"""
_SEPARATOR: Final = r"[-. /]{1,2}"
"""One or two signs between groups: `-`, ` /`"""
_FURTHER_GROUP: Final = rf"{_SEPARATOR}\(?\pL{{0,4}}{_GROUP}\)?"
"""` 3000`, `/BANK5` with a bank's letters, or ` (030)` in brackets"""
_GROUPED_NUMBER: Final = re2.compile(rf"{_FIRST_GROUP}(?:{_FURTHER_GROUP})+")
"""An account or a telephone that is written in groups: `US13 3000 0001`, `030/123-4567`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account or a telephone number has. The longest IBAN has 34."""


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the numbers in a text that are written in groups, such as `us13 3000 0001`."""
    return list(_GROUPED_NUMBER.findall(encodable(folded_text)))


def account_keys(groups: str) -> set[str]:
    """Return the key of an account or a telephone: `+49 30 123-4567` -> `49301234567`.

    The key has the letters and digits, without the zeros of a dialling prefix such as
    `0049`. Returns an empty set if there are too few or too many of them.
    """
    joined = "".join(letters_and_digits(groups.casefold()))
    joined = joined.removeprefix("00")
    if MIN_ACCOUNT_CHARS <= len(joined) <= MAX_ACCOUNT_CHARS:
        return {joined}
    return set()


# --- Keys of numbers, dates and telephones ---


KINDS_WITH_SPELLINGS: Final = (
    Kind.NUMBER,
    Kind.DATE,
    Kind.TIME,
    Kind.TELEPHONE,
    Kind.ID,
)
"""Kinds of values that have spellings without a common word: `15 May 2026` and `2026-05-15`."""


def spelling_keys(text: str, *, is_prose: bool, is_field: bool) -> set[str]:
    """Return the keys of the numbers, dates and telephones in a text, by their meaning.

    Most texts contain a number of one or two digits by chance. It is left out
    - in running text (`is_prose`), if it is a part of something: "June 26", "3/5",
      "40%", "Position 1", or the number of a list's item;
    - in a field of data (`is_field`). If it is the whole field, `KnownText` adds it.
    """
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        starts_in_names = _starts_in_names(line) if is_prose else set[int]()
        for value in written_values(
            line, kinds=KINDS_WITH_SPELLINGS, max_values=len(line)
        ):
            if value.kind is Kind.NUMBER and is_small_number(value.canonical):
                # A part of a measure, such as `40%`, or of a name, such as `Line 5`.
                is_part = value.unit or value.start in starts_in_names
                if is_field or (is_prose and is_part):
                    continue
            keys.update(keys_of_value(value))
    return keys


_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of a list's item: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line."""
_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number: `Position 1`, `Line 5`."""


def _starts_in_names(line: str) -> set[int]:
    """Return the offsets of numbers in a line that are part of a name or number a list's item."""
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAME_WITH_NUMBER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts


# --- Keys of a value ---


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value in a text. Two spellings of one value share a key.

    They also have the same `canonical` form: `2026-05-15` for `15 May 2026`.
    """
    match value.kind:
        case Kind.URL:
            return (_without_www(value.canonical),)
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return tuple(account_keys(value.canonical))
        case Kind.DATE:
            year, _, month_and_day = value.canonical.partition("-")
            if year and month_and_day:
                # A text may have the date without the year: `June 26` has the key
                # `--06-26`. The second key lets an argument with a year match it.
                return value.canonical, f"--{month_and_day}"
            return (value.canonical,)
        case _:
            # The second is another reading: `1.199` may be 1199 or 1.199.
            return tuple(key for key in (value.canonical, value.other_canonical) if key)


def host_of(url: str) -> str:
    """Return the key of the host of a canonical URL: `www.pay.org/form?x=1` -> `pay.org`."""
    host = _without_www(url).partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


def _without_www(url: str) -> str:
    """Return a canonical URL without its `www.`, since most hosts answer to both names."""
    return url.removeprefix("www.").casefold()


MIN_HALF_CHARS: Final = 4
"""The shortest half that `halves_of` yields, in characters. Shorter texts occur everywhere."""
MAX_HALVED_CHARS: Final = 100
"""The longest key whose halves are looked up, in characters. Each way to cut it costs a look-up."""


def halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield each way to cut a key into two halves: `us13330001` -> (`us13`, `330001`) and so on.

    A script may have joined the value from two halves.
    """
    if len(key) > MAX_HALVED_CHARS or not key.isalnum():
        return
    last_cut = len(key) - MIN_HALF_CHARS
    for cut in range(MIN_HALF_CHARS, last_cut + 1):
        yield key[:cut], key[cut:]
