"""How much new text a call has sent to a server, and how much new text its result has.

A script could send a text in an encoding that only the server knows, and cite the plain words that
the server returns. `UnprovenWords` compares the lengths of the two. Only what may be encoded text,
or decoded from it, is counted:

| part | counts | since |
|---|---|---|
| sent `😀😺` | 2 characters | a text may be encoded in signs that queries do not use |
| sent `ZmVlIGlzIDc=` | 11, without the sign | nobody gave this word to the script |
| sent `select late loans` | 0 | the words are those of a query and of the task |
| returned `fee 7`, after `fee` was sent | 1 | `fee` was not decoded |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.own.given_words import GivenWords
from controlplane.gates.text_folding import fold_text, parts_of

_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages. They hide nothing."""


@dataclass(frozen=True, slots=True)
class NewText:
    """The lengths of the new text in one call, in characters."""

    sent_chars: int
    returned_chars: int

    @classmethod
    def of(cls, arguments: Iterable[str], result: str, given: GivenWords) -> NewText:
        """Compare the arguments that a script has sent with the result."""
        sent_text = fold_text("\n".join(arguments))
        sent_words = set(parts_of(sent_text))
        returned_words = set(parts_of(fold_text(result)))

        # The server has returned the words in both as they were sent, without decoding them.
        only_sent = sent_words - returned_words
        only_returned = returned_words - sent_words
        maybe_encoded = [
            word for word in only_sent if not given.has_word_or_singular(word)
        ]
        maybe_decoded = [word for word in only_returned if not given.has(word)]
        return cls(
            sent_chars=_count_unusual_signs(sent_text) + _count_chars(maybe_encoded),
            returned_chars=_count_chars(maybe_decoded),
        )


def _count_chars(words: Iterable[str]) -> int:
    """Return how many characters words have in all."""
    return sum(len(word) for word in words)


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_usual = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_usual:
            count += 1
    return count
