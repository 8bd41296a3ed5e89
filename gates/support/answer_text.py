"""An answer whose values are to be marked, with the words around each value.

In "The late fee is 300", the words `late` and `fee` stand near the 300.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.boilerplate import BOILERPLATE
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.value_kinds import WrittenValue

NEAR_CHARS: Final = 160
"""How far before and behind a value its near words stand, in characters.

Of the lines that state the value, the one with most of these words is its likely source.
"""


@dataclass(frozen=True, slots=True)
class AnswerText:
    """An answer and its question."""

    text: str
    question: str
    style: NumberStyle
    """How the answer writes numbers: `1,070.50` or `1.070,50`."""

    @classmethod
    def of(cls, answer: str, question: str) -> AnswerText:
        """Return an answer with the style of its numbers."""
        style = number_style_of(normalize_text(answer).text)
        return cls(answer, question, style)

    def words_around(self, value: WrittenValue) -> frozenset[str]:
        """Return the words near a value in the answer, and those of the question.

        Leaves out the value itself and very common words.
        """
        start = max(value.start - NEAR_CHARS, 0)
        near_text = self.text[start : value.end + NEAR_CHARS]
        words = distinctive_words(f"{near_text}\n{self.question}")
        return words - distinctive_words(value.text) - BOILERPLATE
