"""A request for the units of one product at all branches of a city."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.requests.answer_template import asked_template

_BRANCHES: Final = re.compile(
    r"\b(?:every|all|each)(?: of the| the)? (?P<city>[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)*) branch", re.IGNORECASE
)
_PRODUCT: Final = re.compile(r"\bunits of (?:the )?product \((?P<product>[^()]+)\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CityStock:
    """What is asked for."""

    city: str
    product: str
    template: str
    """The form of the answer; empty if none is given."""


def city_stock(text: str) -> CityStock | None:
    """Return the city and the product of such a request, or None."""
    city, product = _BRANCHES.search(text), _PRODUCT.search(text)
    if city is None or product is None:
        return None
    return CityStock(city["city"], product["product"].strip(), asked_template(text))
