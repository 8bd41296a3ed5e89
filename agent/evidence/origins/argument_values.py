"""Splits the arguments of a call into values to look up in the texts that a trial has read.

An argument is looked up as a whole. If no text contains it, its parts are looked up.
For example, the URL `https://pay.org/form?iban=US1330000001` has the parts `pay.org`,
its host, and `US1330000001`. A value is looked up by *keys*, which all its spellings
share: `1,250.00` has the key `1250` (see `value_keys.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.value_keys import (
    KINDS_WITH_SPELLINGS,
    MIN_IDENTIFYING_CHARS,
    account_keys,
    grouped_numbers,
    host_of,
    keys_of_value,
)
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.agent.evidence.texts.words import (
    fold,
    has_digit,
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
"""The longest text that is looked up as a whole,
in words. docs/provenance.md has the measurements."""
MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""
ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""


_KINDS: Final = (*KINDS_WITH_SPELLINGS, Kind.URL, Kind.MAIL, Kind.IBAN)
"""Kinds of values that are recognised in arguments."""
_KINDS_OF_WORDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
"""Kinds of values that are looked up like other words within a longer text."""


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, looked up as a whole or, if no text contains it, by its parts."""

    text: str
    """The value as it is written."""
    keys: tuple[str, ...] = ()
    """`("1250",)` for `1,250.00`. A text that has one of them contains the value.
    A value of several words has no keys, unless it may be an account in groups."""
    phrase: str = ""
    """` ann miller ` for `Ann Miller`: the words of a value of several
    words. A text that has them in a row contains the value."""
    parts: tuple[ArgumentValue, ...] = ()
    """Looked up if no text contains the whole value: the host of a URL, words with digits."""
    is_whole: bool = False
    """True for an argument, or an item of one. False for a part of a longer text."""
    is_address: bool = False
    """True if the value says whom, or what, a call reaches:
    an account, a mail address, a URL, a telephone."""

    @property
    def key(self) -> str:
        """The first key, or else the phrase. Empty for a long text: its parts are looked up."""
        return self.keys[0] if self.keys else self.phrase

    def with_parts(self) -> Iterator[ArgumentValue]:
        """Yield the value, its parts, and their parts."""
        yield self
        for part in self.parts:
            yield from part.with_parts()


@dataclass(frozen=True, slots=True)
class ValueKeys:
    """The keys and phrases of some values, to recognise these values elsewhere."""

    keys: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()

    def has(self, value: ArgumentValue) -> bool:
        """Return True if a value is one of these."""
        if value.phrase and value.phrase in self.phrases:
            return True
        return not self.keys.isdisjoint(value.keys)


NO_VALUES: Final = ValueKeys()


def keys_of_arguments(arguments: Iterable[Plain]) -> ValueKeys:
    """Return the keys and phrases of all values in some arguments, and of their parts."""
    keys = set[str]()
    phrases: dict[str, None] = {}  # in their order, each once
    for argument in arguments:
        for whole_value in argument_values(argument):
            for value in whole_value.with_parts():
                keys.update(value.keys)
                if value.phrase:
                    phrases[value.phrase] = None
    return ValueKeys(frozenset(keys), tuple(phrases))


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument that identify something, one for each item and name in it.

    An encoded text, such as base64 or the escapes of a URL, is also yielded decoded.
    """
    # The leaves are the texts, numbers and names in lists and mappings. The forms of a
    # text are the text itself and its decoded versions.
    for text in leaves_of(argument):
        for form in forms_of(text):
            value = _value_of(form.strip())
            if value is not None:
                yield value


def _value_of(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value to look up.

    Return None if nothing in the text identifies something, as in `restart`.
    """
    words = words_of(text)
    known_values = written_values(
        text, kinds=_KINDS, max_values=bounds.MOST_TRACED_VALUES
    )
    is_short = 0 < len(words) <= MAX_PHRASE_WORDS and "\n" not in text
    if is_short and _identifies_something(text):
        return _whole_value(text, words, known_values)
    # A script writes a long text itself, but may put values from elsewhere into it.
    parts = tuple(_parts_of(text, known_values, has_dates=is_short))
    return ArgumentValue(text, parts=parts) if parts else None


def _whole_value(
    text: str, words: Sequence[str], known_values: Iterable[WrittenValue]
) -> ArgumentValue:
    """Return a short text as a value, with the keys or the phrase to look it up by.

    `known_values` are the values of known kinds in it, such as dates.
    """
    # 1. The whole text is one value of a known kind, such as a date. It has keys and no
    # phrase. An id is looked up as a word (2).
    for value in known_values:
        if value.text.strip() == text and value.kind is not Kind.ID:
            keys = keys_of_value(value)
            return ArgumentValue(text, keys, "", _parts_of_url(value), is_whole=True)

    # 2. It is one word, which is its key, or several, which are its phrase. They may also
    # be an account that is written in groups: `US13 3000 0001`.
    parts = tuple(_parts_of(text, known_values, has_dates=True))
    account = tuple(account_keys(text)) if has_digit(text) else ()
    if len(words) == 1:
        return ArgumentValue(text, (words[0], *account), "", parts, is_whole=True)
    return ArgumentValue(text, account, phrase_of(text), parts, is_whole=True)


def _identifies_something(text: str) -> bool:
    """Return True if a short text identifies something, so that looking it up makes sense.

    This is true for a number, and for a text of three or more characters. It is false
    for a single word in small letters, such as `restart`.
    """
    if text.isalpha() and text.islower() and text.isascii():
        return False
    if text.isdigit():
        return True
    return len(text) >= MIN_IDENTIFYING_CHARS and any(char.isalnum() for char in text)


def _parts_of(
    text: str, known_values: Iterable[WrittenValue], *, has_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the values in a text. `known_values` are those of known kinds, such as URLs.

    Dates are left out without `has_dates`: in a longer text, a date does not decide
    whom the call reaches.
    """
    # 1. Values of known kinds. Numbers, times and ids are looked up as words (3).
    values_of_kinds = [
        value for value in known_values if value.kind not in _KINDS_OF_WORDS
    ]
    for value in values_of_kinds:
        if has_dates or value.kind is not Kind.DATE:
            yield _part_of_kind(value)
    remaining_text = _without(values_of_kinds, text)

    # 2. Accounts and telephones that are written in groups.
    for groups in grouped_numbers(fold(remaining_text)):
        for key in account_keys(groups):
            yield ArgumentValue(groups, (key,), is_address=True)

    # 3. Other words.
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
    is_address = value.kind in ADDRESS_KINDS
    parts = _parts_of_url(value)
    keys = keys_of_value(value)
    return ArgumentValue(value.text, keys, parts=parts, is_address=is_address)


def _parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
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
