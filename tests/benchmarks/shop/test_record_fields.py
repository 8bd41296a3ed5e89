"""A shop's fields are recognized by their values, since every shop names them differently.

In the record of a branch, `{"stock": [{"sku": "S-1", "in_house": 4, "claimed": 1}, ...]}`, the field
`in_house` counts the units on hand, because it is larger than `claimed` in almost every row.
"""

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
from controlplane.benchmarks.shop.workspace.fields.product_fields import (
    ProductFields,
    product_fields,
)
from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    StockFields,
    stock_fields,
)


class TestRecordsOfThePublicShop:
    """The records have the fields of the public shop benchmark, in the same order."""

    def test_the_fields_of_a_product(self):
        product = {
            "id": 12,
            "sku": "T-12",
            "name": "Osier Lea tarp",
            "brand": "Osier",
            "category_id": "cat-camping",
            "kind_id": "kind-tarps",
            "family_id": "fam-osier-lea",
            "price_cents": 2100,
            "fulfillment_type": 1,
            "return_policy": 1,
            "properties": {"colour": "sand", "length_cm": 400},
        }

        # The product's file is T-12.json. Of the four numbers, the page on products names two.
        fields = product_fields(
            [product], codes=["T-12"], marked={"price_cents", "fulfillment_type"}
        )

        assert (
            fields
            == ProductFields(
                code="sku",  # Its value is the name of a file.
                name="name",  # the longest text of several words
                brand="brand",  # The name begins with it.
                price="price_cents",  # the only one of the named numbers that sounds like money
                properties="properties",  # the only mapping
            )
        )

    def test_the_fields_of_a_branchs_stock_and_deliveries(self):
        branch = {
            "id": "store-7",
            "name": "Veerhaven Noord",
            "is_open": True,
            "lat": 47.5,
            "inventory": [
                {"sku": "T-12", "on_hand": 4, "reserved": 1},
                {"sku": "T-21", "on_hand": 4, "reserved": 4},
                {
                    "sku": "T-7",
                    "on_hand": 0,
                    "reserved": 0,
                    "incoming": [{"quantity": 7, "arrival_in_days": 4}],
                },
            ],
        }

        # The page on stock names the field with the days until a delivery arrives.
        fields = stock_fields(branch, marked={"arrival_in_days"})

        assert fields == StockFields(
            rows="inventory",
            code="sku",
            on_hand="on_hand",
            reserved="reserved",
            deliveries=DeliveryFields(
                rows="incoming", quantity="quantity", days="arrival_in_days"
            ),
        )

    def test_the_fields_of_a_baskets_lines(self):
        basket = {
            "id": "basket-7",
            "customer_id": "cust-4",
            "store_id": "store-7",
            "status": "active",
            "created_at": "2027-03-04T10:20:30Z",
            "lines": [{"sku": "T-12", "quantity": 4}],
        }

        fields = line_fields([basket])

        assert fields == LineFields(lines="lines", code="sku", quantity="quantity")

    def test_the_fields_of_the_check_of_a_payments_card(self):
        """The card is checked by 3-D Secure: a few attempts, with pauses between them."""
        payment = {
            "id": "pay-12",
            "basket_id": "basket-7",
            "customer_id": "cust-4",
            "amount_cents": 2100,
            "status": "requires_3ds_action",
            "created_at": "2027-03-04T10:20:30Z",
            "observed_lat": 47.5,
            "lines": [{"sku": "T-12", "quantity": 1, "unit_price_cents": 2100}],
            "three_ds": {
                "status": "3ds-status1",
                "attempts": 1,
                "max_attempts": 4,
                "retry_after": "2027-03-04T12:20:30Z",
            },
        }

        fields = check_fields([payment])

        assert fields == CheckFields(
            check="three_ds",
            state="status",
            attempts="attempts",
            max_attempts="max_attempts",
            retry_at="retry_after",
        )


def counts_in(rows):
    """Return the fields for the units on hand and the reserved units; None if they are uncertain.

    `counts_in([{"sku": "S", "in_house": 4, "claimed": 1}])` -> `("in_house", "claimed")`
    """
    fields = stock_fields({"stock": rows}, marked=())
    if fields is None:
        return None
    return fields.on_hand, fields.reserved


class TestCountsOfStock:
    """Only units on hand can be reserved, so the reserved units are the smaller count of a row.

    A shop has mistakes, so they may be larger in one of six rows, but not in one of five.
    """

    def test_the_larger_count_is_on_hand(self):
        assert counts_in([{"sku": "S", "in_house": 4, "claimed": 1}]) == (
            "in_house",
            "claimed",
        )
        assert counts_in([{"sku": "S", "claimed": 1, "in_house": 4}]) == (
            "in_house",
            "claimed",
        )

    def test_one_row_of_six_may_have_more_units_reserved_than_on_hand(self):
        rows = [
            {"sku": "S-1", "in_house": 4, "claimed": 1},
            {"sku": "S-2", "in_house": 7, "claimed": 0},
            {"sku": "S-3", "in_house": 12, "claimed": 2},
            {"sku": "S-4", "in_house": 1, "claimed": 0},
            {"sku": "S-5", "in_house": 4, "claimed": 2},
            {"sku": "S-6", "in_house": 3, "claimed": 4},
            {"sku": "S-7", "in_house": 2, "claimed": 2},  # says nothing
        ]

        assert counts_in(rows) == ("in_house", "claimed")

    def test_the_counts_are_uncertain_if_one_row_of_five_contradicts(self):
        rows = [
            {"sku": "S-1", "in_house": 4, "claimed": 1},
            {"sku": "S-2", "in_house": 7, "claimed": 0},
            {"sku": "S-3", "in_house": 12, "claimed": 2},
            {"sku": "S-4", "in_house": 1, "claimed": 0},
            {"sku": "S-5", "in_house": 3, "claimed": 4},
        ]

        assert counts_in(rows) is None

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
    def test_counts_are_uncertain_without_two_numbers_of_which_one_is_larger(
        self, rows
    ):
        assert counts_in(rows) is None
