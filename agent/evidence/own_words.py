"""The words that a trial's script gave to its calls before any call had shown them.

They prove nothing: a tool may store words that it is given, join them, and print them later at any
path, and a server may return them in whatever code. A word is a run of letters and digits, or a
number in any format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.evidence.text_forms import forms_of, without_escapes
from controlplane.gates.evidence import SeenText
from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.sandbox.interface import bounds

_QUERY_WORDS: Final = (
    "select from where and or not in is null like between order group by having limit offset join "
    "left inner on as distinct count sum avg min max case when then else end asc desc union all "
    "cast true false with id"
)
"""Words of query languages: a script that asks a database gives them without hiding anything."""
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages, for the same reason."""
_RESULT_SIGNS_PER_GIVEN: Final = 1.5
"""Characters of a result that one given character may stand for: codes such as base64 are longer
than what they encode."""
_LEAST_PLURAL_CHARS: Final = 5
"""Characters of the shortest word that counts as known if the word without its last letter is: the
plural `loans` if `loan` is known."""
_MOST_JOINED_CHARS: Final = 100
"""Characters of the end of a text to which a tool may join the next text."""


class OwnWords:
    """The words of a trial that come from its script alone."""

    def __init__(self) -> None:
        self._known = set(_QUERY_WORDS.split())
        """Words of the task, of declarations and of query languages."""
        self._shown: set[str] = set()
        """Words that calls have shown."""
        self._own: set[str] = set()
        """Words that a script gave to calls that may change something, and that were not shown."""
        self._hidden_chars: dict[str, int] = {}
        """By server, the characters that scripts gave it and that may still come back in a code."""
        self._seen_texts = 0
        """The number of seen texts whose words are in `_shown`."""
        self._room = bounds.MOST_EVIDENCE_BYTES
        """Characters of texts whose words may still count as shown."""
        self._last_word = ""
        """The word with which the last given text ended: a tool may join the next text to it."""

    def add_known_text(self, text: str) -> None:
        """Count the words of a text, such as the task's, as words that no script made."""
        self._known.update(parts_of(fold_text(text)))

    def learn_given(self, given_texts: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the texts that a call that may change something is given after `seen` was seen."""
        self._learn_seen(seen)
        for text in given_texts:
            folded = fold_text(without_escapes(text))
            joined_words = parts_of(self._last_word + folded)
            if not self._are_too_many:
                words = set(joined_words[:1])
                for form in forms_of(text):
                    words |= _words_of(fold_text(form))
                self._own |= words - self._shown
            self._last_word = ""
            if joined_words and folded[-1:].isalnum():
                self._last_word = joined_words[-1][-_MOST_JOINED_CHARS:]

    def can_be_made_by(
        self, server: str, given_texts: Iterable[str], text: str, seen: Sequence[SeenText]
    ) -> bool:
        """Return True if a server can have made a result of what scripts gave it, in whatever code.

        It can if the new words of the result are no longer than what was given to the server and may
        hide in them: words that were not known before and have not come back, and signs of codes.
        """
        self._learn_seen(seen)
        familiar = self._known | self._shown
        returned = set(parts_of(fold_text(text)))
        given: set[str] = set()
        hidden_chars = 0
        for given_text in given_texts:
            folded = fold_text(given_text)
            given.update(parts_of(folded))
            hidden_chars += _code_signs(folded)
        for word in given - familiar - returned:
            is_known_plural = len(word) >= _LEAST_PLURAL_CHARS and word[:-1] in familiar
            if not is_known_plural:
                hidden_chars += len(word)

        new_chars = 0
        for word in returned - familiar - given:
            new_chars += len(word)
        hidden_chars += self._hidden_chars.get(server, 0)
        is_made = new_chars <= _RESULT_SIGNS_PER_GIVEN * hidden_chars
        self._hidden_chars[server] = hidden_chars if is_made else 0
        return is_made

    def within(self, text: str) -> tuple[str, bool]:
        """Return the own words of a text, a line each, and whether all of its words are own ones.

        A script that gave more words than are kept counts as the author of every text.
        """
        if not self._own:
            return "", False
        if self._are_too_many:
            return text, True
        folded = fold_text(text)
        words = set(parts_of(folded))
        own_words = self._own & words
        for number in numbers_of(folded):
            if _number_key(number) in self._own:
                own_words.add(number)
        are_all_own = bool(words) and words <= self._own
        return "\n".join(sorted(own_words)), are_all_own

    def _learn_seen(self, seen: Sequence[SeenText]) -> None:
        """Learn the words of the texts that were seen since the last time."""
        for text in seen[self._seen_texts :]:
            if text.is_proof and self._room > 0:
                self._room -= len(text.text)
                self._shown |= _words_of(fold_text(text.text)) - _words_of(fold_text(text.tainted))
        self._seen_texts = len(seen)

    @property
    def _are_too_many(self) -> bool:
        return len(self._own) > bounds.MOST_OWN_WORDS


def _words_of(folded_text: str) -> set[str]:
    """Return the words of a text, and the keys of its numbers."""
    words = set(parts_of(folded_text))
    words.update(_number_key(number) for number in numbers_of(folded_text))
    return words


def _number_key(number: str) -> str:
    """Return the key of a number in any format: that of `1,200.0` is that of `1200`."""
    return f"#{number_key(number)}"


def _code_signs(folded_text: str) -> int:
    """Return the number of signs in a text that no query needs, such as those of emoji codes."""
    count = 0
    for char in folded_text:
        is_ordinary = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_ordinary:
            count += 1
    return count
