"""Finds the most trusted text that has a key.

A key is what all spellings of a value share: a mail with `GB33 BUKB 2020 1555 5555 55` has the
key `gb33bukb20201555555555`. If the request has this key, too, the request is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class TextIndex:
    """The texts of one trial by key."""

    _by_key: dict[str, KnownText] = field(default_factory=dict)
    """The most trusted text that has each key."""

    @property
    def is_full(self) -> bool:
        """True if no other text may be added. `KnownTexts` asks before it adds one."""
        return len(self._by_key) > bounds.MOST_TRACED_KEYS

    def add(self, text: KnownText, keys: Iterable[str]) -> None:
        """Index a text by keys, unless an earlier text is as trusted, or more."""
        for key in keys:
            earlier = self._by_key.get(key)
            if earlier is None or text.is_more_trusted_than(earlier):
                self._by_key[key] = text

    def find(self, keys: Iterable[str]) -> KnownText | None:
        """Return the most trusted text that has one of some keys; None if there is none."""
        best: KnownText | None = None
        for key in keys:
            text = self._by_key.get(key)
            if text is None:
                continue
            if best is None or text.is_more_trusted_than(best):
                best = text
        return best

    def halves_in_prose(self, keys: Iterable[str]) -> tuple[str, str] | None:
        """Return two halves of a key that are both only in running text; None without any.

        A mail may say “Add GB33 in front of 20201555.” The script then joins the account of
        two halves, so that no text has the whole.
        """
        for key in keys:
            for first, second in halves_of(key):
                if self._is_only_in_prose(first) and self._is_only_in_prose(second):
                    return first, second
        return None

    def _is_only_in_prose(self, key: str) -> bool:
        """Return True if running text has a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE


MIN_HALF_CHARS: Final = 4
"""The shortest half that `halves_of` yields, in characters. Shorter texts occur everywhere."""
MAX_HALVED_CHARS: Final = 100
"""The longest key whose halves are looked up, in characters. Each way to cut it costs a look-up."""


def halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield each way to cut a key in two: `gb3320201555` -> (`gb33`, `20201555`), (`gb332`, `0201555`) ...

    A script may have joined a value of two texts that it read. So a value that no text
    contains is also looked up in halves.
    """
    if len(key) > MAX_HALVED_CHARS or not key.isalnum():
        return
    last_cut = len(key) - MIN_HALF_CHARS
    for cut in range(MIN_HALF_CHARS, last_cut + 1):
        yield key[:cut], key[cut:]
