"""Returns the keys of all values in a text, by which they are found in it.

`Pay inv-17 by 15 May 2026.` has the keys `inv-17` and `2026-05-15`, for example
(`value_keys.py` has the keys of each kind of value).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import re2

from controlplane.agent.evidence.origins.values.account_keys import (
    account_keys,
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    KINDS_WITH_SPELLINGS,
    MIN_IDENTIFYING_CHARS,
    host_of,
    is_small_number,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import (
    fold,
    has_digit,
    parts_of_word,
    written_words,
)
from controlplane.gates.submission import encodable
from controlplane.gates.values.addresses.web_addresses import mailbox_of
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values


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
