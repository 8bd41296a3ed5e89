"""Splits a list of properties that a product must have, or must not have.

`voltage 18 V, without battery` -> `[Constraint("voltage 18 V", label="voltage", value="18 V"),
Constraint("battery", is_negated=True)]`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.shop.products.product_properties import Constraint

_SEPARATOR: Final = re.compile(
    r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE
)
"""What stands between two constraints: `, `, `; but `, ` and `."""
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
"""The beginning of a constraint that a product must not satisfy: `without a `."""
_LEADING_WORD: Final = re.compile(
    r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE
)
"""A word before the property: `with ` in `with voltage 18 V`."""


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints in a list such as `voltage 18 V, without battery`."""
    constraints = []
    for part in _SEPARATOR.split(text.strip().rstrip(".?!")):
        if part.strip():
            constraints.append(_constraint(part.strip()))
    return constraints


def _constraint(text: str) -> Constraint:
    """Return the constraint in a text: `with voltage 18 V` -> label `voltage`, value `18 V`.

    A text such as `rechargeable` is a constraint without label and value.
    """
    is_negated = _NEGATION.match(text) is not None
    affirmative = _NEGATION.sub("", text)
    affirmative = _LEADING_WORD.sub("", affirmative)
    words = affirmative.split()
    label_length = _label_length(words)
    if label_length is None:
        return Constraint(affirmative, is_negated=is_negated)
    label = " ".join(words[:label_length])
    value = " ".join(words[label_length:])
    return Constraint(affirmative, label, value, is_negated=is_negated)


_LAST_LABEL_WORDS: Final = frozenset(
    {
        "capacity", "class", "color", "colour", "count", "current", "diameter", "family", "finish",
        "grade", "height", "kind", "length", "material", "pack", "power", "size", "standard",
        "thickness", "type", "voltage", "weight", "width",
    }
)  # fmt: skip
"""Last words of property labels: `frame material` in `frame material steel`."""


def _label_length(words: Sequence[str]) -> int | None:
    """Return the number of words before the value; None if it is unknown where the value begins.

    `cable length 3 m` -> 2, because the value begins at the first number. `frame material steel`
    -> also 2, because it begins after the last word that usually ends a label.
    """
    for index, word in enumerate(words):
        if index > 0 and word[0].isdigit():
            return index
    # The last word itself belongs to the value.
    for length in range(len(words) - 1, 0, -1):
        last_label_word = words[length - 1].casefold()
        if last_label_word in _LAST_LABEL_WORDS:
            return length
    return None
