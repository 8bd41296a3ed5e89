"""The pre-call check of the shop does not object to the calls of right answers.

The check judges each call that would change something, such as `/bin/checkout basket-12`, before it
is made, by the shop's records and pages. Its objection is a text: "... 2 are available today".
It is empty if nothing speaks against the call.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection


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
