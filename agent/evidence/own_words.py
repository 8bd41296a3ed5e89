"""Finds words in results that the trial's own scripts may have put there.

Example: a script passes the note `fee is 7` to a tool, which stores it. A later search
returns the note, as if it were from a file. It proves nothing, because the script made
it up.

So a word is an *own word* if a script passed it to a changing call before any result
had it. A word is a run of letters and digits, or a number in any format.
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
"""Words of query languages, and the usual name of a key. They are not suspicious: a
script needs them to query a database."""
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages, which are not suspicious for the same reason."""
_ENCODED_LENGTH_FACTOR: Final = 1.5
"""How many times longer than its text an encoded text may be. Base64 is 1.33 times
longer."""
_LEAST_PLURAL_CHARS: Final = 5
"""The shortest word that may count as a plural, in characters: `loans`. In shorter
words, such as `his`, an `s` at the end seldom makes a plural."""
_MOST_LAST_WORD_CHARS: Final = 100
"""How many characters of an argument's last word are kept. Real words are shorter."""


class OwnWords:
    """The own words of one trial: words that its scripts used before any result had
    them.

    Created when a trial starts. `learn_arguments` is told of the arguments of every
    changing call, and `own_words_in` finds own words in a result.
    """

    def __init__(self) -> None:
        self._known_words = set(_QUERY_WORDS.split())
        """Words that scripts know without a call: those of the task, of declared
        operations, and of query languages."""
        self._result_words: set[str] = set()
        """Words in the results of calls."""
        self._own_words: set[str] = set()
        """Words that a script passed to a changing call before any result had them. For
        a number, its `_number_key` is also in the set."""
        self._unreturned_chars: dict[str, int] = {}
        """By server, how many characters of new words scripts have passed to it. Words
        that it has returned unchanged do not count. It may return the others later,
        encoded."""
        self._learnt_texts = 0
        """How many of the trial's seen texts have been added to `_result_words`."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """How many more characters of seen texts may be added to `_result_words`."""
        self._last_word = ""
        """The last word of the last argument. A tool may join the next argument to
        it."""

    def add_known_text(self, text: str) -> None:
        """Add the words of a text, such as the task, as words that scripts know without
        a call."""
        self._known_words.update(parts_of(fold_text(text)))

    def learn_arguments(
        self, argument_texts: Iterable[str], seen: Sequence[SeenText]
    ) -> None:
        """Learn the words in the arguments of a call that may change something.

        `seen` are all texts that the trial had seen before the call.
        """
        self._learn_seen(seen)
        for text in argument_texts:
            # 1. A tool may join the text to the argument before it: `vau` and `lt` make `vault`.
            folded = fold_text(without_escapes(text))
            joined_words = parts_of(self._last_word + folded)

            # 2. Add the words of the text, in all forms in which a tool may return them. Of the
            # joined words, only the first one has a part of the argument before.
            if not self._is_full:
                words = set(joined_words[:1])
                for form in forms_of(text):
                    words |= _words_of(fold_text(form))
                self._own_words |= words - self._result_words

            # 3. Keep the last word for the next argument. A blank or a sign would end it.
            ends_with_word = bool(joined_words) and folded[-1:].isalnum()
            if ends_with_word:
                self._last_word = joined_words[-1][-_MOST_LAST_WORD_CHARS:]
            else:
                self._last_word = ""

    def learn_server_result(
        self,
        server: str,
        argument_texts: Iterable[str],
        result: str,
        seen: Sequence[SeenText],
    ) -> bool:
        """Return True if a server's result may be nothing but encoded arguments.

        Not every encoding, such as a cipher, can be recognised, so lengths are
        compared: a result that has much more new text than the server has received is
        not encoded. Arguments of earlier calls count as received, too, because the
        server may have stored them. `seen` are all texts that the trial had seen before
        the call.
        """
        self._learn_seen(seen)
        # Words of the task, of declarations and of earlier results prove nothing new.
        familiar_words = self._known_words | self._result_words
        folded_arguments = [fold_text(text) for text in argument_texts]
        argument_words: set[str] = set()
        for text in folded_arguments:
            argument_words.update(parts_of(text))
        result_words = set(parts_of(fold_text(result)))

        # 1. Count the new characters that the server has received, and not returned as they are. A
        # script may also hide a text in signs, such as emojis, so unusual signs count,
        # too.
        received_chars = self._unreturned_chars.get(server, 0)
        for text in folded_arguments:
            received_chars += _count_unusual_signs(text)
        for word in argument_words - familiar_words - result_words:
            is_familiar_plural = _is_plural_of_any(word, familiar_words)
            if not is_familiar_plural:
                received_chars += len(word)

        # 2. Count the characters of the result's new words, and compare.
        new_words = result_words - familiar_words - argument_words
        new_chars = sum(len(word) for word in new_words)
        may_be_encoded = new_chars <= _ENCODED_LENGTH_FACTOR * received_chars

        # 3. Keep the count for the next results. A server that returns more than it has received
        # has text of its own, so its count starts again from 0.
        self._unreturned_chars[server] = received_chars if may_be_encoded else 0
        return may_be_encoded

    def own_words_in(self, text: str) -> str:
        """Return the own words in a text, one in each line.

        If not all own words could be kept, any word may be one, so return the whole
        text.
        """
        if not self._own_words:
            return ""
        if self._is_full:
            return text
        folded = fold_text(text)
        own_words = self._own_words & set(parts_of(folded))
        for number in numbers_of(folded):
            if _number_key(number) in self._own_words:
                own_words.add(number)
        return "\n".join(sorted(own_words))

    def has_only_own_words(self, text: str) -> bool:
        """Return True if a text has words, and all of them are own words.

        If not all own words could be kept, any text may consist of them, so return
        True.
        """
        if self._is_full:
            return True
        if not self._own_words:
            return False
        words = set(parts_of(fold_text(text)))
        return bool(words) and words.issubset(self._own_words)

    def _learn_seen(self, seen: Sequence[SeenText]) -> None:
        """Add the words of newly seen texts to `_result_words`.

        The text's `tainted` words are left out: it may only repeat them from its call's
        arguments.
        """
        for text in seen[self._learnt_texts :]:
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                repeatable_words = _words_of(fold_text(text.tainted))
                self._result_words |= _words_of(fold_text(text.text)) - repeatable_words
        self._learnt_texts = len(seen)

    @property
    def _is_full(self) -> bool:
        """True if no further own words are kept, because there are too many."""
        return len(self._own_words) > bounds.MOST_OWN_WORDS


def _words_of(folded_text: str) -> set[str]:
    """Return the words of a text, and the keys of its numbers.

    `fee 1,200` -> `fee`, `1`, `200`, `#12`
    """
    words = set(parts_of(folded_text))
    words.update(_number_key(number) for number in numbers_of(folded_text))
    return words


def _is_plural_of_any(word: str, singulars: set[str]) -> bool:
    """Return True if a word looks like the plural of a known word: `loans` of
    `loan`."""
    return len(word) >= _LEAST_PLURAL_CHARS and word[:-1] in singulars


def _number_key(number: str) -> str:
    """Return a key that is the same for all formats of a number: `#12` for `1,200.0`
    and `1200`.

    It has the digits without the zeros at the ends. The `#` tells it from a word such
    as `12`.
    """
    return f"#{number_key(number)}"


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_ordinary = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_ordinary:
            count += 1
    return count
