"""The shop's tools for baskets on a record that has odd texts, huge numbers or no object at all.

`/bin/checkout hostile` changes the basket in the file hostile.json, which a script has written. The
tool works, or says in one line why not, and has no effect on later calls: then `unclear_failures`
is empty.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import tool
from tests.benchmarks.ecom.hostile.hostile_shop import ROOTS
from tests.benchmarks.ecom.hostile.hostile_texts import basket_with
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


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
def test_checkout_of_an_odd_basket(shop: EcomEnvironment, basket: str) -> None:
    case = tool("checkout", "hostile", baskets=basket)

    assert unclear_failures(shop, case) == []


def test_checkout_of_a_basket_without_a_name(shop: EcomEnvironment) -> None:
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
def test_an_odd_discount(shop: EcomEnvironment, basket: str, percent: str) -> None:
    reason, issuer = "r", "i"
    case = tool("discount", "hostile", percent, reason, issuer, baskets=basket)

    assert unclear_failures(shop, case) == []
