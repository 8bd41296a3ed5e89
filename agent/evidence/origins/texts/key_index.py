"""Finds the most trusted text that has a key.

A *key* is what all spellings of a value share: a mail with `GB33 BUKB 2020 1555 5555 55` has the
key `gb33bukb20201555555555`. If the user's request has this key, too, the request is found, since
the user is trusted more than the mail's author:

    keys.add(mail, ["gb33...", "420"])
    keys.add(request, ["gb33...", "bob"])
    keys.find(["gb33..."])    # -> request
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class KeyIndex:
    """The keys of one trial's texts."""

    _by_key: dict[str, KnownText] = field(default_factory=dict)
    """The most trusted text that has each key; of equally trusted ones, the first."""

    @property
    def is_full(self) -> bool:
        """True if there are so many keys that no other text should be added."""
        return len(self._by_key) > bounds.MOST_TRACED_KEYS

    def add(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add keys of a text."""
        for key in keys:
            earlier = self._by_key.get(key)
            if earlier is None or text.is_more_trusted_than(earlier):
                self._by_key[key] = text

    def find(self, keys: Iterable[str]) -> KnownText | None:
        """Return the most trusted text that has one of these keys; None if there is none."""
        best: KnownText | None = None
        for key in keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.is_more_trusted_than(best)):
                best = text
        return best

    def is_only_in_prose(self, key: str) -> bool:
        """Return True if running text has a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE
