"""Recognises results that may be nothing but a script's own text in encoded form.

A script could send `ZmVlIGlzIDc=` to a server that decodes base64, and cite its result,
`fee is 7`. So a result that a script may have smuggled in must not count as proof. There
are too many encodings to try them all, so lengths are compared: a result is the
server's own if it has much more new text than scripts have sent to the server.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.texts.result_words import ResultWords
from controlplane.gates.text_folding import fold_text, parts_of

_QUERY_WORDS: Final = (
    "select from where and or not in is null like between order group by having limit offset join "
    "left inner on as distinct count sum avg min max case when then else end asc desc union all "
    "cast true false with id"
)
"""Words of query languages, and the usual name of a key. Scripts need them to query a database."""
_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages."""
_LENGTH_FACTOR: Final = 1.5
"""How many times longer than its text an encoded text may be. Base64 is 1.33 times longer."""
_MIN_PLURAL_CHARS: Final = 5
"""The shortest plural, in characters: `loans`. In shorter words,
such as `his`, an `s` at the end seldom makes a plural."""


class EncodedResults:
    """Compares the results of each server with the text that scripts have sent to it.

    A script could send a text in base64, and cite the plain words that the server returns.
    So a result must have much more new text than was sent:

    | sent | result | may be the sent text |
    |---|---|---|
    | `ZmVlIGlzIDc=` (11 letters and digits) | `fee 7 eur` (7) | yes |
    | `ZmVlIGlzIDc=` | `late loans cost 7 eur` (17) | no: 17 is more than 1.5 times 11 |

    Words of the task, of earlier results and of query languages hide nothing, so they do not
    count.
    """

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """Has the words that calls have returned so far."""
        self._known_words = set(_QUERY_WORDS.split())
        """Words that a script may use because it was given them, such as the task's."""
        self._sent_chars: dict[str, int] = {}
        """By server, how many characters of new text scripts have sent to it, since the last
        result that was too long to be this text."""

    def add_known_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task."""
        self._known_words.update(parts_of(fold_text(text)))

    def learn_call(self, server: str, arguments: Iterable[str], result: str) -> bool:
        """Add what was sent to a server. Return True if the result may be the sent text, decoded.

        The server may have stored what earlier calls sent, and return all of it at once:

        | sent | sent in all | result | may be the sent text |
        |---|---|---|---|
        | `ZmVlI` | 5 | `ok` (2) | yes |
        | `GlzIDc=` | 11 | `fee 7 eur` (7) | yes, of both calls |
        | `Ym9va3M=` | 18 | a page of 400 | no. Later calls are counted from 0 on |
        """
        sent_text = fold_text("\n".join(arguments))
        sent_words = set(parts_of(sent_text))
        returned_words = set(parts_of(fold_text(result)))

        # Words that are in both do not count: the server has returned them without decoding.
        sent_chars = self._sent_chars.get(server, 0)
        sent_chars += self._sent_length(sent_text, sent_words - returned_words)
        returned_chars = self._returned_length(returned_words - sent_words)

        may_be_sent_text = returned_chars <= _LENGTH_FACTOR * sent_chars
        self._sent_chars[server] = sent_chars if may_be_sent_text else 0
        return may_be_sent_text

    def _sent_length(self, text: str, words: set[str]) -> int:
        """Return how many characters of the sent `text` could be an encoded text.

        - Its unusual signs: a text may be encoded in emojis.
        - Those of its `words` that are new. A plural such as `loans` is not new if `loan` is
          known, because scripts often search for both.
        """
        length = _count_unusual_signs(text)
        for word in words:
            if not self._is_known(word) and not self._is_known_plural(word):
                length += len(word)
        return length

    def _returned_length(self, words: set[str]) -> int:
        """Return how many characters of the words in a result are new, such as of `vault`."""
        return sum(len(word) for word in words if not self._is_known(word))

    def _is_known(self, word: str) -> bool:
        """Return True if scripts were given a word, or an earlier result had it."""
        return word in self._known_words or word in self._result_words.so_far()

    def _is_known_plural(self, word: str) -> bool:
        """Return True if a word looks like the plural of a known word: `loans` of `loan`."""
        return len(word) >= _MIN_PLURAL_CHARS and self._is_known(word[:-1])


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_usual = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_usual:
            count += 1
    return count
