"""Splits the arguments of a call into values, to find in which of the read texts they are.

`send_money(recipient=["Ann Miller", "GB33BUKB20201555555555"])` has two values. Each is looked up
by its keys: ` ann miller ` (a phrase), `gb33bukb20201555555555`. If no text contains the whole
value, its parts are looked up (`value_parts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    MIN_IDENTIFYING_CHARS,
    NUMERIC_KINDS,
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

MAX_WHOLE_WORDS: Final = 8
"""The longest text that is looked up as a whole,
in words. docs/provenance.md has the measurements."""
_RECOGNISED_KINDS: Final = (*NUMERIC_KINDS, Kind.URL, Kind.MAIL)
"""Kinds of values that are recognised in arguments by their form, such as dates and URLs."""


def keys_of_all(arguments: Iterable[Plain]) -> tuple[str, ...]:
    """Return the keys of all values in some arguments, and of their parts, each once.

    `["Ann Miller", "inv-2026017"]` -> ` ann miller `, `inv-2026017`, `2026017` and others
    """
    keys: dict[str, None] = {}  # in their order, each once
    for argument in arguments:
        for whole_value in argument_values(argument):
            for value in whole_value.with_parts():
                for key in value.keys:
                    keys[key] = None
    return tuple(keys)


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument that identify something.

    A list or a mapping has one for each item and name in it: `{"fee": [7, "Ann Miller"]}`
    -> `7`, `Ann Miller`. (The word `fee` identifies nothing.) An encoded text, such as
    base64 or the escapes of a URL, is also yielded decoded.
    """
    for text in leaves_of(argument):
        for form in forms_of(text):
            value = _value_of(form.strip())
            if value is not None:
                yield value


def _value_of(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value; None if nothing in it identifies anything.

    | text | value |
    |---|---|
    | `15 May 2026`, a date | with its key `2026-05-15` |
    | `inv-17`, `Ann Miller`, other short texts | with the words as its key |
    | `Dear Bob, please pay inv-17 ...`, a long text | without a key, with the part `inv-17` |
    | `restart`, which may be in any text | None |
    """
    words = words_of(text)
    recognised_values = written_values(
        text, kinds=_RECOGNISED_KINDS, max_values=bounds.MOST_TRACED_VALUES
    )
    is_short = 0 < len(words) <= MAX_WHOLE_WORDS and "\n" not in text
    if is_short and _identifies_something(text):
        value = _recognised_value(text, recognised_values)
        return value or _value_of_words(text, words, recognised_values)

    # A long text as a whole is not looked up, because the script wrote it itself.
    parts = tuple(parts_of(text, recognised_values, includes_dates=is_short))
    return ArgumentValue(text, parts=parts) if parts else None


def _recognised_value(
    text: str, recognised_values: Iterable[WrittenValue]
) -> ArgumentValue | None:
    """Return a text as a value if all of it is of a known kind: `15 May 2026` is a date.

    Its key is `2026-05-15`, which all spellings of the date share. Ids are left out: they are
    looked up as words.
    """
    for value in recognised_values:
        if value.text.strip() == text and value.kind is not Kind.ID:
            keys = keys_of_value(value)
            return ArgumentValue(text, keys, parts_of_url(value), ValueRole.WHOLE)
    return None


def _value_of_words(
    text: str, words: Sequence[str], recognised_values: Iterable[WrittenValue]
) -> ArgumentValue:
    """Return a short text as a value that is found by its words.

    | text | keys |
    |---|---|
    | `Inv-17` | `inv-17` |
    | `Ann Miller` | ` ann miller ` (a phrase) |
    | `US13 3000 0001` | `us1330000001`, ` us13 3000 0001 ` |

    The last one may be an account in groups. Its key as an account comes first, because two
    values with the same first key are the same.
    """
    parts = tuple(parts_of(text, recognised_values, includes_dates=True))
    keys_as_account = account_keys(text) if has_digit(text) else ()
    if len(words) == 1:
        keys = (words[0], *keys_as_account)
    else:
        keys = (*keys_as_account, phrase_of(text))
    return ArgumentValue(text, keys, parts, ValueRole.WHOLE)


def _identifies_something(text: str) -> bool:
    """Return True if a short text identifies something: `7`, `A-1` and `Ann`, not `restart`.

    Two kinds of texts occur everywhere, so it says nothing in which text they are found: a
    single word in small letters, and one or two characters. But a number is looked up even
    if it is short: it may be an amount or an id.
    """
    if text.isalpha() and text.islower() and text.isascii():
        return False
    if text.isdigit():
        return True
    return len(text) >= MIN_IDENTIFYING_CHARS and any(char.isalnum() for char in text)
