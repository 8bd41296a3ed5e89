"""Splits an argument of a call into its values, which are looked up in the texts that were read.

A value identifies something: an account, an amount, a name. It is looked up by its *keys*, the
forms that all its spellings share: ` ann lee ` for several words, with a blank on each side. The
items of a list are several values:

    argument_values([420, "Ann Lee", "Dear Ann, I pay inv-17 to the account of Bob today."])
    -> ArgumentValue("420", keys=("420",), role=WHOLE)
       ArgumentValue("Ann Lee", keys=(" ann lee ",), role=WHOLE)
       ArgumentValue("Dear Ann, ...", parts=(ArgumentValue("inv-17", keys=("inv-17",)),))
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.identifying_text import (
    identifies_something,
)
from controlplane.agent.evidence.origins.values.recognised_values import (
    as_whole,
    recognised_values,
)
from controlplane.agent.evidence.origins.values.short_text_keys import (
    keys_of_short_text,
)
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.agent.evidence.texts.words import words_of
from controlplane.gates.values.value_kinds import Kind
from controlplane.sandbox.interface import Plain

MAX_SHORT_WORDS: Final = 8
"""The longest text that is looked up as a whole, in words. A field of data has no more."""


def argument_values(argument: Plain, most_parts: int) -> Iterator[ArgumentValue]:
    """Yield the values of an argument: `{"fee": [7, "Ann Miller"]}` -> `7`, `Ann Miller`.

    A long text has at most `most_parts` parts, because a written file may have 100,000 numbers.
    """
    for text in texts_in(argument):
        # First the text itself, and then what it may be in base64, JSON and the like.
        for decoded_text in forms_of(text):
            value = _value_of(decoded_text.strip(), most_parts)
            if value is not None:
                yield value


def _value_of(text: str, most_parts: int) -> ArgumentValue | None:
    """Return a text as a value; None if nothing in it identifies anything, such as `restart`."""
    words = words_of(text)
    is_long = len(words) > MAX_SHORT_WORDS or "\n" in text
    if is_long:
        # The script has written this letter, so no text that was read has all of it: only its parts
        # are looked up, without dates, which decide neither whom nor what the call reaches.
        parts = _parts_of_long_text(text, most_parts)
        return ArgumentValue(text, parts=parts) if parts else None
    if not words or not identifies_something(text):
        return None

    recognised = recognised_values(text)  # its dates, amounts, URLs and ids
    for value in recognised:
        # An id, such as `inv-17`, is looked up below, as any word is.
        if value.text == text and value.kind is not Kind.ID:
            return as_whole(value)
    return ArgumentValue(
        text=text,
        keys=keys_of_short_text(text, words),
        parts=tuple(parts_of(text, recognised, with_dates=True)),
        role=ValueRole.WHOLE,
    )


@lru_cache(
    maxsize=2
)  # A call is looked up before it is sent, and after it has returned.
def _parts_of_long_text(text: str, most_parts: int) -> tuple[ArgumentValue, ...]:
    """Return the first parts of a long text."""
    parts = parts_of(text, recognised_values(text), with_dates=False)
    return tuple(islice(parts, most_parts))
