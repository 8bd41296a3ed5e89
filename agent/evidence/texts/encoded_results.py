"""Recognises results that may be nothing but a script's own text in encoded form.

A script may send a text in base64 to an MCP server, which returns it in plain words.
There are too many encodings to try them all, so lengths are compared. A result is the
server's own if it has much more new text than scripts have sent to the server.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.texts.own_words import ResultWords
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

    Created when a trial starts. `learn_call` is called for each call of a server's tool.
    """

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that calls have returned so far."""
        self._known_words = set(_QUERY_WORDS.split())
        """Words that a script may use because it was given them, such as the task's."""
        self._sent_chars: dict[str, int] = {}
        """By server, the length of the new words that scripts have sent
        to it. Words that it has returned as they are do not count."""

    def add_known_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task."""
        self._known_words.update(parts_of(fold_text(text)))

    def learn_call(self, server: str, arguments: Iterable[str], result: str) -> bool:
        """Return True if a call's result may only be what scripts have sent, in another form.

        Earlier calls count, too, because the server may have stored their arguments.
        """
        text = fold_text("\n".join(arguments))
        sent = set(parts_of(text))
        returned = set(parts_of(fold_text(result)))

        sent_chars = self._sent_chars.get(server, 0)
        sent_chars += _count_unusual_signs(text)  # Emojis can encode a text, too.
        for word in self._new(sent - returned):
            if not self._is_plural(word):
                sent_chars += len(word)
        new_chars = sum(len(word) for word in self._new(returned - sent))

        # An encoded text is longer than its text, but not by much.
        may_be_encoded = new_chars <= _LENGTH_FACTOR * sent_chars
        # A server with text of its own does not repeat its arguments: count anew.
        self._sent_chars[server] = sent_chars if may_be_encoded else 0
        return may_be_encoded

    def _new(self, words: set[str]) -> set[str]:
        """Return the words that no script was given, and no result has had so far."""
        return words - self._known_words - self._result_words.so_far()

    def _is_plural(self, word: str) -> bool:
        """Return True if a word looks like the plural of one that is not new: `loans` of `loan`."""
        if len(word) < _MIN_PLURAL_CHARS:
            return False
        singular = word[:-1]
        is_given = singular in self._known_words
        return is_given or singular in self._result_words.so_far()


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_usual = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_usual:
            count += 1
    return count
