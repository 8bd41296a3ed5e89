"""The words by which people may call a field of a product, and the unit in its name.

The field `output_lm` is called `luminous flux` or `output`, and its values are lumens. So "a
lamp with a luminous flux of 800" asks for `output_lm` 800.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.products.product_units import UNITS
from controlplane.benchmarks.shop.texts.text import normal_words

_QUANTITY_LABELS: Final[dict[str, tuple[str, ...]]] = {
    "light": ("luminous flux",),
    "current": ("amperage",),
    "power": ("wattage",),
    "pieces": ("pieces", "piece count", "pack size"),
}
"""Common names for a field whose unit has this quantity: `output_lm` is a luminous flux."""
_WORD_LABELS: Final = {"color": ("color family",), "colour": ("colour family", "color")}
"""More labels for fields whose name ends with this word: people write `color` for `colour`."""
_LEAST_LABEL_LETTERS: Final = 4
"""The fewest letters of a field's last word that make it a label by itself.

`diameter` is one for `disc_diameter`. Shorter words, such as `max` and `no`, end many
fields.
"""


def unit_of(key: str) -> str:
    """Return the unit at the end of a field's name: `weight_kg` -> `kg`; empty if it has none."""
    words = normal_words(key).split()
    if len(words) > 1 and words[-1] in UNITS:
        return words[-1]
    return ""


def property_labels(key: str) -> list[str]:
    """Return the labels that people may use for a field, longest first.

    `disc_diameter_mm` -> `disc diameter mm`, `disc diameter`, `diameter`. Further
    labels come from the tables above: by the quantity of the unit, or by the last word.
    """
    words = normal_words(key).split()
    unit = unit_of(key)
    words_without_unit = words[:-1] if unit else words
    last_word = words_without_unit[-1]
    labels = {" ".join(words), " ".join(words_without_unit)}
    if len(words_without_unit) > 1 and len(last_word) >= _LEAST_LABEL_LETTERS:
        labels.add(last_word)
    labels.update(_WORD_LABELS.get(last_word, ()))
    if unit:
        labels.update(_QUANTITY_LABELS.get(UNITS[unit].quantity, ()))
    return sorted(labels, key=lambda label: (-len(label), label))
