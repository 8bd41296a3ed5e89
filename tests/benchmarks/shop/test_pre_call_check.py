"""The pre-call check of the shop: objections to a run of a tool before it changes anything.

For example: a script is about to run `/bin/checkout basket-0012`, and the check objects because
the branch has too few units of a line. It judges by the shop's records and by what the
pages say. An objection is a text; it is empty if nothing speaks against the call.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import (
    OWN_NAMES,
    objection,
    objection_to_run,
    shop_of,
)


class CheckedShop(EcomEnvironment):
    """A shop that lets the check judge each call which changes something, and then makes it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.objections: list[str] = []
        """What the check says of each of these calls: empty texts, if nothing speaks against it."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if self.tool_schema.may_change(operation, arguments):
            judged_arguments = {"stdin": "", **arguments}
            self.objections.append(objection(self, operation, judged_arguments))
        return super().call(operation, arguments)


class TestRightCalls:
    """The check must not stop a call that the right answer to a task needs.

    `reference_answer` solves a task rightly in a shop, with the changes that this needs. The shop
    writes down what the check says of each of them: `["", ""]` if nothing speaks against two.
    """

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
    def test_right_calls_are_not_objected_to(self, variant: str, seed: int) -> None:
        task = generate_variant(variant, f"guard {seed}")
        shop = CheckedShop(workspace_of(task.world))

        reference_answer(shop, task.truth)

        assert len(shop.objections) > 0
        for text in shop.objections:
            assert text == ""


SUBCOMMANDS = ("approve", "restart")
"""First arguments of tools for which some shops have other words, as `accept` for `approve`."""


def objection_in_task(variant: str, tool: str, arguments: list[str]) -> str:
    """Return the objection to a run of a tool in the shop of a task.

    `{id}` and others in braces stand for details of the task's request, such as a basket's id:
    `["approve", "{return}"]` is run as `["accept", "rma_0012"]`.
    """
    task = generate_variant(variant, "seed 1")
    filled = []
    for argument in arguments:
        if argument in SUBCOMMANDS:
            filled.append(task.truth.names.verb(argument))
        else:
            filled.append(argument.format(**task.truth.for_tests))
    return objection_to_run(shop_of(task), tool, *filled)


class TestWrongCheckouts:
    """`/bin/checkout BASKET` buys a basket. Not every basket may be bought, and not by everybody.

    Each case is a task in whose shop the tool is run, the arguments of the run, and a part of the
    objection. Without the check, the tool might do it, or fail with less to say.
    """

    @pytest.mark.parametrize(
        ("variant", "arguments", "expected"),
        [
            pytest.param(
                "basket-checkout: one line is short",
                ["{id}"],
                "available today",
                id="checkout of a basket that is short of stock",
            ),
            pytest.param(
                "basket-checkout: not active",
                ["{id}"],
                "",
                id="checkout of a basket that is not active",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                ["{id}"],
                "does not belong",
                id="checkout of another customer's basket",
            ),
        ],
    )
    def test_a_run_against_records_or_pages_is_objected_to(
        self, variant: str, arguments: list[str], expected: str
    ) -> None:
        text = objection_in_task(variant, "checkout", arguments)

        assert text != ""
        assert expected in text


class TestWrongDiscounts:
    """`/bin/discount BASKET PERCENT REASON ISSUER` gives a discount in the name of an employee.

    The page on discounts says up to how many percent, for which reasons and by which
    role. Each case is a task in whose shop the tool is run, the arguments of the run, and
    a part of the objection.
    """

    @pytest.mark.parametrize(
        ("variant", "arguments", "expected"),
        [
            pytest.param(
                "discount-grant: named percentage",
                ["{basket}", "99", "{reason}", "{issuer}"],
                "percent",
                id="discount of 99 percent",
            ),
            pytest.param(
                "discount-grant: named percentage",
                ["{basket}", "1", "whim", "{issuer}"],
                "`whim` is not among the reasons",
                id="discount for a reason that no page lists",
            ),
            pytest.param(
                "discount-grant: named percentage",
                ["{basket}", "1", "{reason}", "emp-0"],
                "emp-0 is named as the issuer",
                id="discount in somebody else's name",
            ),
            pytest.param(
                "discount-limit: too much for a small basket",
                ["{basket}", "{percent}", "{reason}", "{issuer}"],
                "percent",
                id="discount above the maximum",
            ),
            pytest.param(
                "discount-authority: asked by a customer",
                ["{basket}", "{percent}", "{reason}", "emp-1"],
                "not a member of staff",
                id="discount by a customer",
            ),
            pytest.param(
                "discount-authority: role is missing",
                ["{basket}", "{percent}", "{reason}", "emp-1"],
                "none of the roles",
                id="discount by an employee without the role",
            ),
        ],
    )
    def test_a_run_against_records_or_pages_is_objected_to(
        self, variant: str, arguments: list[str], expected: str
    ) -> None:
        text = objection_in_task(variant, "discount", arguments)

        assert text != ""
        assert expected in text


class TestWrongRefunds:
    """`/bin/refund approve RETURN` approves the refund for goods that were sent back.

    The page on returns says which status the return must have before: "the page asks for ...".
    """

    @pytest.mark.parametrize(
        ("variant", "arguments", "expected"),
        [
            pytest.param(
                "refund-approval: status forbids it",
                ["approve", "{return}"],
                "the page asks for",
                id="approval of a refund whose status forbids it",
            ),
            pytest.param(
                "refund-closure: possible",
                ["approve", "{return}"],
                "the page asks for",
                id="approval of a refund that is to be closed",
            ),
        ],
    )
    def test_a_run_against_records_or_pages_is_objected_to(
        self, variant: str, arguments: list[str], expected: str
    ) -> None:
        text = objection_in_task(variant, "refund", arguments)

        assert text != ""
        assert expected in text


class ShopWithoutClock(EcomEnvironment):
    """A shop in which the tool `/bin/date`, which prints the time, fails."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/bin/date":
            raise CallError(error_codes.UNAVAILABLE, "the clock stands still")
        return super().call(operation, arguments)


class TestWrongVerifications:
    """`/bin/payments restart PAYMENT` has the card of a payment verified once more.

    That may be done a few times, by the customer who pays, with pauses between: too early, it is
    stopped with "... until 2031-05-04 10:00".
    """

    @pytest.mark.parametrize(
        ("variant", "arguments", "expected"),
        [
            pytest.param(
                "verification-restart: too early",
                ["restart", "{id}"],
                "until",
                id="restart of a verification too early",
            ),
            pytest.param(
                "verification-restart: spent or paid",
                ["restart", "{id}"],
                "",
                id="restart of a verification without attempts left",
            ),
            pytest.param(
                "verification-restart: another customer's",
                ["restart", "{id}"],
                "does not belong",
                id="restart for another customer",
            ),
        ],
    )
    def test_a_run_against_records_or_pages_is_objected_to(
        self, variant: str, arguments: list[str], expected: str
    ) -> None:
        text = objection_in_task(variant, "payments", arguments)

        assert text != ""
        assert expected in text

    def test_the_time_is_not_needed_if_all_attempts_are_spent(self) -> None:
        """No attempt is left, so a restart is wrong, whether it is too early or not."""
        task = generate_variant("verification-restart: spent or paid", "seed 1")
        subcommand = task.truth.names.verb("restart")
        payment_id = task.truth.for_tests["id"]
        shop_without_clock = ShopWithoutClock(workspace_of(task.world))

        text = objection_to_run(shop_without_clock, "payments", subcommand, payment_id)
        text_with_clock = objection_to_run(
            shop_of(task), "payments", subcommand, payment_id
        )

        assert text != ""
        assert text == text_with_clock


PAGE_WITH_LIST = """# Returns

A refund is approved only when all of these are true:

- `/bin/id` returns the role `{role}`.
- The payment has the status `paid`.
- The return status is `{required_status}`.

Run `/bin/refund approve <return_id>` to approve it. This moves the return on.

The states are `approved` `closed`.
"""
"""A page that lists the conditions of an approval before the command. Other pages do the reverse."""


class ApprovalShop(NamedTuple):
    """A shop with a return whose refund is to be approved. Its status is `approved`."""

    environment: EcomEnvironment
    return_id: str
    role: str
    """A role of the user, by which they may approve refunds."""
    page_path: str
    """The path of the page on returns."""

    def write_page(self, *, required_status: str) -> None:
        """Replace the page on returns. By the new page, a return must have this status."""
        text = PAGE_WITH_LIST.format(role=self.role, required_status=required_status)
        self.environment.call("write", {"path": self.page_path, "content": text})

    def objection_to_approval(self) -> str:
        return objection_to_run(self.environment, "refund", "approve", self.return_id)


@pytest.fixture
def approval_shop() -> ApprovalShop:
    """The shop before its page on returns is replaced."""
    task = generate_variant("refund-approval: possible", "seed 1", OWN_NAMES)
    (page_path,) = [path for path in task.truth.must_cite_pages if "return" in path]
    return ApprovalShop(
        shop_of(task),
        return_id=task.truth.for_tests["return"],
        role=task.truth.for_tests["role"],
        page_path=page_path,
    )


class TestPageWithListOfConditions:
    """The check understands the page on returns also in another form, with a list of conditions.

    The shop has a return with the status `approved`, whose refund is to be approved. A test
    replaces the page by one that lists `The return status is ...` as a condition.
    """

    def test_an_approval_that_meets_a_list_of_conditions_is_not_objected_to(
        self,
        approval_shop: ApprovalShop,
    ) -> None:
        """By the new page, a return must have the status `approved`, as this one has."""
        approval_shop.write_page(required_status="approved")

        assert approval_shop.objection_to_approval() == ""

    def test_an_approval_against_a_list_of_conditions_is_objected_to(
        self,
        approval_shop: ApprovalShop,
    ) -> None:
        """By the new page, a return must have the status `closed`, which this one has not."""
        approval_shop.write_page(required_status="closed")

        assert approval_shop.objection_to_approval() != ""

    @pytest.mark.parametrize("required_status", ["approved", "closed"])
    def test_an_approval_is_not_judged_without_the_page_on_it(
        self, approval_shop: ApprovalShop, required_status: str
    ) -> None:
        approval_shop.write_page(required_status=required_status)
        approval_shop.environment.call("delete", {"path": approval_shop.page_path})

        assert approval_shop.objection_to_approval() == ""
