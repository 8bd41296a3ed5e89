"""The shop's tools for payments and returns on records with huge numbers, or no object at all.

A script writes the record with the id `hostile`, and runs a tool on it. The tool works, or says in
one line why not, and has no effect on later calls: then `unclear_failures` is empty.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import tool
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


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
def test_restart_of_an_odd_verification(shop: EcomEnvironment, payment: str) -> None:
    case = tool("payments", "restart-verification", "hostile", payments=payment)

    assert unclear_failures(shop, case) == []


def test_refund_of_a_return_that_is_a_text(shop: EcomEnvironment) -> None:
    case = tool("refund", "close", "hostile", returns='"x"')

    assert unclear_failures(shop, case) == []


def test_refund_with_odd_letters_in_the_id(shop: EcomEnvironment) -> None:
    case = tool("refund", "close", "hostile\x00\n\ud800", returns="{}")

    assert unclear_failures(shop, case) == []
