"""The fields of facts: each has the sentence that documents it, wherever the fact is shown.

cost_usd: float | None = field(metadata=about("its cost in US dollars"))
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

_ABOUT: Final = "about"
"""The key of the sentence in a field's metadata."""


def about(sentence: str) -> dict[str, Any]:
    """Return the metadata of a field with this sentence, in Markdown."""
    return {_ABOUT: sentence}


def sentences_of(facts: type[Any]) -> dict[str, str]:
    """Return the sentence of each field of a class of facts, by the field's name."""
    return {fact.name: fact.metadata[_ABOUT] for fact in fields(facts)}
