"""The texts that a trial has received, with an index of their values.

Texts are indexed by the keys of their values (`value_keys.py`): `Emma@Site.com` has the
key `emma@site.com`. A value of several words has no key. It is searched in the texts as
a phrase: ` ann miller `.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.argument_origin import TRUSTED, Origin
from controlplane.agent.evidence.origins.argument_values import (
    NO_VALUES,
    ArgumentValue,
    ValueKeys,
)
from controlplane.agent.evidence.origins.value_keys import (
    is_small_number,
    spelling_keys,
    word_keys,
)
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.agent.evidence.texts.words import phrase_of
from controlplane.sandbox.interface import bounds

_REPEATED: Final = " \x1e "
"""Replaces a phrase that a text may only repeat from its own call.
No phrase has this character, since phrases consist of words."""


@dataclass(slots=True)
class KnownText:
    """Texts from one place, with one origin."""

    place: str
    """Where the texts come from, as messages show it: `/m.md`, `call 3 of search`."""
    origin: Origin
    """Who wrote the texts, and so how far their values are trusted."""
    parts: list[str] = field(default_factory=list)
    """The texts, unchanged."""
    path: str = ""
    """The file that has the texts. Empty for texts that are not from a file."""
    is_field: bool = False
    """True for fields of data that count as records."""
    repeatable: ValueKeys = NO_VALUES
    """Values in the arguments of the call that returned the texts.
    The texts may only repeat them, so the values do not come from here."""
    _words: str | None = field(default=None, compare=False)
    """All phrases of the texts. None before the first search, since most values have keys."""

    @property
    def text(self) -> str:
        """All parts, one in each line."""
        return "\n".join(self.parts)

    def word_keys(self) -> set[str]:
        """Return the keys of the words: `emma@site.com` for `Emma@Site.com`."""
        keys = word_keys(self.text)
        if self.is_field:
            # A number of one or two digits counts if it is a whole field. Elsewhere, it
            # is often there by chance.
            fields = map(str.strip, self.parts)
            keys.update(filter(is_small_number, fields))
        return keys - self.repeatable.keys

    def spelling_keys(self) -> set[str]:
        """Return the keys of numbers, dates and telephones: `2026-05-15` for `15 May 2026`."""
        is_prose = self.origin is Origin.PROSE
        keys = spelling_keys(self.text, is_prose=is_prose, is_field=self.is_field)
        return keys - self.repeatable.keys

    def has_phrase(self, phrase: str) -> bool:
        """Return True if the texts have a phrase, and do not only repeat it."""
        if self._words is None:
            words = "\n".join(phrase_of(part) for part in self.parts)
            for repeatable in self.repeatable.phrases:
                words = words.replace(repeatable, _REPEATED)
            self._words = words
        return phrase in self._words


def joined_texts(
    texts: Iterable[ResultText],
    place: str,
    origin: Origin | None,
    repeatable: ValueKeys,
) -> Iterable[KnownText]:
    """Join the texts of a result that have the same origin, file and form.

    Without an `origin`, a field of data is a record, and any other text counts as
    running text (prose).
    """
    groups: dict[tuple[Origin, str, bool], KnownText] = {}
    for text in texts:
        if origin is not None:
            text_origin = origin
        elif text.is_data:
            text_origin = Origin.RECORD
        else:
            text_origin = Origin.PROSE
        is_field = text.is_data and text_origin is Origin.RECORD

        group = (text_origin, text.path, is_field)
        if group not in groups:
            groups[group] = KnownText(
                text.path or place,
                text_origin,
                path=text.path,
                is_field=is_field,
                repeatable=repeatable,
            )
        groups[group].parts.append(text.text)
    return groups.values()


class KnownTexts:
    """The texts of one trial. `find` returns the most trusted one that has a value.

    Texts are compared by their `Origin`: a smaller one is more trusted. Most trials look
    up few values, or none. So a look-up first indexes the texts that need it:
    1. by their words, at the first look-up;
    2. by the meaning of their numbers and dates, if words do not find the value.
    """

    def __init__(self) -> None:
        self._texts: dict[Origin, list[KnownText]] = {origin: [] for origin in Origin}
        """The texts that are indexed by words, the most trusted ones first."""
        self._by_key: dict[str, KnownText] = {}
        """By key, the most trusted text that has it."""
        self._without_words: list[KnownText] = []
        """Texts that are not indexed by words yet."""
        self._without_spellings: list[KnownText] = []
        """Texts whose numbers and dates are not indexed by meaning yet."""
        self._bytes = 0
        """The size of all texts in UTF-8."""
        self.is_incomplete = False
        """True if there were too many texts to keep.
        A value that is not found may be in one of the others."""

    def add(self, text: KnownText) -> None:
        """Add a text, unless the texts take too much memory."""
        for part in text.parts:
            self._bytes += len(part.encode("utf-8", "surrogatepass"))
        if self._bytes > bounds.MOST_TRACED_BYTES:
            self.is_incomplete = True
        else:
            self._without_words.append(text)

    def add_values(self, values: ValueKeys, place: str) -> None:
        """Add a record that consists of values. It is indexed by them at once."""
        record = KnownText(place, Origin.RECORD, list(values.phrases))
        self._texts[Origin.RECORD].append(record)
        self._index(record, [*values.keys, *values.phrases])

    # --- Looking up ---

    def find(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if there is none."""
        self._index_words()
        text = self._find_indexed(value)
        is_trusted = text is not None and text.origin in TRUSTED
        if is_trusted or not self._without_spellings:
            return text
        # A text may have the same number or date in another spelling.
        self._index_spellings()
        return self._find_indexed(value)

    def _find_indexed(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that is indexed by a value's keys, or has its phrase.

        Of two origins, the smaller one is more trusted.
        """
        best: KnownText | None = None
        for key in value.keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.origin < best.origin):
                best = text
        if not value.phrase:
            return best

        # A phrase has no index. A text that is not more trusted than `best` is not searched.
        for text in self._most_trusted_first():
            if best is not None and best.origin <= text.origin:
                return best
            if text.has_phrase(value.phrase):
                return text
        return best

    def _most_trusted_first(self) -> Iterator[KnownText]:
        """Yield the texts that are indexed by words, the most trusted ones first."""
        for texts in self._texts.values():
            yield from texts

    def is_only_in_prose(self, key: str) -> bool:
        """Return True if running text has a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all text that was read in a file."""
        self._index_words()
        keys = set[str]()
        for text in self._most_trusted_first():
            if text.path == path:
                keys |= word_keys(text.text)
                keys |= spelling_keys(text.text, is_prose=False, is_field=False)
        return keys

    # --- The index ---

    def _index_words(self) -> None:
        """Index the texts by their words, while there is room in the index."""
        for text in self._without_words:
            if len(self._by_key) > bounds.MOST_TRACED_KEYS:
                self.is_incomplete = True
                break
            self._texts[text.origin].append(text)
            self._without_spellings.append(text)
            self._index(text, text.word_keys())
        self._without_words.clear()

    def _index_spellings(self) -> None:
        """Index the texts by the meaning of their numbers, dates and telephones."""
        for text in self._without_spellings:
            self._index(text, text.spelling_keys())
        self._without_spellings.clear()

    def _index(self, text: KnownText, keys: Iterable[str]) -> None:
        """Index a text by keys, unless an earlier text is as trusted, or more."""
        for key in keys:
            earlier = self._by_key.get(key)
            # A smaller origin is more trusted.
            if earlier is None or text.origin < earlier.origin:
                self._by_key[key] = text
