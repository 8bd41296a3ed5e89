"""Products: which one is meant, what its record says."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion, asked_back, cited
from benchmarks.ecom.player.known import Known
from benchmarks.ecom.player.phrases import products_meant

PHRASES: Final = (
    r"\bof this: ?(.+?)\. ",
    r"\b(?:of|for) (?:the |an? )?(.+?)(?:\?| pls\b| please\b|\. |$)",
)


def name_sku(known: Known) -> Conclusion:
    """Name the SKU of the product that is described, or ask between those that fit equally well."""
    products = products_meant(known, _described(known.instruction))
    if not products:
        return Conclusion("No product fits that.", UNSUPPORTED, known.because("catalogue"))
    if len(products) > 1:
        skus = " or ".join(each.text("sku") for each in products)
        return asked_back(known, f"Which one do you mean: {skus}?", products, "catalogue")
    sku = products[0].text("sku")
    return Conclusion(sku, OK, {**cited(*products), **known.because("catalogue")}, tokens=(sku,))


def _described(instruction: str) -> str:
    found = (re.search(pattern, instruction, re.IGNORECASE) for pattern in PHRASES)
    return next((each[1] for each in found if each), instruction)
