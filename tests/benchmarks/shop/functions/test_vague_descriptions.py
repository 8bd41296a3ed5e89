"""A description that fits more than 120 products is refused, since all would have to be read.

`match_products(description="a tarp")` finds the products of a shop that a customer may mean. With
121 tarps, it says: "121 products may be meant: name the brand as well".
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

TARPS = {f"/proc/catalogue/TARP-{n}.json": tarp(f"TARP-{n}") for n in range(121)}


def test_a_description_that_fits_too_many_products_is_refused() -> None:
    refusal = "121 products may be meant: name the brand as well"
    with pytest.raises(CallError, match=refusal):
        function_result(written_shop(TARPS), "match_products", description="a tarp")


def test_a_description_is_refused_if_a_search_cannot_list_what_fits() -> None:
    """One call lists 60 lines, so it is unknown how many products are tarps."""
    shop = written_shop(TARPS, most_listed=60)

    refusal = "too many products may be meant: name the brand as well"
    with pytest.raises(CallError, match=refusal):
        function_result(shop, "match_products", description="a tarp")
