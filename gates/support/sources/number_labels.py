"""Reads the label of a number: the heading of its column, its key, or the words before it.

    revenue_eur     the cell 1250 below this heading is in EUR
    price_cents     the cell 1250 below this heading may be 12.50: a power of ten of -2

Such a number has no unit or scale of its own. Its label supplies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.sources.table_rows import Rows
from controlplane.gates.values.locale_names import MYRIADS, locale_names
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.unit_names import unit_of

MINOR_UNITS: Final = frozenset(
    {"cent", "cents", "ct", "pence", "centimes", "céntimos", "grosz"}
)
"""Hundredths of a currency: 1250 under `price_cents` is 12.50."""
_POWER_OF_HUNDREDTHS: Final = -2
"""10 to the power of -2 is a hundredth."""
_SINGLE_LETTER_UNITS: Final = frozenset("hgltmW")
"""Letters that are read as units in a heading: hours, grams and so on. Others, such as `A` or
`V`, are more often names of columns."""
_UNIT_SIGNS: Final = frozenset("%€$£¥°")
"""Signs that belong to a word, like letters: `°C`, `%`."""
_CLAUSE_ENDS: Final = (". ", "; ", ", ", "|")
"""What ends the label of the number before: the `, ` of `Rent 900 EUR, cleaning 80`."""
LABEL_CHARS: Final = 60
"""Outside tables, only this many characters before a number are its label."""


@dataclass(frozen=True, slots=True)
class NumberLabels:
    """The units and scales that the label of a number names."""

    units: frozenset[str]
    """The units, such as `EUR` for `revenue_eur`."""
    powers: frozenset[int]
    """The powers of ten by which the number may be multiplied: 3 for `in thousands`."""


def label_of(rows: Rows, line: int, start: int) -> str:
    """Return the words that label the number at an offset of a line.

    - The 38 of `B-1;38` below `id;weight_kg`: the heading of its column and the first cell
      of its row, `weight_kg B-1`.
    - The 80 of `Rent 900 EUR, cleaning 80`, which is not in a table: the words before it,
      `cleaning`, and the first line of the text, which may be a heading.
    """
    labels = rows.labels_before(line, start)
    if labels is None:  # not in a table
        text_before = rows.lines[line][max(start - LABEL_CHARS, 0) : start]
        labels = [last_clause(text_before), rows.heading_of(line)]
    return " ".join(labels)


def units_named(text: str) -> frozenset[str]:
    """Return the units in a heading or key: `revenue_eur` -> EUR, `Duration (min)` -> min."""
    units: set[str] = set()
    previous_word = ""
    for word in _words(text):
        # In `below_20_kg`, the kg belongs to the 20, not to the cells below this heading.
        belongs_to_number = previous_word.isdigit()
        previous_word = word
        if belongs_to_number:
            continue
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and word not in _SINGLE_LETTER_UNITS:
            continue
        unit = unit_of(word)
        if unit:
            units.add(unit)
    return frozenset(units)


def powers_named(text: str) -> frozenset[int]:
    """Return the powers of ten in a heading: `in thousands` -> 3, `price_cents` -> -2.

    `万円`, ten thousand yen, has the power 4.
    """
    scales = locale_names().scales  # powers of ten by words such as `million`
    powers: set[int] = set()
    for word in _words(text):
        name = word.casefold()
        # A single letter, such as `M`, is more often a name than a scale.
        if len(word) > 1 and name in scales:
            powers.add(scales[name])
        if name in MINOR_UNITS:
            powers.add(_POWER_OF_HUNDREDTHS)
        if word[0] in MYRIADS:  # the 10,000 of `万円`
            powers.add(MYRIADS[word[0]])
    return frozenset(powers)


def last_clause(text: str) -> str:
    """Return what follows the last comma, semicolon, full stop or bar of a text.

    In `Rent 900 EUR, cleaning 80`, only `cleaning ` is the label of the 80.
    """
    clause = text
    for end in _CLAUSE_ENDS:
        clause = clause.rpartition(end)[2]  # the whole clause if it has no such end
    return clause


def _words(text: str) -> list[str]:
    """Return the runs of letters, digits and signs of units: `area_m²` -> `area`, `m2`."""
    plain = normalize_text(text).text.replace("²", "2").replace("³", "3")
    characters = []
    for character in plain:
        belongs_to_word = character.isalnum() or character in _UNIT_SIGNS
        characters.append(character if belongs_to_word else " ")
    return "".join(characters).split()
