"""The texts that a trial has received, the most trusted ones first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.values.spelling_keys import (
    SmallNumbers,
    spelling_keys,
)
from controlplane.agent.evidence.origins.values.word_keys import word_keys


@dataclass(slots=True)
class TextsByTrust:
    """The texts of one trial."""

    _by_origin: dict[Origin, list[KnownText]] = field(
        default_factory=lambda: {origin: [] for origin in Origin}
    )
    """`Origin` has its members in order from most to least trusted."""

    def __iter__(self) -> Iterator[KnownText]:
        """Yield the texts, the most trusted ones first."""
        for texts in self._by_origin.values():
            yield from texts

    def add(self, text: KnownText) -> None:
        """Add a text."""
        self._by_origin[text.origin].append(text)

    def find_phrase(self, phrase: str, known: KnownText | None) -> KnownText | None:
        """Return the most trusted text with a phrase: ` ann miller `.

        `known` is returned if no text with the phrase is more trusted.
        """
        for text in self:
            if known is not None and not text.is_more_trusted_than(known):
                return known
            if text.has_phrase(phrase):
                return text
        return known

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all text that was read in a file."""
        keys = set[str]()
        for text in self:
            if text.path == path:
                keys |= word_keys(text.text)
                keys |= spelling_keys(text.text, SmallNumbers.ALL)
        return keys
