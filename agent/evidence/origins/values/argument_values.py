"""Splits an argument of a call into the values that identify something.

    send_money(to=["Ann Miller", "VVMxMzMwMDAwMDAx"])

1. The argument has two texts, the items of its list.
2. The second one is base64. Decoded, it is a third text, `US1330000001`.
3. Each text becomes a value, which is looked up in the texts that the trial has read by its
   keys (`keys.py`): ` ann miller `, `us1330000001`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.short_text_value import (
    identifies_something,
    value_of_short_text,
)
from controlplane.agent.evidence.origins.values.value_keys import NUMERIC_KINDS
from controlplane.agent.evidence.origins.values.value_parts import parts_of
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.words import words_of
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import Plain, bounds

MAX_WHOLE_WORDS: Final = 8
"""The longest text that is looked up as a whole,
in words. docs/provenance.md has the measurements."""
_RECOGNISED_KINDS: Final = (*NUMERIC_KINDS, Kind.URL, Kind.MAIL)
"""Kinds of values that are recognised in arguments by their form, such as dates and URLs."""


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument that identify something.

    `{"fee": [7, "Ann Miller"]}` -> `7`, `Ann Miller`. (The word `fee` identifies nothing.)
    """
    for text in leaves_of(argument):
        for form in forms_of(text):  # the text, and what it is decoded
            value = _value_of(form.strip())
            if value is not None:
                yield value


def _value_of(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value; None if nothing in it identifies anything.

    | text | value |
    |---|---|
    | `15 May 2026`, `Ann Miller`, other short texts | has keys: it is looked up as a whole |
    | `Dear Bob, please pay inv-17 ...`, a long text | has only the part `inv-17` |
    | `restart`, which may be in any text | None |
    """
    words = words_of(text)
    recognised_values = written_values(
        text, kinds=_RECOGNISED_KINDS, max_values=bounds.MOST_TRACED_VALUES
    )
    is_short = 0 < len(words) <= MAX_WHOLE_WORDS and "\n" not in text
    if is_short and identifies_something(text):
        return value_of_short_text(text, words, recognised_values)

    # A long text as a whole is not looked up, because the script wrote it itself.
    parts = tuple(parts_of(text, recognised_values, includes_dates=is_short))
    return ArgumentValue(text, parts=parts) if parts else None
