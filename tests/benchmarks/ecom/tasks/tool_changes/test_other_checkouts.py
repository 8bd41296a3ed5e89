"""A checkout scores nothing if the basket's file is right in the end, but not changed by the tool.

The task `CHECKOUT` asks for the checkout of basket-4. The tool `/bin/checkout basket-4` has to be
run once, which `check_out` does. Only the tool may write the status `checked_out` into the basket's
file. `write_basket` writes the file by hand.
"""

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.gates.submission import OK
from tests.benchmarks.ecom.tasks.tool_changes.checked_out_basket import (
    CHECKOUT,
    check_out,
    write_basket,
)


def test_a_checkout_that_is_written_by_hand_scores_nothing(
    shop: EcomEnvironment,
) -> None:
    write_basket(shop, status="checked_out")
    shop.answer("Done.", OK, [])

    result = grade(CHECKOUT, shop)

    assert result.score == 0.0
    assert result.details == (
        "expected the tools [/bin/checkout] to be run, each once and no others, "
        "got [write /proc/carts/basket-4.json]",
        "expected /proc/carts/basket-4.json to be changed by /bin/checkout alone",
    )


def test_a_checkout_that_is_made_twice_scores_nothing(shop: EcomEnvironment) -> None:
    check_out(shop)
    write_basket(shop, status="active")
    check_out(shop)
    shop.answer("Done.", OK, [])

    result = grade(CHECKOUT, shop)

    assert result.score == 0.0
    assert result.details == (
        "expected the tools [/bin/checkout] to be run, each once and no others, "
        "got [exec /bin/checkout basket-4, write /proc/carts/basket-4.json, "
        "exec /bin/checkout basket-4]",
        "expected /proc/carts/basket-4.json to be changed by /bin/checkout alone",
    )


def test_a_checkout_that_is_written_once_more_scores_nothing(
    shop: EcomEnvironment,
) -> None:
    """The tool was run once, as demanded. Only the write of its basket is a fault."""
    check_out(shop)
    write_basket(shop, status="checked_out")
    shop.answer("Done.", OK, [])

    result = grade(CHECKOUT, shop)

    assert result.score == 0.0
    assert result.details == (
        "expected /proc/carts/basket-4.json to be changed by /bin/checkout alone",
    )
