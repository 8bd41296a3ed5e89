"""The fields of facts: each has the sentence that documents it, wherever the fact is shown.

cost_usd: float | None = field(metadata=about("its cost in US dollars"))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, TypeAlias

Row: TypeAlias = dict[str, Any]
"""Values by name. An absent number is None, never 0."""

_ABOUT: Final = "about"
"""The key of the sentence in a field's metadata."""


def about(sentence: str) -> dict[str, Any]:
    """Return the metadata of a field with this sentence, in Markdown."""
    return {_ABOUT: sentence}


def sentences_of(facts: type[Any]) -> Mapping[str, str]:
    """Return the sentence of each field of a class of facts that has one, by the field's name."""
    sentences = {}
    for fact in fields(facts):
        if _ABOUT in fact.metadata:
            sentences[fact.name] = fact.metadata[_ABOUT]
    return sentences


def row_of(facts: Any) -> Row:
    """Return the facts that have a sentence, by name, as JSON and tables have them."""
    return {name: getattr(facts, name) for name in sentences_of(type(facts))}
