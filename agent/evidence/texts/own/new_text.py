"""How much new text a call has sent to a server, and how much new text its result has.

A script could send a text in a code that only the server knows, and cite the plain words that
the server returns. `EncodedResults` compares the lengths of the two, without text that hides nothing:

| text | new characters | since |
|---|---|---|
| `ZmVlIGlzIDc=`, sent | 11 | it has a word that nobody gave to the script |
| `select late loans`, sent | 0 | the words are those of a query and of the task |
| `😀😺`, sent | 2 | a text may be encoded in emojis |
| `fee 7`, returned after `fee` was sent | 1 | `fee` was not decoded |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.own.known_words import KnownWords
from controlplane.gates.text_folding import fold_text, parts_of

_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages. They hide nothing."""


@dataclass(frozen=True, slots=True)
class NewText:
    """The lengths of the new text in one call, in characters."""

    sent_chars: int
    returned_chars: int

    @classmethod
    def of(cls, arguments: Iterable[str], result: str, known: KnownWords) -> NewText:
        """Compare the arguments that a script has sent with the result.

        Words that are in both do not count: the server has returned them without decoding.
        """
        sent_text = fold_text("\n".join(arguments))
        sent_words = set(parts_of(sent_text))
        returned_words = set(parts_of(fold_text(result)))

        sent_chars = _count_unusual_signs(sent_text)
        for word in sent_words - returned_words:
            # Scripts often search for a plural after they were given the singular.
            if not known.has(word) and not known.has_singular_of(word):
                sent_chars += len(word)
        returned_chars = 0
        for word in returned_words - sent_words:
            if not known.has(word):
                returned_chars += len(word)
        return cls(sent_chars, returned_chars)


def _count_unusual_signs(folded_text: str) -> int:
    """Return how many signs of a text are not used in queries, such as emojis."""
    count = 0
    for char in folded_text:
        is_usual = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_usual:
            count += 1
    return count
