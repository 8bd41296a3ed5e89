"""Before the day in its field `embargo_until`, nothing may be told of a product.

Whichever function a script asks about such a product, a note tells it of the embargo.
"""

from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

# The rules mention the field, so that it counts. Today is 2028-05-01.
RULES = """\
Records are below /proc/. Follow /docs/checkout.md.
Tell nothing of a product before its `embargo_until`.
"""


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("settle_receipt", {"path": "/uploads/slip.txt"}),
        ("find_records", {"kind": "product", "field": "sku", "value": "TARP-4"}),
        ("stock_at", {"products": ["TARP-4"], "branch": "store-1"}),
        ("match_products", {"description": "Osier tarp"}),
    ],
)
@pytest.mark.parametrize(
    ("embargo_day", "notes"),
    [
        pytest.param(
            "2028-05-21",
            [
                "TARP-4 has `embargo_until` 2028-05-21, which is still to come: "
                "see the rules on it"
            ],
            id="still to come",
        ),
        pytest.param("2028-04-21", [], id="past"),
    ],
)
def test_functions_note_that_a_product_is_still_under_embargo(
    function: str, arguments: dict[str, Any], embargo_day: str, notes: list[str]
) -> None:
    shop = written_shop(
        {
            "/AGENTS.MD": RULES,
            "/proc/catalogue/TARP-4.json": tarp(
                "TARP-4", cents=7119, embargo_until=embargo_day
            ),
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-4": 7}
            ),
            "/uploads/slip.txt": "Branch: Utrecht Canal\n"
            "1 x TARP-4 71.19\n"
            "Subtotal EUR 71.19\n",
        }
    )

    result = function_result(shop, function, **arguments)

    assert result["notes"] == notes


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_the_embargo_is_noted_with_the_pages_of_a_generated_shop(seed: str) -> None:
    """The request: "Can I buy what is on my receipt again?". A product on it is under embargo.

    The right answer ends with the day: "Nothing is told of it before 2027-03-09."
    """
    task = generate_variant("receipt-rebuy: barred", seed)
    shop = EcomEnvironment(workspace_of(task.world))

    settled = function_result(shop, "settle_receipt")

    last_word = task.truth.message.split()[-1]
    day = last_word.removesuffix(".")
    expected_note = f"`embargo_until` {day}, which is still to come"
    assert expected_note in " ".join(settled["notes"])
