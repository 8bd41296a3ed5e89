"""Tools of the shop on a record that has odd texts, huge numbers or no object at all.

A script writes such a record, and runs a tool on it. The tool works, or says in one line why not, and has
no effect on later calls: on a query, on stock, and on a search of the pages.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import ROOTS, tool
from tests.benchmarks.ecom.hostile.hostile_texts import (
    DEEP,
    HUGE_STOCK,
    NINES,
    basket_with,
)
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


class TestStockOfABranch:
    """`/bin/availability /tmp/s X` counts the units of X in the record /tmp/s."""

    @pytest.mark.parametrize(
        "branch",
        [
            pytest.param(
                '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}',
                id="a list as SKU",
            ),
            pytest.param(HUGE_STOCK, id="huge numbers"),
            pytest.param("null", id="no record"),
            pytest.param(DEEP, id="a deep list"),
        ],
    )
    def test_an_odd_branch(self, shop: EcomEnvironment, branch: str) -> None:
        case = tool("availability", "/tmp/s", "X", files={"/tmp/s": branch})

        assert unclear_failures(shop, case) == []

    def test_the_same_product_999_times(self, shop: EcomEnvironment) -> None:
        products = ["X"] * 999
        case = tool(
            "availability", "/tmp/s", *products, files={"/tmp/s": '{"inventory": []}'}
        )

        assert unclear_failures(shop, case) == []


class TestBaskets:
    """`/bin/checkout hostile` changes the basket in the file hostile.json."""

    @pytest.mark.parametrize(
        "basket",
        [
            pytest.param(basket_with('"note": "\\ud800"'), id="a surrogate"),
            pytest.param(basket_with('"note": NaN'), id="no number"),
            pytest.param("[1]", id="a list"),
            pytest.param(
                basket_with('"note": "%s"' % ("é" * 800_000)), id="a large basket"
            ),
        ],
    )
    def test_checkout_of_an_odd_basket(
        self, shop: EcomEnvironment, basket: str
    ) -> None:
        case = tool("checkout", "hostile", baskets=basket)

        assert unclear_failures(shop, case) == []

    def test_checkout_of_a_basket_without_a_name(self, shop: EcomEnvironment) -> None:
        case = tool("checkout", "", files={f"{ROOTS['baskets']}/.json": "{}"})

        assert unclear_failures(shop, case) == []

    @pytest.mark.parametrize(
        ("basket", "percent"),
        [
            pytest.param('{"lines": null}', "5", id="no lines"),
            pytest.param("{}", "9" * 5_000, id="many digits"),
            pytest.param("{}", "\uff11\uff12", id="full-width digits"),
        ],
    )
    def test_an_odd_discount(
        self, shop: EcomEnvironment, basket: str, percent: str
    ) -> None:
        reason, issuer = "r", "i"
        case = tool("discount", "hostile", percent, reason, issuer, baskets=basket)

        assert unclear_failures(shop, case) == []


class TestPaymentsAndReturns:
    @pytest.mark.parametrize(
        "payment",
        [
            pytest.param(
                f'{{"verification": {{"attempts": {NINES}}}}}',
                id="attempts of many digits",
            ),
            pytest.param('{"verification": []}', id="a verification that is a list"),
        ],
    )
    def test_restart_of_an_odd_verification(
        self, shop: EcomEnvironment, payment: str
    ) -> None:
        case = tool("payments", "restart-verification", "hostile", payments=payment)

        assert unclear_failures(shop, case) == []

    def test_refund_of_a_return_that_is_a_text(self, shop: EcomEnvironment) -> None:
        case = tool("refund", "close", "hostile", returns='"x"')

        assert unclear_failures(shop, case) == []

    def test_refund_with_odd_letters_in_the_id(self, shop: EcomEnvironment) -> None:
        case = tool("refund", "close", "hostile\x00\n\ud800", returns="{}")

        assert unclear_failures(shop, case) == []
