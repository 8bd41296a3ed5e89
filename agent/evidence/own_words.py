"""Remembers a trial's *own words*: the trial's script had them first, and no result of a call.

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
"""Words of query languages, and the usual name of a key. They are not suspicious: a script needs
them to query a database."""
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages, which are not suspicious for the same reason."""
_ENCODED_LENGTH_FACTOR: Final = 1.5
"""How many times longer than its text an encoded text may be. Base64 is 1.33 times longer."""
_LEAST_PLURAL_CHARS: Final = 5
"""The shortest word that may count as a plural, in characters: `loans`."""
_MOST_LAST_WORD_CHARS: Final = 100
"""How many characters of an argument's last word are kept (see `OwnWords._last_word`)."""


class OwnWords:
    """The own words of one trial: words that come only from its scripts.

    Created when a trial starts. `learn_given` is told of the arguments of every changing call, and
    `own_words_in` finds own words in a result.
    """

    def __init__(self) -> None:
        self._known_words = set(_QUERY_WORDS.split())
        """Words that scripts know without a call: those of the task, of declared operations, and of
        query languages."""
        self._result_words: set[str] = set()
        """Words in the results of calls."""
        self._own_words: set[str] = set()
        """Words that a script passed to a changing call before any result had them. For a number,
        its `_number_key` is also in the set."""
        self._encodable_chars: dict[str, int] = {}
        """By server, how many characters of its arguments it may still return encoded."""
        self._learnt_texts = 0
        """How many of the trial's seen texts have been added to `_result_words`."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """How many more characters of seen texts may be added to `_result_words`."""
        self._last_word = ""
        """The last word of the last argument. A tool may join the next argument to it."""

    def add_known_text(self, text: str) -> None:
        """Add the words of a text, such as the task, as words that scripts know without a call."""
        self._known_words.update(parts_of(fold_text(text)))

    def learn_given(self, given_texts: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the words in the arguments of a call that may change something.

        `seen` are all texts that the trial had seen before the call.
        """
        self._learn_seen(seen)
        for text in given_texts:
            # 1. A tool may join the text to the one before: `vau` and `lt` make the word `vault`.
            folded = fold_text(without_escapes(text))
            words_after_joining = parts_of(self._last_word + folded)
            word_made_by_joining = words_after_joining[:1]  # The others are words of the text.

            # 2. Add the words of the text, in all forms in which a tool may return them.
            if not self._are_too_many:
                words = set(word_made_by_joining)
                for form in forms_of(text):
                    words |= _words_of(fold_text(form))
                self._own_words |= words - self._result_words

            # 3. Keep the last word for the next text. A text that ends in a blank or a sign ends
            # its last word.
            self._last_word = ""
            if words_after_joining and folded[-1:].isalnum():
                self._last_word = words_after_joining[-1][-_MOST_LAST_WORD_CHARS:]

    def learn_server_result(
        self, server: str, given_texts: Iterable[str], result: str, seen: Sequence[SeenText]
    ) -> bool:
        """Return True if a server's result may only be text from scripts, in encoded form.

        `given_texts` are the arguments of the call, and `seen` all texts that the trial had seen
        before. An encoding, such as base64 or a cipher, cannot be recognised for certain, so
        lengths are compared: a result is not encoded if it has more new characters than scripts
        have passed to the server. The characters of all calls are counted, since the server may
        have stored them.
        """
        # 1. Words that scripts and results have in common need no encoding.
        self._learn_seen(seen)
        familiar_words = self._known_words | self._result_words
        given_texts = [fold_text(text) for text in given_texts]
        given_words: set[str] = set()
        for text in given_texts:
            given_words.update(parts_of(text))
        words_of_result = set(parts_of(fold_text(result)))

        # 2. Count the characters that scripts passed to the server, and it did not return as they
        # are. Signs count, too, because an encoding may consist of signs such as emojis.
        encodable_chars = self._encodable_chars.get(server, 0)
        for text in given_texts:
            encodable_chars += _count_unusual_signs(text)
        for word in given_words - familiar_words - words_of_result:
            is_plural = len(word) >= _LEAST_PLURAL_CHARS and word[:-1] in familiar_words
            if not is_plural:
                encodable_chars += len(word)

        # 3. Count the characters of new words in the result.
        new_words = words_of_result - familiar_words - given_words
        new_chars = sum(len(word) for word in new_words)
        may_be_encoded = new_chars <= _ENCODED_LENGTH_FACTOR * encodable_chars

        # 4. Keep the count for the next results. A server that returns more than it got has text of
        # its own, so its count starts again from 0.
        self._encodable_chars[server] = encodable_chars if may_be_encoded else 0
        return may_be_encoded

    def own_words_in(self, text: str) -> str:
        """Return the own words in a text, one in each line.

        Once there are too many own words to keep, any word may be one: return the whole text.
        """
        if not self._own_words:
            return ""
        if self._are_too_many:
            return text
        folded = fold_text(text)
        own_words = self._own_words & set(parts_of(folded))
        for number in numbers_of(folded):
            if _number_key(number) in self._own_words:
                own_words.add(number)
        return "\n".join(sorted(own_words))

    def has_only_own_words(self, text: str) -> bool:
        """Return True if a text has words, and all of them are own words.

        Once there are too many own words to keep, this may be so for any text: return True.
        """
        if self._are_too_many:
            return True
        if not self._own_words:
            return False
        words = set(parts_of(fold_text(text)))
        return bool(words) and words.issubset(self._own_words)

    def _learn_seen(self, seen: Sequence[SeenText]) -> None:
        """Add the words of newly seen texts to `_result_words`.

        Words that a text may only repeat from its call's arguments are left out.
        """
        for text in seen[self._learnt_texts :]:
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                repeatable_words = _words_of(fold_text(text.tainted))
                self._result_words |= _words_of(fold_text(text.text)) - repeatable_words
        self._learnt_texts = len(seen)

    @property
    def _are_too_many(self) -> bool:
        """True if there are more own words than the limit."""
        return len(self._own_words) > bounds.MOST_OWN_WORDS


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


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_ordinary = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_ordinary:
            count += 1
    return count
