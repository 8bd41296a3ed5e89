"""Splits the arguments of a call into values to look up in the texts that a trial has read.

An argument is looked up as a whole. If no text contains it, its parts are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueKeys,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    KINDS_WITH_SPELLINGS,
    MIN_IDENTIFYING_CHARS,
    keys_of_value,
)
from controlplane.agent.evidence.origins.values.value_parts import (
    parts_of,
    parts_of_url,
)
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.agent.evidence.texts.words import has_digit, phrase_of, words_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import Plain, bounds

MAX_PHRASE_WORDS: Final = 8
"""The longest text that is looked up as a whole,
in words. docs/provenance.md has the measurements."""
_KINDS: Final = (*KINDS_WITH_SPELLINGS, Kind.URL, Kind.MAIL, Kind.IBAN)
"""Kinds of values that are recognised in arguments."""


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
    parts = tuple(parts_of(text, known_values, includes_dates=is_short))
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
            return ArgumentValue(text, keys, "", parts_of_url(value), is_whole=True)

    # 2. It is one word, which is its key, or several, which are its phrase. They may also
    # be an account that is written in groups: `US13 3000 0001`.
    parts = tuple(parts_of(text, known_values, includes_dates=True))
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
