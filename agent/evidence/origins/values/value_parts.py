"""Finds the parts of a text that identify something, such as the ids and addresses in it.

The URL `https://pay.org/form?iban=US1330000001` has the parts `pay.org`, its host, and
`US1330000001`. The key of a part is its normal form, by which it is found in other texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import (
    account_keys,
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.value_keys import (
    MIN_IDENTIFYING_CHARS,
    host_of,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import (
    fold,
    letters_and_digits,
    unify,
    written_words,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""
ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS_OF_WORDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
"""Kinds of values that are looked up like other words within a longer text."""


def parts_of(
    text: str, known_values: Iterable[WrittenValue], *, includes_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the values in a text: URLs and the like, then accounts, then other words.

    `known_values` are those of known kinds, such as URLs. Choose `includes_dates` for a
    short text. In a longer text, a date does not decide whom the call reaches.
    """
    # Numbers, times and ids are left to `_identifying_words`.
    values = [value for value in known_values if value.kind not in _KINDS_OF_WORDS]
    for value in values:
        if includes_dates or value.kind is not Kind.DATE:
            yield _part_of_kind(value)

    remaining_text = _without(values, text)
    yield from _grouped_accounts(remaining_text)
    yield from _identifying_words(remaining_text)


def _grouped_accounts(text: str) -> Iterator[ArgumentValue]:
    """Yield the accounts and telephones that are written in groups: `US13 3000 0001`."""
    for number in grouped_numbers(fold(text)):  # in lower case
        for key in account_keys(number):
            yield ArgumentValue(number, (key,), is_address=True)


def _identifying_words(text: str) -> Iterator[ArgumentValue]:
    """Yield the words of a text that identify something, such as `inv-17`."""
    for word in written_words(unify(text)):  # as written, in upper and lower case
        if _is_identifying_word(word):
            yield _part_of_word(word)


def _without(values: Iterable[WrittenValue], text: str) -> str:
    """Return a text with blanks in place of some of its values."""
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    return "".join(chars)


def _part_of_kind(value: WrittenValue) -> ArgumentValue:
    """Return a value of a known kind, such as a mail address, within a longer text."""
    is_address = value.kind in ADDRESS_KINDS
    parts = parts_of_url(value)
    keys = keys_of_value(value)
    return ArgumentValue(value.text, keys, parts=parts, is_address=is_address)


def parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the parts of a URL: its host and identifying words. Other values have no parts."""
    if value.kind is not Kind.URL:
        return ()
    host = host_of(value.canonical)
    parts = [ArgumentValue(host, (host,), is_address=True)]
    for word in written_words(value.text.partition("://")[2]):
        if fold(word) != host and _is_identifying_word(word):
            parts.append(_part_of_word(word))
    return tuple(parts)


def _is_identifying_word(word: str) -> bool:
    """Return True if a word of a longer text identifies something.

    This is true for `inv-17`, `ann_b` and `1250`, since ids, addresses, dates and
    amounts have digits or marks. It is false for `well-known`, since plain words have
    hyphens and apostrophes, too.
    """
    # Longer texts have many words of three characters by chance, so these count only as
    # a whole argument.
    if len(word) <= MIN_IDENTIFYING_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()


def _part_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value: `inv-2026017`, with the part `2026017`."""
    folded = fold(word).removesuffix("'s")
    keys = [folded]
    # A word that is a number or an id also has the keys of its other spellings.
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        if value.text == word:
            keys.extend(keys_of_value(value))

    # Parts with digits, such as `2026017`. Words and short parts are in many texts.
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_word = part == folded or part.isalpha()
        if not is_word and len(part) >= MIN_PART_CHARS:
            parts.append(ArgumentValue(part, (part,)))

    is_address = _is_account(folded)
    different_keys = tuple(dict.fromkeys(keys))
    return ArgumentValue(word, different_keys, "", tuple(parts), is_address=is_address)


def _is_account(word: str) -> bool:
    """Return True if a word may be an account: letters and digits, most of them digits."""
    digit_count = sum(char.isdigit() for char in word)
    has_mostly_digits = digit_count > len(word) / 2
    return bool(account_keys(word)) and has_mostly_digits
