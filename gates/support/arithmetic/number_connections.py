"""Reads what stands between two numbers of an answer: operators or words.

    3 kg + 4 kg         the operator `+`
    12 of 48, i.e. 25 % the words `of` and `i.e.`

They say how the numbers are connected, and so how the answer's result can be recalculated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.values.measures import unit_of
from controlplane.gates.values.spans import WrittenValue

MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Numbers that are further apart do not belong to one calculation."""

# Words between two numbers, in English, German, French, Italian, Dutch, Swedish, Danish, Polish
# and Czech. The English ones say what each set is for.

_OF: Final = frozenset(
    {"of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"}
)
"""Between a part and a whole: `12 of 48`."""
_THAT_IS: Final = frozenset(
    {"i.e.", "that is", "or", "das sind", "d.h.", "oder", "soit"}
)
"""Before another form of the same: `12 of 48, or 25 %`."""
_TO: Final = frozenset(
    {"to", "auf", "bis", "a", "à", "al", "till", "til", "do", "->", "→"}
)
"""Between the beginning and the end of a change: `from 40 to 30`."""
_LESS: Final = frozenset(
    {"less", "minus", "abzüglich", "moins", "menos", "meno", "min"}
)
"""Before a reduction: `1,240 EUR less 5 %`."""
_CHANGES: Final = frozenset(
    {"loss", "gain", "drop", "fall", "rise", "growth", "difference"}
    | {"increase", "decrease", "decline"}
)
"""Before the amount of a change, with `of`: `from 40 to 30, a loss of 10`.

English only: in other languages, no fixed phrase says so surely that the number is the change.
"""


@dataclass(frozen=True, slots=True)
class NumberConnection:
    """What stands between two numbers of an answer: operators or words.

    Both fields are empty if the numbers do not belong together.
    """

    operators: str = ""
    """Operators and parentheses without blanks: `+`, or `)=` in `(3 × 4) = 12`."""
    words: str = ""
    """The words in lower case: `of the`."""

    @property
    def is_operator(self) -> bool:
        """True for one or several of `+-*/`, maybe with parentheses: `)*(`."""
        signs = self.operators.replace("(", "").replace(")", "")
        return signs != "" and set(signs) <= set("+-*/")

    @property
    def means_of(self) -> bool:
        """True for the `of` in `12 of 48`."""
        return self.words in _OF

    @property
    def means_that_is(self) -> bool:
        """True for the `i.e.` in `12 of 48, i.e. 25 %`, and the `(` in `12 of 48 (25 %)`."""
        return self.words in _THAT_IS or self.operators in ("=", "(")

    @property
    def means_to(self) -> bool:
        """True for the `to` in `from 40 to 30`, and the `-` in `from 40 - 30`."""
        return self.words in _TO or self.operators == "-"

    @property
    def means_less(self) -> bool:
        """True for the `less` in `1,240 EUR less 5 %`, and the `-` in `1,240 - 5 %`."""
        return self.words in _LESS or self.operators == "-"

    @property
    def names_change(self) -> bool:
        """True if the next number is a change: `a loss of`, `growth of`."""
        words = self.words.split()
        if len(words) not in (2, 3):
            return False
        return words[-1] == "of" and words[-2] in _CHANGES


# Reading one connection

_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
)
_CURRENCY_SIGNS: Final = "$€£"
_OPERATOR_CHARACTERS: Final = frozenset("+-*/x()=" + _CURRENCY_SIGNS)
"""The characters of `(3 x $4) = $12` besides numbers. A piece of text with others is a word."""


def connection_between(
    answer: str, first: WrittenValue, second: WrittenValue
) -> NumberConnection:
    """Return what stands between two numbers, without units and signs of currencies.

    | the answer    | the connection                                                       |
    | ------------- | -------------------------------------------------------------------- |
    | `12 of €48`   | the words `of`                                                       |
    | `3 kg + 4 kg` | the operator `+`                                                     |
    | `$3 x $4`     | the operator `*`                                                     |
    | `2x + 3`      | none: `2x` is twice an unknown number, and not 2                     |
    """
    # `_SPELLINGS` makes `*` of `×`, `/` of `÷` and so on.
    text = answer[first.end : second.start].casefold().translate(_SPELLINGS)
    if len(text) > MAX_CHARS_BETWEEN_TERMS or "\n" in text:
        return NumberConnection()
    # In `2x + 3`, a letter touches the number. The `kg` of `3kg` does so, too, but is its unit.
    is_factor_of_unknown = text[:1].isalpha() and not first.unit
    if is_factor_of_unknown:
        return NumberConnection()

    pieces = _pieces_without_unit(text, first.unit)
    if any(_is_word(piece) for piece in pieces):
        return NumberConnection(words=" ".join(pieces).strip(_CURRENCY_SIGNS + " ,;"))
    operators = "".join(pieces).strip(_CURRENCY_SIGNS)
    return NumberConnection(operators=operators.replace("x", "*"))


def _pieces_without_unit(text: str, unit: str) -> list[str]:
    """Split a text at blanks and around `=`, and leave out a unit: ` kg =` -> `=`."""
    pieces: list[str] = []
    for piece in text.replace("=", " = ").split():
        word = piece.strip("().,-")
        is_unit = unit != "" and word != "" and unit_of(word) == unit
        if not is_unit:
            pieces.append(piece)
    return pieces


def _is_word(piece: str) -> bool:
    """Return True for `of`, and False for `+`, `)=` or `$`."""
    return not _OPERATOR_CHARACTERS.issuperset(piece)
