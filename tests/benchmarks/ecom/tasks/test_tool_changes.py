"""Grades of changes to the shop, which only the tool for them may make.

A basket is checked out by `/bin/checkout basket-4`. Its file then has the status `checked_out`. A
script that writes this file itself changes the same, but scores nothing. Nor may an answer that
refuses a request have changed anything before.
"""

import json

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.shop.functions.written_shop import written_shop

BASKET = "/proc/carts/basket-4.json"


def basket_text(*, status: str) -> str:
    """Return the text of the basket's file, as the tool writes it: `{"id": "basket-4", ...}`."""
    return json.dumps({"id": "basket-4", "status": status}, indent=2) + "\n"


def check_out(shop: EcomEnvironment, argument: str = "basket-4") -> None:
    """Run `/bin/checkout` with an argument."""
    shop.call("exec", {"path": "/bin/checkout", "args": [argument]})


def write_basket(shop: EcomEnvironment, *, status: str) -> None:
    """Write the basket's file by hand, with this status."""
    shop.call("write", {"path": BASKET, "content": basket_text(status=status)})


CHECKOUT = Truth(
    instruction="Buy it.",
    message="Done.",
    changes={BASKET: basket_text(status="checked_out")},
    calls=(("checkout", "basket-4"),),
)
"""A task that asks for the checkout of the basket."""


@pytest.fixture
def shop() -> EcomEnvironment:
    """A shop with an active basket."""
    return written_shop({BASKET: basket_text(status="active")})


class TestCheckoutsByTheTool:
    """A checkout scores one if it was made by one successful run of the tool."""

    def test_a_checkout_by_the_tool_scores_one(self, shop: EcomEnvironment) -> None:
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
        self, shop: EcomEnvironment, argument: str
    ) -> None:
        check_out(shop, argument)
        check_out(shop)
        shop.answer("Done.", OK, [])

        assert grade(CHECKOUT, shop).score == 1.0


class TestOtherCheckouts:
    """The basket's file is right in the end, but not how it became so."""

    def test_a_checkout_that_is_written_by_hand_scores_nothing(
        self, shop: EcomEnvironment
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

    def test_a_checkout_that_is_made_twice_scores_nothing(
        self, shop: EcomEnvironment
    ) -> None:
        """In between, the basket is made active again."""
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
        self, shop: EcomEnvironment
    ) -> None:
        check_out(shop)
        write_basket(shop, status="checked_out")
        shop.answer("Done.", OK, [])

        result = grade(CHECKOUT, shop)

        assert result.score == 0.0
        assert result.details == (
            "expected /proc/carts/basket-4.json to be changed by /bin/checkout alone",
        )


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
def test_a_refusal_after_a_change_scores_nothing_even_if_it_was_undone(
    outcome: str,
) -> None:
    """A script writes a file, deletes it again, and then refuses the request."""
    shop = written_shop({})
    shop.call("write", {"path": "/tmp/draft", "content": "x"})
    shop.call("delete", {"path": "/tmp/draft"})
    shop.answer("No.", outcome, [])

    result = grade(Truth(instruction="Do it.", message="No.", outcome=outcome), shop)

    assert result.score == 0.0
    assert result.details == (
        "expected no changing call, got [write /tmp/draft, delete /tmp/draft]",
    )
