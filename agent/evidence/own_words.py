"""The words that a trial's scripts gave to its calls before any call had shown them.

They prove nothing. A tool may store the words that it is given, join them, and print them later at
any path, and a server may return them encoded. A word is a run of letters and digits, or a number in
any format.
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
_CODE_LENGTH_FACTOR: Final = 1.5
"""How many times as long an encoded text may be as the text itself. Base64 makes 1.33 times as many
characters."""
_LEAST_PLURAL_CHARS: Final = 5
"""Characters of the shortest word that is taken for a plural, such as `loans`."""
_MOST_JOINED_CHARS: Final = 100
"""Characters of the end of a text to which a tool may join the next text."""


class OwnWords:
    """The words of a trial that come from its scripts alone, which makes them the scripts' own."""

    def __init__(self) -> None:
        self._known = set(_QUERY_WORDS.split())
        """Words that scripts may know without a call: those of the task, of the declared operations
        and of query languages."""
        self._shown: set[str] = set()
        """Words that calls have shown."""
        self._own: set[str] = set()
        """Words that scripts gave to calls that may change something, before a call had shown them.
        A number is kept by its `_number_key`, too."""
        self._encodable_chars: dict[str, int] = {}
        """By server, how many characters scripts gave it that it may still return encoded."""
        self._learnt_texts = 0
        """How many of the trial's seen texts have their words in `_shown`."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """Characters of seen texts whose words may still be added to `_shown`."""
        self._last_word = ""
        """The word with which the last given text ended, since a tool may join the next text to it."""

    def add_known_text(self, text: str) -> None:
        """Take the words of a text, such as the task's, as words that scripts may know."""
        self._known.update(parts_of(fold_text(text)))

    def learn_given(self, given_texts: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the texts that a script gives to a call that may change something.

        `seen` are all texts that the trial has seen before the call.
        """
        self._learn_seen(seen)
        for text in given_texts:
            # 1. Its words in all their forms, and the word that a tool makes if it joins the text to
            # the one before: `vau` and `lt` -> `vault`.
            folded = fold_text(without_escapes(text))
            joined_words = parts_of(self._last_word + folded)
            if not self._are_too_many:
                words = set(joined_words[:1])
                for form in forms_of(text):
                    words |= _words_of(fold_text(form))
                self._own |= words - self._shown

            # 2. The beginning of the next such word: a text that ends in a blank or sign has none.
            self._last_word = ""
            if joined_words and folded[-1:].isalnum():
                self._last_word = joined_words[-1][-_MOST_JOINED_CHARS:]

    def may_be_encoded(
        self, server: str, given_texts: Iterable[str], result: str, seen: Sequence[SeenText]
    ) -> bool:
        """Say whether a server's result may be nothing but what scripts gave to it, encoded.

        `given_texts` are those of the call, and `seen` all texts that the trial has seen before. A
        code, such as base64 or a cipher, cannot be recognised for certain, so lengths are compared:
        the result may be encoded unless it has more new characters than scripts gave to the server.
        """
        self._learn_seen(seen)
        familiar_words = self._known | self._shown
        result_words = set(parts_of(fold_text(result)))

        # 1. What the server was given. Words that come back as they are were not encoded.
        given_words: set[str] = set()
        encodable_chars = self._encodable_chars.get(server, 0)
        for text in given_texts:
            folded = fold_text(text)
            given_words.update(parts_of(folded))
            encodable_chars += _code_signs(folded)
        for word in given_words - familiar_words - result_words:
            is_familiar_plural = len(word) >= _LEAST_PLURAL_CHARS and word[:-1] in familiar_words
            if not is_familiar_plural:
                encodable_chars += len(word)

        # 2. What the server returns that is new.
        new_words = result_words - familiar_words - given_words
        new_chars = sum(len(word) for word in new_words)
        may_be_encoded = new_chars <= _CODE_LENGTH_FACTOR * encodable_chars

        # 3. What is left for the next results. A server that returns more than it was given has
        # texts of its own, and is not suspected until it is given more.
        self._encodable_chars[server] = encodable_chars if may_be_encoded else 0
        return may_be_encoded

    def own_words_in(self, text: str) -> str:
        """Return the own words of a text, one in each line.

        Once there are more own words than are kept, all of the text counts as own.
        """
        if not self._own:
            return ""
        if self._are_too_many:
            return text
        folded = fold_text(text)
        own_words = self._own & set(parts_of(folded))
        for number in numbers_of(folded):
            if _number_key(number) in self._own:
                own_words.add(number)
        return "\n".join(sorted(own_words))

    def has_only_own_words(self, text: str) -> bool:
        """Say whether a text has words, and all of them are own ones."""
        if self._are_too_many:
            return True
        if not self._own:
            return False
        words = set(parts_of(fold_text(text)))
        return bool(words) and words <= self._own

    def _learn_seen(self, seen: Sequence[SeenText]) -> None:
        """Add the words of the texts that were seen since the last time to those that were shown.

        Words of a text that may only repeat its call are not among them.
        """
        for text in seen[self._learnt_texts :]:
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                repeatable_words = _words_of(fold_text(text.tainted))
                self._shown |= _words_of(fold_text(text.text)) - repeatable_words
        self._learnt_texts = len(seen)

    @property
    def _are_too_many(self) -> bool:
        """True if there are more own words than are kept."""
        return len(self._own) > bounds.MOST_OWN_WORDS


def _words_of(folded_text: str) -> set[str]:
    """Return the words of a text, and the keys of its numbers: `fee 1,200` -> `fee`, `1`, `200`, `#12`."""
    words = set(parts_of(folded_text))
    words.update(_number_key(number) for number in numbers_of(folded_text))
    return words


def _number_key(number: str) -> str:
    """Return the key that a number has in any format: `#12` for `1,200.0` and `1200`."""
    return f"#{number_key(number)}"


def _code_signs(folded_text: str) -> int:
    """Return how many signs a text has that queries do not need, such as emojis, which may be a code."""
    count = 0
    for char in folded_text:
        is_ordinary = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_ordinary:
            count += 1
    return count
