"""How answers are written in one world: `<YES>` in one, `ja` in another.

A page of the world says so. The tasks' right answers are written in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.world.data import DATA


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How answers are written in one world."""

    yes: str
    """The word for yes: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones.

    An answer to "a tarp, not the green one" then cites the green one, too.
    """

    def word(self, is_yes: bool) -> str:
        """Return the word for yes or no."""
        return self.yes if is_yes else self.no


ANSWER_STYLES: Final[Mapping[str, list[AnswerStyle]]] = {
    vocabulary: [AnswerStyle(**style) for style in styles]
    for vocabulary, styles in DATA["answer_styles"].items()
}
"""The possible answer styles by vocabulary.

A vocabulary is a set of names: `own` (made up here), `public` (those of the public
benchmark), or `random`.
"""
