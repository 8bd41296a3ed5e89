"""Grades of changes to the shop, which only the tool for them may make.

For example, a basket is checked out by `/bin/checkout basket-0012`. Its file then has the status
`checked_out`. A script that writes this file itself changes the same, but scores nothing. Nor may
an answer that refuses a request have changed anything before.
"""

from collections.abc import Sequence

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.records import Basket
from controlplane.benchmarks.ecom.world.rendered_world import (
    text_of_record,
    workspace_of,
)
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from controlplane.sandbox.interface import Plain

WORLD = generate("grader", WorldSettings(names="own"))

ToolCall = tuple[str, dict[str, Plain]]
"""An operation with its arguments: `("read", {"path": "/AGENTS.MD"})`."""


def checkout(argument: str) -> ToolCall:
    """Return the call that runs `/bin/checkout` with an argument."""
    return "exec", {"path": "/bin/checkout", "args": [argument]}


def active_basket() -> Basket:
    """Return the first basket of the world that has not been checked out."""
    for basket in WORLD.baskets.values():
        if basket.status == "active":
            return basket
    msg = "the world has no active basket"
    raise AssertionError(msg)


BASKET = active_basket()
BASKET_PATH = WORLD.path(BASKET)

CHECKOUT = checkout(BASKET.id)


def grade_of_checkout(calls: Sequence[ToolCall]) -> Grade:
    """Return the grade of a trial that should check the basket out, and makes these calls."""
    environment = EcomEnvironment(workspace_of(WORLD))
    for operation, arguments in calls:
        environment.call(operation, arguments)
    environment.answer("Done.", OK, [BASKET_PATH])
    truth = Truth(
        instruction="Buy it.",
        message="Done.",
        must_cite=(BASKET_PATH,),
        changes={BASKET_PATH: text_of_record(WORLD, BASKET, status="checked_out")},
        calls=(("checkout", BASKET.id),),
    )
    return grade(truth, environment)


def write_basket(*, status: str) -> ToolCall:
    """Return the call that writes the basket's file by hand, with this status."""
    content = text_of_record(WORLD, BASKET, status=status)
    return "write", {"path": BASKET_PATH, "content": content}


class TestCheckouts:
    """A checkout counts if it was made by one successful run of the tool, and not otherwise.

    The task is to check out an active basket. Each case is the calls of a trial: `CHECKOUT` runs
    `/bin/checkout` with the basket's id, `write_basket` writes the basket's file by hand.
    """

    @pytest.mark.parametrize(
        "calls",
        [
            pytest.param([CHECKOUT], id="checkout"),
            pytest.param([checkout("--help"), CHECKOUT], id="help before"),
            pytest.param([checkout("none"), CHECKOUT], id="failed checkout before"),
        ],
    )
    def test_a_checkout_by_one_successful_run_of_the_tool_scores_one(
        self, calls: Sequence[ToolCall]
    ) -> None:
        """Runs that change nothing do not matter."""
        assert grade_of_checkout(calls).score == 1.0

    @pytest.mark.parametrize(
        "calls",
        [
            pytest.param([write_basket(status="checked_out")], id="written by hand"),
            pytest.param(
                [CHECKOUT, write_basket(status="active"), CHECKOUT], id="made twice"
            ),
            pytest.param(
                [CHECKOUT, write_basket(status="checked_out")], id="written once more"
            ),
        ],
    )
    def test_a_checkout_that_is_written_by_hand_or_made_twice_scores_nothing(
        self, calls: Sequence[ToolCall]
    ) -> None:
        """The basket's file is right in the end, but not how it became so."""
        assert grade_of_checkout(calls).score == 0.0


class TestRefusals:
    """An answer that denies a request, or asks what is meant, must not have changed anything."""

    @pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
    def test_a_refusal_after_a_change_scores_nothing_even_if_it_was_undone(
        self, outcome: str
    ) -> None:
        """A script writes a file, deletes it again, and then refuses the request."""
        environment = EcomEnvironment(workspace_of(WORLD))
        environment.call("write", {"path": "/tmp/draft", "content": "x"})
        environment.call("delete", {"path": "/tmp/draft"})
        environment.answer("No.", outcome, [])
        truth = Truth(instruction="Do it.", message="No.", outcome=outcome)

        result = grade(truth, environment)

        assert result.score == 0.0
        assert result.details == (
            "expected no changing call, got [write /tmp/draft, delete /tmp/draft]",
        )
