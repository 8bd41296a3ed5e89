"""Splits the arguments of a call into values to look up in the texts that a trial has
read.

An argument is looked up as a whole. If no text contains it, its parts are looked up.
For example, the URL `https://pay.org/form?iban=US1330000001` has the parts `pay.org`,
its host, and `US1330000001`. A value is looked up by *keys*, which all its spellings
share: `1,250.00` has the key `1250` (see `value_keys.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.call_text import leaves_of
from controlplane.agent.evidence.text_forms import forms_of
from controlplane.agent.evidence.value_keys import (
    KINDS_WITH_SPELLINGS,
    MIN_IDENTIFYING_CHARS,
    account_keys,
    fold,
    grouped_numbers,
    has_digit,
    host_of,
    keys_of_value,
    letters_and_digits,
    phrase_of,
    unify,
    words_of,
    written_words,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import Plain, bounds

MAX_PHRASE_WORDS: Final = 8
"""The longest text that is looked up as a whole, in words. docs/provenance.md has the
measurements."""
MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters. A shorter part
may be a year, which many texts contain: `2026` in `inv-2026`."""
ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, looked up as a whole or, if no text contains it, by its
    parts."""

    text: str
    """The value as it is written."""
    keys: tuple[str, ...] = ()
    """The keys of the whole value. A text that has one of them contains the value."""
    phrase: str = ""
    """The words of a value of several words: ` ann miller `. A text that has these
    words in a row contains the value."""
    parts: tuple[ArgumentValue, ...] = ()
    """What is looked up if no text contains the whole value: the host of a URL, words
    with digits."""
    is_whole: bool = False
    """True for an argument, or an item of one. False for a part of a longer text."""
    is_address: bool = False
    """True if the value says whom, or what, a call reaches: an account, a mail address,
    a URL, a telephone."""


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument that identify something, one for each item and
    name in it.

    An encoded text, such as base64, hexadecimal or the escapes of a URL, is also
    yielded decoded.
    """
    for text in leaves_of(argument):
        for form in forms_of(text):
            value = _value_of(form.strip())
            if value is not None:
                yield value


def _value_of(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value; None if nothing in it identifies
    something."""
    words = words_of(text)
    is_short = 0 < len(words) <= MAX_PHRASE_WORDS and "\n" not in text
    kinds = (*KINDS_WITH_SPELLINGS, Kind.URL, Kind.MAIL, Kind.IBAN)
    inner_values = written_values(
        text, kinds=kinds, max_values=bounds.MOST_TRACED_VALUES
    )

    # 1. The text is one value of a known kind, such as a date or a URL.
    looks_up_whole = is_short and _identifies_something(text)
    if looks_up_whole:
        for inner_value in inner_values:
            # Words with digits also count as ids. They are looked up like other words.
            is_known_kind = inner_value.kind is not Kind.ID
            if inner_value.text.strip() == text and is_known_kind:
                keys = keys_of_value(inner_value)
                return ArgumentValue(
                    text, keys, parts=_parts_of_url(inner_value), is_whole=True
                )

    # 2. A long text is written by the script, but it may have values from elsewhere. So only its
    # parts are looked up.
    parts = tuple(_parts_of(text, inner_values, has_dates=is_short))
    if not looks_up_whole:
        return ArgumentValue(text, parts=parts) if parts else None

    # 3. One word, or a few words. They may also be an account that is written in groups.
    account = tuple(account_keys(text)) if has_digit(text) else ()
    if len(words) == 1:
        return ArgumentValue(text, (words[0], *account), parts=parts, is_whole=True)
    return ArgumentValue(text, account, phrase_of(text), parts=parts, is_whole=True)


def _identifies_something(text: str) -> bool:
    """Return True if a short text identifies something.

    This is true for a number, and for a text of three or more characters. It is false
    for a single word in small letters, such as `restart`.
    """
    if text.isalpha() and text.islower() and text.isascii():
        return False
    if text.isdigit():
        return True
    return len(text) >= MIN_IDENTIFYING_CHARS and any(char.isalnum() for char in text)


def _parts_of(
    text: str, inner_values: Iterable[WrittenValue], *, has_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the values within a text: values of a known kind, numbers in groups, other
    words.

    `inner_values` are the values of known kinds in the text. Dates are left out without
    `has_dates`: in a longer text, a date does not decide whom the call reaches.
    """
    # 1. Values of a known kind. Numbers, times and ids are not among them: their words are yielded
    # in step 3, if they are long enough to identify something.
    kinds_of_words = (Kind.NUMBER, Kind.TIME, Kind.ID)
    inner_values = [value for value in inner_values if value.kind not in kinds_of_words]
    for value in inner_values:
        if has_dates or value.kind is not Kind.DATE:
            yield _part_of_kind(value)
    remaining_text = _without(inner_values, text)

    # 2. Accounts and telephones that are written in groups. They have no upper case.
    for groups in grouped_numbers(fold(remaining_text)):
        for key in account_keys(groups):
            yield ArgumentValue(groups, (key,), is_address=True)

    # 3. Other words, as they are written.
    for word in written_words(unify(remaining_text)):
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
    return ArgumentValue(
        value.text,
        keys_of_value(value),
        parts=_parts_of_url(value),
        is_address=value.kind in ADDRESS_KINDS,
    )


def _parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the parts of a URL: its host and identifying words. Other values have no
    parts."""
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
    # A word within a longer text must be longer than a value of its own.
    if len(word) <= MIN_IDENTIFYING_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()


def _part_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value, with its parts that have digits.

    `inv-2026017` has the part `2026017`.
    """
    # 1. The keys: the word itself, and its meaning if it is a number.
    folded = fold(word).removesuffix("'s")
    keys = [folded]
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        if value.text == word:
            keys.extend(keys_of_value(value))
    different_keys = tuple(dict.fromkeys(keys))

    # 2. The parts. A word that is not compound has none.
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_whole_word = part == folded
        if not is_whole_word and len(part) >= MIN_PART_CHARS and not part.isalpha():
            parts.append(ArgumentValue(part, (part,)))
    return ArgumentValue(
        word, different_keys, parts=tuple(parts), is_address=_is_account(folded)
    )


def _is_account(word: str) -> bool:
    """Return True if a word may be an account: letters and digits, most of them
    digits."""
    digit_count = sum(char.isdigit() for char in word)
    has_mostly_digits = digit_count > len(word) / 2
    return bool(account_keys(word)) and has_mostly_digits
