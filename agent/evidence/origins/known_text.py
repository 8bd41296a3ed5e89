"""Texts that a trial has received from one place, and the values in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.values.argument_value import (
    NO_VALUES,
    ValueKeys,
)
from controlplane.agent.evidence.origins.values.spelling_keys import (
    SmallNumbers,
    spelling_keys,
)
from controlplane.agent.evidence.origins.values.value_keys import is_small_number
from controlplane.agent.evidence.origins.values.word_keys import word_keys
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.agent.evidence.texts.words import phrase_of

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

    def is_more_trusted_than(self, other: KnownText) -> bool:
        """Return True if the origin of this text is more trusted. A smaller one is."""
        return self.origin < other.origin

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
        if self.is_field:
            small_numbers = SmallNumbers.NONE  # `word_keys` has them.
        elif self.origin is Origin.PROSE:
            small_numbers = SmallNumbers.STANDALONE
        else:
            small_numbers = SmallNumbers.ALL
        return spelling_keys(self.text, small_numbers) - self.repeatable.keys

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
    running text (prose). `repeatable` are the values that the texts may only repeat.
    """
    groups: dict[tuple[Origin, str, bool], KnownText] = {}
    for text in texts:
        text_origin = _origin_of_form(text) if origin is None else origin
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


def _origin_of_form(text: ResultText) -> Origin:
    """Return the origin that a text has by its form."""
    return Origin.RECORD if text.is_data else Origin.PROSE
