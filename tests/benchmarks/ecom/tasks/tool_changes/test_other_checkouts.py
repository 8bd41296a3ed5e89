"""A checkout scores nothing if the basket's file is right in the end, but not changed by the tool.

The task `CHECKOUT` asks for the checkout of basket-4. The tool `/bin/checkout basket-4` has to be
run once, which `check_out` does. Only the tool may write the status `checked_out` into the basket's
file. `write_basket` writes the file by hand.
"""

import json

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import (
    CLARIFICATION,
    DENIED,
    OK,
    UNSUPPORTED,
)
from tests.benchmarks.shop.functions.goods_records import written_shop

# A shop's task that asks for the checkout of a basket, and ways to check it out.
#
# shop = written_shop({BASKET: basket_text(status="active")})
# check_out(shop)                              # by the tool, /bin/checkout
# write_basket(shop, status="checked_out")     # by hand: the same text, but it scores nothing
# grade(CHECKOUT, shop)

BASKET = "/proc/carts/basket-4.json"


def basket_text(*, status: str) -> str:
    """Return the text of the basket's file, as the tool writes it: `{"id": "basket-4", ...}`."""
    return json.dumps({"id": "basket-4", "status": status}, indent=2) + "\n"


CHECKOUT = TaskTruth(
    instruction="Buy it.",
    message="Done.",
    changes={BASKET: basket_text(status="checked_out")},
    calls=(("checkout", "basket-4"),),
)
"""The task, with what its right answer says and changes, and the tool that must be run."""


def check_out(shop: EcomEnvironment, argument: str = "basket-4") -> None:
    """Run `/bin/checkout` with an argument."""
    shop.call("exec", {"path": "/bin/checkout", "args": [argument]})


def write_basket(shop: EcomEnvironment, *, status: str) -> None:
    """Write the basket's file by hand, with this status."""
    shop.call("write", {"path": BASKET, "content": basket_text(status=status)})


@pytest.fixture
def shop() -> EcomEnvironment:
    """A shop whose only file is an active basket, `{"id": "basket-4", "status": "active"}`."""
    return written_shop({BASKET: basket_text(status="active")})


# A checkout scores one if it was made by one successful run of the shop's tool for it.
#
# The task asks for the checkout of basket-4. The tool `/bin/checkout basket-4` writes the status
# `checked_out` into the basket's file. `grade` compares what was run and changed with the task.


def test_a_checkout_by_the_tool_scores_one(shop: EcomEnvironment) -> None:
    check_out(shop)
    shop.answer("Done.", OK, [])

    assert grade(CHECKOUT, shop).score == 1.0


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("--help", id="the tool's help"),
        pytest.param("none", id="a basket that does not exist"),
    ],
)
def test_a_run_before_that_changes_nothing_does_not_matter(
    shop: EcomEnvironment, argument: str
) -> None:
    check_out(shop, argument)
    check_out(shop)
    shop.answer("Done.", OK, [])

    assert grade(CHECKOUT, shop).score == 1.0


# An answer that refuses a request must not have changed anything before, even if it was undone.
#
# A script writes a file of the shop, deletes it again, and then denies the request: score 0.


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
def test_a_refusal_after_a_change_scores_nothing_even_if_it_was_undone(
    outcome: str,
) -> None:
    task = TaskTruth(instruction="Do it.", message="No.", outcome=outcome)
    shop = written_shop({})
    shop.call("write", {"path": "/tmp/draft", "content": "x"})
    shop.call("delete", {"path": "/tmp/draft"})
    shop.answer("No.", outcome, [])

    result = grade(task, shop)

    assert result.score == 0.0
    assert result.details == (
        "expected no changing call, got [write /tmp/draft, delete /tmp/draft]",
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
