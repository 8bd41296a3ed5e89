"""The pre-call check of the shop in generated shops: what it says before a tool changes something.

For example: a script is about to run `/bin/checkout basket-12`, and the check objects because the
branch has too few units of a line. It judges by the shop's records and by what the pages say. An
objection is a text; it is empty if nothing speaks against the call.

The modules in `objections` show each reason by a shop of a few written files.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import (
    objection,
    objection_to_run,
    shop_of,
)


class CheckedShop(EcomEnvironment):
    """A shop in which the check judges each call that changes something, before it is made."""

    objections: tuple[str, ...] = ()
    """What the check has said so far: `("", "")` if nothing speaks against two calls."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if self.tool_schema.may_change(operation, arguments):
            judged_arguments = {"stdin": "", **arguments}
            text = objection(self, operation, judged_arguments)
            self.objections = (*self.objections, text)
        return super().call(operation, arguments)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "variant",
    [
        "basket-addition: one product fits",
        "basket-checkout: possible",
        "discount-grant: named percentage",
        "discount-grant: maximum",
        "refund-approval: possible",
        "refund-closure: possible",
        "unnamed-basket: one is active",
        "verification-restart: possible",
        "temporary-files: every file",
        "crosslist",
        "inventory-export",
    ],
)
def test_the_calls_of_a_right_answer_are_not_objected_to(
    variant: str, seed: int
) -> None:
    """`reference_answer` solves the task rightly, with the changes that this needs."""
    task = generate_variant(variant, f"guard {seed}")
    shop = CheckedShop(workspace_of(task.world))

    reference_answer(shop, task.truth)

    assert len(shop.objections) > 0
    assert set(shop.objections) == {""}


class TestWrongCheckouts:
    """The customer asks for a checkout that is not allowed, and the script runs it all the same.

    `/bin/checkout basket-12` is objected to: "the basket basket-12 does not belong to whoever is ...".
    """

    @pytest.mark.parametrize(
        ("variant", "reason"),
        [
            pytest.param(
                "basket-checkout: one line is short",
                "available today",
                id="too few units in stock",
            ),
            pytest.param(
                "basket-checkout: not active", " and not `", id="another status"
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "does not belong",
                id="another customer's basket",
            ),
        ],
    )
    def test_a_wrong_checkout_is_objected_to(self, variant: str, reason: str) -> None:
        task = generate_variant(variant, "seed 1")
        basket_id = task.truth.for_tests["id"]

        text = objection_to_run(shop_of(task), "checkout", basket_id)

        assert reason in text


class TestWrongDiscounts:
    """`/bin/discount basket-12 21 damaged emp-7` is objected to: "... 7 percent is the most"."""

    @pytest.mark.parametrize(
        ("variant", "reason"),
        [
            pytest.param(
                "discount-limit: too much for a small basket",
                "percent is the most",
                id="too many percent",
            ),
            pytest.param(
                "discount-authority: asked by a customer",
                "not a member of staff",
                id="given by a customer",
            ),
            pytest.param(
                "discount-authority: role is missing",
                "none of the roles",
                id="given by an employee without the role",
            ),
        ],
    )
    def test_a_wrong_discount_is_objected_to(self, variant: str, reason: str) -> None:
        task = generate_variant(variant, "seed 1")
        asked = task.truth.for_tests

        text = objection_to_run(
            shop_of(task),
            "discount",
            asked["basket"],
            asked["percent"],
            asked["reason"],
            asked["issuer"],
        )

        assert reason in text


class TestWrongRefundsAndRestarts:
    """A shop may have words of its own for subcommands, such as `accept` for `approve`."""

    def test_an_approval_of_a_refund_in_another_status_is_objected_to(self) -> None:
        task = generate_variant("refund-approval: status forbids it", "seed 1")
        approve = task.truth.names.verb("approve")
        return_id = task.truth.for_tests["return"]

        text = objection_to_run(shop_of(task), "refund", approve, return_id)

        assert "and the page asks for" in text

    @pytest.mark.parametrize(
        ("variant", "reason"),
        [
            pytest.param("verification-restart: too early", "until", id="too early"),
            pytest.param(
                "verification-restart: spent or paid",
                "of 3 attempts",
                id="all attempts used",
            ),
            pytest.param(
                "verification-restart: another customer's",
                "does not belong",
                id="another customer's payment",
            ),
        ],
    )
    def test_a_wrong_restart_of_a_verification_is_objected_to(
        self, variant: str, reason: str
    ) -> None:
        task = generate_variant(variant, "seed 1")
        restart = task.truth.names.verb("restart")
        payment_id = task.truth.for_tests["id"]

        text = objection_to_run(shop_of(task), "payments", restart, payment_id)

        assert reason in text
