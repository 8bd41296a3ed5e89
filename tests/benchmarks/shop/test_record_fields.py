"""How a shop's fields are recognized by their values, since every shop names them differently.

In the record of a branch, `{"stock": [{"sku": "S-1", "in_house": 4, "claimed": 1}, ...]}`, the field
`in_house` counts the units on hand, because it is larger than `claimed` in almost every row.
"""

import json
from pathlib import Path

import pytest

from controlplane.benchmarks.shop.workspace.fields.basket_fields import (
    LineFields,
    line_fields,
)
from controlplane.benchmarks.shop.workspace.fields.check_fields import (
    CheckFields,
    check_fields,
)
from controlplane.benchmarks.shop.workspace.fields.delivery_fields import DeliveryFields
from controlplane.benchmarks.shop.workspace.fields.product_fields import product_fields
from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    StockFields,
    stock_fields,
)

SAMPLES = Path(__file__).parents[4] / "shared" / "ecom1" / "samples"
"""Records of the public shop benchmark, in a folder beside the repository."""


def sample(name):
    """Return the data of a public record: `sample("cart_active")["lines"]`.

    The test is skipped where the folder with the records is missing.
    """
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("the recorded samples are not here")
    return json.loads(path.read_text())


class TestRecordedFields:
    """In records of the public shop, each field is recognized for what it holds.

    `sample("cart_active")` is the data of a public record. The tests are
    skipped where there are none.
    """

    def test_the_fields_of_a_recorded_product_are_recognized(self):
        """A field of the record has a known code. The page on products names the price."""
        product = sample("product_physical")
        known_codes = [product["sku"]]
        words_of_page = {"price_cents", "fulfillment_type"}

        fields = product_fields([product], known_codes, words_of_page)

        assert fields.code == "sku"
        assert fields.name == "name"
        assert fields.price == "price_cents"
        assert fields.properties == "properties"

    def test_the_fields_of_a_recorded_branchs_stock_are_recognized(self):
        """A branch has counts of each product, and deliveries that are on their way.

        The page on stock names the field that says in how many days a delivery arrives.
        """
        words_of_page = {"arrival_in_days"}

        fields = stock_fields(sample("store_with_inventory"), words_of_page)

        assert fields == StockFields(
            rows="inventory",
            code="sku",
            on_hand="on_hand",
            reserved="reserved",
            deliveries=DeliveryFields(
                rows="incoming", quantity="quantity", days="arrival_in_days"
            ),
        )

    def test_the_fields_of_a_recorded_baskets_lines_are_recognized(self):
        """A line of a basket has the code of a product, and how many units are wanted."""
        fields = line_fields([sample("cart_active")])

        assert fields == LineFields(lines="lines", code="sku", quantity="quantity")

    def test_the_fields_of_a_recorded_payments_verification_are_recognized(self):
        """The card of a payment is verified by 3-D Secure: a few attempts, with pauses between."""
        fields = check_fields([sample("payment_3ds_retry_window")])

        assert fields == CheckFields(
            check="three_ds",
            state="status",
            attempts="attempts",
            max_attempts="max_attempts",
            retry_at="retry_after",
        )


def recognized_counts(rows):
    """Return the fields for units on hand and for reserved units: `("in_house", "claimed")`.

    None if they are uncertain.
    """
    fields = stock_fields({"stock": rows}, frozenset())
    if fields is None:
        return None
    return fields.on_hand, fields.reserved


class TestCountsOfStock:
    """A row of a branch's stock has two counts: units on hand, and how many of these are reserved.

    The names of the fields do not say which is which, but the reserved units are rarely more. So
    `{"in_house": 4, "claimed": 1}` has 4 units on hand, if most rows are like it.
    """

    @pytest.mark.parametrize(
        "fields",
        [
            pytest.param(["in_house", "claimed"], id="on hand first"),
            pytest.param(["claimed", "in_house"], id="reserved first"),
        ],
    )
    def test_the_count_on_hand_is_the_one_that_is_mostly_larger(self, fields):
        """One row of eleven has more reserved units. The order of the fields must not matter."""
        rows = []
        for number in range(10):
            counts_of_row = {"claimed": number % 3, "in_house": number}
            row = {field: counts_of_row[field] for field in fields}
            rows.append({**row, "sku": f"S-{number}"})
        row_with_more_reserved = {"sku": "T", "claimed": 4, "in_house": 3}

        counts = recognized_counts([*rows, row_with_more_reserved])

        assert counts == ("in_house", "claimed")

    @pytest.mark.parametrize(
        "rows",
        [
            pytest.param([], id="no rows"),
            pytest.param([{"sku": "S", "n": 2}], id="one count"),
            pytest.param([{"sku": "S", "n": 2, "m": 1, "k": 1}], id="three counts"),
            pytest.param(
                [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 2}],
                id="a count that is missing in a row",
            ),
            pytest.param([{"sku": "S", "n": 2, "m": 2}], id="equal counts"),
            pytest.param(
                [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 1, "m": 2}],
                id="each larger in one row",
            ),
            pytest.param([{"sku": "S", "n": True, "m": 1}], id="a boolean"),
        ],
    )
    def test_counts_are_not_recognized_if_either_may_be_the_one_on_hand(self, rows):
        """The rows do not have two counts each, or do not show which of them is mostly larger."""
        assert recognized_counts(rows) is None
