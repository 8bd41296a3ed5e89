"""Finds the most trusted text that has a value.

A value is found by its keys, which all its spellings share: a mail with `GB33 BUKB 2020 1555
5555 55` has the key `gb33bukb20201555555555`. If the user's request has this key, too, the
request is found, since the user is trusted more than the mail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.texts_by_origin import TextsByOrigin
from controlplane.agent.evidence.origins.values.keys import is_phrase
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class TextIndex:
    """The texts of one trial, by the keys of their values.

        index.add(request, ["gb33...", "bob"])
        index.add(mail, ["gb33...", "420"])
        index.find(["gb33..."])         # -> request
        index.find([" ann miller "])    # a phrase: searched in the words of the texts

    A key that several texts have leads to the most trusted one.
    """

    _by_key: dict[str, KnownText] = field(default_factory=dict)
    """The most trusted text that has each key."""
    texts: TextsByOrigin = field(default_factory=TextsByOrigin)
    """All texts. Phrases are searched there."""

    @property
    def is_full(self) -> bool:
        """True if no other text may be added. `KnownTexts` asks before it adds one."""
        return len(self._by_key) > bounds.MOST_TRACED_KEYS

    def add(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add a text that has values with these keys. Its phrases are found without keys."""
        self.texts.add(text)
        self.add_keys(text, keys)

    def add_keys(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add further keys of a text. A key leads to the first of the most trusted texts."""
        for key in keys:
            earlier = self._by_key.get(key)
            if earlier is None or text.is_more_trusted_than(earlier):
                self._by_key[key] = text

    def find(self, keys: Collection[str]) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if there is none."""
        best: KnownText | None = None
        for key in keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.is_more_trusted_than(best)):
                best = text

        for key in keys:
            if is_phrase(key):
                best = self.texts.find_phrase(key, better_than=best) or best
        return best

    def is_only_in_prose(self, key: str) -> bool:
        """Return True if running text has a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE
