"""The texts that a trial has received, the most trusted ones first.

The user's request is more trusted than a field of data, and a mail is trusted least
(`Origin`). If both the request and a mail name the account GB33..., its origin is the request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.numeric_keys import (
    SmallNumbers,
    keys_of_numbers,
)
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words


@dataclass(slots=True)
class TextsByTrust:
    """The texts of one trial."""

    _by_origin: dict[Origin, list[KnownText]] = field(
        default_factory=lambda: {origin: [] for origin in Origin}
    )
    """The texts of each origin. The origins are in order from most to least trusted."""

    def __iter__(self) -> Iterator[KnownText]:
        """Yield the texts, the most trusted ones first."""
        for texts in self._by_origin.values():
            yield from texts

    def add(self, text: KnownText) -> None:
        """Add a text."""
        self._by_origin[text.origin].append(text)

    def find_phrase(
        self, phrase: str, *, more_trusted_than: KnownText | None
    ) -> KnownText | None:
        """Return the most trusted text that has a phrase; None if there is none.

        The phrase of `Ann Miller` is ` ann miller `. The blanks at its ends keep it from
        being found in `Joann Miller`. If a text is given as `more_trusted_than`, only texts
        that are more trusted than that one are searched.
        """
        limit = more_trusted_than
        for text in self:
            if limit is not None and not text.is_more_trusted_than(limit):
                return None  # The texts that follow are not more trusted, either.
            if text.has_phrase(phrase):
                return text
        return None

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file.

        A key is what all spellings of a value share: if the file says `Pay 4 on 15 May 2026`,
        its keys are `4`, `2026-05-15` and those of the words. An argument `2026-05-15` has
        one of these keys, so its value is in the file.
        """
        keys = set[str]()
        for text in self:
            if text.path == path:
                keys |= keys_of_words(text.text)
                # Numbers of one or two digits count, too, such as the 4.
                keys |= keys_of_numbers(text.text, SmallNumbers.ALL)
        return keys
