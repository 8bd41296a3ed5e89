"""Splits descriptions in the phrase that catalogues use for their products.

    the tarp from Osier & Oak in the Lea line that has colour sand, without poles

is a description with the brand `Osier & Oak`, the kind `tarp`, the family `Lea`, and
two constraints: `colour sand` and, negated, `poles`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.constraint_lists import split_constraints
from controlplane.benchmarks.shop.products.product_properties import Constraint


@dataclass(frozen=True, slots=True)
class Description:
    """The parts of a product's description. Unknown parts are empty."""

    brand: str = ""
    kind: str = ""
    """What the product is: `tent`."""
    family: str = ""
    """The name of its product line: `Skerry`."""
    constraints: tuple[Constraint, ...] = ()


NOTHING_KNOWN: Final = Description()


_CATALOGUE_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<constraints>.+))?",
    re.IGNORECASE | re.DOTALL,
)
"""`the KIND from BRAND in the FAMILY line that has CONSTRAINTS`"""


def split_description(text: str, known: Description = NOTHING_KNOWN) -> Description:
    """Return the parts of the catalogue phrase in a text, added to what is `known` already.

    The family and the constraints of the phrase replace the known ones. The known brand
    and kind are kept. Without a phrase in the text, the result is `known`.
    """
    phrase = _CATALOGUE_PHRASE.search(text)
    if phrase is None:
        return known
    constraints = known.constraints
    if phrase["constraints"]:
        constraints = tuple(split_constraints(phrase["constraints"]))
    return Description(
        brand=known.brand or phrase["brand"],
        kind=known.kind or phrase["kind"],
        family=phrase["family"],
        constraints=constraints,
    )
