"""Splits an argument of a call into its values, which are looked up in the texts that were read.

A short text is looked up by its *keys*, the forms that all its spellings share. A long text, such
as a letter, was written by the script. So only its parts are looked up:

    argument_values(["Ann Lee", "Dear Ann, I pay inv-17 to the account of Bob today."])
    -> ArgumentValue("Ann Lee", keys=(" ann lee ",), role=WHOLE)
       ArgumentValue("Dear Ann, ...", parts=(ArgumentValue("inv-17", keys=("inv-17",)),))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.identifying_text import (
    identifies_something,
)
from controlplane.agent.evidence.origins.values.recognised_values import (
    recognised_values,
)
from controlplane.agent.evidence.origins.values.short_text_value import (
    value_of_short_text,
)
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.agent.evidence.texts.words import words_of
from controlplane.sandbox.interface import Plain

MAX_SHORT_WORDS: Final = 8
"""The longest text that is looked up as a whole, in words. A field of data has no more."""


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument: `{"fee": [7, "Ann Miller"]}` -> `7`, `Ann Miller`.

    The word `fee` identifies nothing. A text in base64, JSON or the like may be decoded, too.
    """
    for text in texts_in(argument):
        for decoded_text in forms_of(text):  # first the text itself
            value = _value_of(decoded_text.strip())
            if value is not None:
                yield value


def _value_of(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value; None if nothing in it identifies anything."""
    words = words_of(text)
    is_short = len(words) <= MAX_SHORT_WORDS and "\n" not in text
    if not is_short:
        return _value_of_long_text(text)
    if words and identifies_something(text):
        return value_of_short_text(text, words)
    return None


def _value_of_long_text(text: str) -> ArgumentValue | None:
    """Return a text without a key of its own, such as a letter, by its parts; None if it has none.

    A letter has dates that decide neither whom nor what the call reaches, so they are no parts.
    """
    parts = tuple(parts_of(text, recognised_values(text), with_dates=False))
    return ArgumentValue(text, parts=parts) if parts else None
