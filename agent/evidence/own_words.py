"""Remembers a trial's *own words*: words that a script used in a call before any result had them.

Own words prove nothing when a later result contains them. A tool may store the words of its
arguments, join them, and print them later at any path, and a server may return them encoded. A word
is a run of letters and digits, or a number in any format.
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
"""Words of query languages. They are not suspicious: a script needs them to query a database."""
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages, which are not suspicious for the same reason."""
_CODE_LENGTH_FACTOR: Final = 1.5
"""How many times longer than its text an encoded text may be. Base64 is 1.33 times longer."""
_LEAST_PLURAL_CHARS: Final = 5
"""The shortest word that may count as a plural, in characters: `loans`."""
_MOST_JOINED_CHARS: Final = 100
"""How many characters of a text's last word are kept, since a tool may join the next text to
them."""


class OwnWords:
    """The own words of one trial: words that come only from its scripts.

    Created when a trial starts. `learn_given` is told of the arguments of every changing call, and
    `own_words_in` finds own words in a result.
    """

    def __init__(self) -> None:
        self._known = set(_QUERY_WORDS.split())
        """Words that scripts know without a call: those of the task, of declared operations, and of
        query languages."""
        self._shown: set[str] = set()
        """Words in the results of calls."""
        self._own: set[str] = set()
        """Words that a script passed to a changing call before any result had them. For a number,
        its `_number_key` is also in the set."""
        self._encodable_chars: dict[str, int] = {}
        """By server, how many characters of its arguments it may still return encoded."""
        self._learnt_texts = 0
        """How many of the trial's seen texts have been added to `_shown`."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """How many more characters of seen texts may be added to `_shown`."""
        self._last_word = ""
        """The last word of the last argument. A tool may join the next argument to it."""

    def add_known_text(self, text: str) -> None:
        """Add the words of a text, such as the task, as words that scripts know without a call."""
        self._known.update(parts_of(fold_text(text)))

    def learn_given(self, given_texts: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the words in the arguments of a call that may change something.

        `seen` are all texts that the trial had seen before the call.
        """
        self._learn_seen(seen)
        for text in given_texts:
            # 1. Add the words of the text, in all forms. A tool may also join the text to the one
            # before, which makes a new word: `vau` and `lt` -> `vault`.
            folded = fold_text(without_escapes(text))
            joined_words = parts_of(self._last_word + folded)
            if not self._are_too_many:
                words = set(joined_words[:1])
                for form in forms_of(text):
                    words |= _words_of(fold_text(form))
                self._own |= words - self._shown

            # 2. Keep the last word, which the next text may continue. A text that ends in a blank
            # or a sign has no such word.
            self._last_word = ""
            if joined_words and folded[-1:].isalnum():
                self._last_word = joined_words[-1][-_MOST_JOINED_CHARS:]

    def may_be_encoded(
        self, server: str, given_texts: Iterable[str], result: str, seen: Sequence[SeenText]
    ) -> bool:
        """Return True if a server's result may only be text from scripts, in encoded form.

        `given_texts` are the arguments of the call, and `seen` all texts that the trial had seen
        before. An encoding, such as base64 or a cipher, cannot be recognised for certain, so
        lengths are compared. A result with more new characters than scripts passed to the server is
        not encoded.
        """
        self._learn_seen(seen)
        familiar_words = self._known | self._shown
        result_words = set(parts_of(fold_text(result)))

        # 1. Count the characters that scripts passed to the server. Words that the result has
        # unchanged were not encoded, so they do not count.
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

        # 2. Count the characters of new words in the result.
        new_words = result_words - familiar_words - given_words
        new_chars = sum(len(word) for word in new_words)
        may_be_encoded = new_chars <= _CODE_LENGTH_FACTOR * encodable_chars

        # 3. Keep the count for the next results. A server that returns more than it got has text of
        # its own, so its count starts again from 0.
        self._encodable_chars[server] = encodable_chars if may_be_encoded else 0
        return may_be_encoded

    def own_words_in(self, text: str) -> str:
        """Return the own words in a text, one in each line.

        Once there are too many own words to keep, return the whole text.
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
        """Return True if a text has words, and all of them are own words."""
        if self._are_too_many:
            return True
        if not self._own:
            return False
        words = set(parts_of(fold_text(text)))
        return bool(words) and words <= self._own

    def _learn_seen(self, seen: Sequence[SeenText]) -> None:
        """Add the words of newly seen texts to `_shown`.

        Words that a text may only repeat from its call's arguments are left out.
        """
        for text in seen[self._learnt_texts :]:
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                repeatable_words = _words_of(fold_text(text.tainted))
                self._shown |= _words_of(fold_text(text.text)) - repeatable_words
        self._learnt_texts = len(seen)

    @property
    def _are_too_many(self) -> bool:
        """True if there are more own words than the limit."""
        return len(self._own) > bounds.MOST_OWN_WORDS


def _words_of(folded_text: str) -> set[str]:
    """Return the words of a text, and the keys of its numbers.

    `fee 1,200` -> `fee`, `1`, `200`, `#12`
    """
    words = set(parts_of(folded_text))
    words.update(_number_key(number) for number in numbers_of(folded_text))
    return words


def _number_key(number: str) -> str:
    """Return a key that is the same for all formats of a number: `#12` for `1,200.0` and `1200`."""
    return f"#{number_key(number)}"


def _code_signs(folded_text: str) -> int:
    """Return how many signs in a text no query needs, such as emojis. They may be an encoding."""
    count = 0
    for char in folded_text:
        is_ordinary = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_ordinary:
            count += 1
    return count
