"""The pre-call check of the shop: objections to a call before it changes anything.

For example: a script is about to run `/bin/checkout basket-0012`, and the check objects because
the branch has too few units of a line. It judges by the shop's records and by what the
pages say. An objection is a text; it is empty if nothing speaks against the call.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from controlplane.agent.evidence import Recorder
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.ecom.reference_solutions import (
    generate_variant,
    reference_answer,
)
from tests.support.functions_here import with_functions_in_process

# Right calls --------------------------------------------------------------------------------------


def judge_call(
    shop: EcomEnvironment, operation: str, arguments: Mapping[str, Plain]
) -> Mapping[str, Plain]:
    """Return what the check says of a call: `{"value": OBJECTION, "notes": [...], ...}`.

    The call itself is not made. The check is a function of the shop, and the recorder makes
    the calls by which it reads the shop.
    """
    recorder = with_functions_in_process(
        Recorder("trial-1", shop, emit=lambda event: None)
    )
    recorder.step_log.begin(1)
    call = {"operation": operation, "arguments": dict(arguments)}
    return recorder.calls.make("pre_call_check", call)


def objection(
    shop: EcomEnvironment, operation: str, arguments: Mapping[str, Plain]
) -> str:
    """Return the objection of the check to a call; empty if nothing speaks against it."""
    return str(judge_call(shop, operation, arguments)["value"])


class CheckedShop(EcomEnvironment):
    """A shop that has each call which changes something judged by the check, and then makes it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.objections: list[str] = []
        """What the check says of each of these calls: empty texts, if nothing speaks against it."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if self.tool_schema.may_change(operation, arguments):
            judged_arguments = {"stdin": "", **arguments}
            self.objections.append(objection(self, operation, judged_arguments))
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
def test_right_calls_are_not_objected_to(variant: str, seed: int) -> None:
    """`reference_answer` solves the task rightly, with the changes that this needs."""
    task = generate_variant(variant, f"guard {seed}")
    shop = CheckedShop(workspace_of(task.world))

    reference_answer(shop, task.truth)

    assert len(shop.objections) > 0
    for text in shop.objections:
        assert text == ""


# Wrong runs of tools --------------------------------------------------------------------------------


class WrongRun(NamedTuple):
    """A run of a tool that goes against what records and pages say."""

    variant: str
    """The task in whose shop it is made."""
    tool: str
    arguments: list[str]
    """`{id}` and others in braces stand for details of the task's request, such as a basket's id."""
    subcommand: str = ""
    """The first argument of some tools, such as `approve`. Some shops have other words for it."""
    expected: str = ""
    """A part of the objection."""

    def arguments_in(self, task: Task) -> list[str]:
        """Return all arguments in the shop of a task: `["accept", "rma_0012"]`."""
        filled = []
        if self.subcommand:
            filled.append(task.truth.names.verb(self.subcommand))
        for argument in self.arguments:
            filled.append(argument.format(**task.truth.for_tests))
        return filled


def objection_to_run(shop: EcomEnvironment, tool: str, *arguments: str) -> str:
    """`objection_to_run(shop, "checkout", "basket-0012")` judges that run of the tool."""
    return objection(
        shop, "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": ""}
    )


def shop_of(task: Task) -> EcomEnvironment:
    return EcomEnvironment(workspace_of(task.world))


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(
            WrongRun(
                variant="basket-checkout: one line is short",
                tool="checkout",
                arguments=["{id}"],
                expected="available today",
            ),
            id="checkout of a basket that is short of stock",
        ),
        pytest.param(
            WrongRun(
                variant="basket-checkout: not active",
                tool="checkout",
                arguments=["{id}"],
            ),
            id="checkout of a basket that is not active",
        ),
        pytest.param(
            WrongRun(
                variant="foreign-basket: checkout of a foreign one",
                tool="checkout",
                arguments=["{id}"],
                expected="does not belong",
            ),
            id="checkout of another customer's basket",
        ),
        pytest.param(
            WrongRun(
                variant="discount-grant: named percentage",
                tool="discount",
                arguments=["{basket}", "99", "{reason}", "{issuer}"],
                expected="percent",
            ),
            id="discount of 99 percent",
        ),
        pytest.param(
            WrongRun(
                variant="discount-grant: named percentage",
                tool="discount",
                arguments=["{basket}", "1", "whim", "{issuer}"],
                expected="`whim` is not among the reasons",
            ),
            id="discount for a reason that no page lists",
        ),
        pytest.param(
            WrongRun(
                variant="discount-grant: named percentage",
                tool="discount",
                arguments=["{basket}", "1", "{reason}", "emp-0"],
                expected="emp-0 is named as the issuer",
            ),
            id="discount in somebody else's name",
        ),
        pytest.param(
            WrongRun(
                variant="discount-limit: too much for a small basket",
                tool="discount",
                arguments=["{basket}", "{percent}", "{reason}", "{issuer}"],
                expected="percent",
            ),
            id="discount above the maximum",
        ),
        pytest.param(
            WrongRun(
                variant="discount-authority: asked by a customer",
                tool="discount",
                arguments=["{basket}", "{percent}", "{reason}", "emp-1"],
                expected="not a member of staff",
            ),
            id="discount by a customer",
        ),
        pytest.param(
            WrongRun(
                variant="discount-authority: role is missing",
                tool="discount",
                arguments=["{basket}", "{percent}", "{reason}", "emp-1"],
                expected="none of the roles",
            ),
            id="discount by an employee without the role",
        ),
        pytest.param(
            WrongRun(
                variant="refund-approval: status forbids it",
                tool="refund",
                subcommand="approve",
                arguments=["{return}"],
                expected="the page asks for",
            ),
            id="approval of a refund whose status forbids it",
        ),
        pytest.param(
            WrongRun(
                variant="refund-closure: possible",
                tool="refund",
                subcommand="approve",
                arguments=["{return}"],
                expected="the page asks for",
            ),
            id="approval of a refund that is to be closed",
        ),
        pytest.param(
            WrongRun(
                variant="verification-restart: too early",
                tool="payments",
                subcommand="restart",
                arguments=["{id}"],
                expected="until",
            ),
            id="restart of a verification too early",
        ),
        pytest.param(
            WrongRun(
                variant="verification-restart: spent or paid",
                tool="payments",
                subcommand="restart",
                arguments=["{id}"],
            ),
            id="restart of a verification without attempts left",
        ),
        pytest.param(
            WrongRun(
                variant="verification-restart: another customer's",
                tool="payments",
                subcommand="restart",
                arguments=["{id}"],
                expected="does not belong",
            ),
            id="restart for another customer",
        ),
    ],
)
def test_a_run_against_records_or_pages_is_objected_to(run: WrongRun) -> None:
    """Without the check, the tool might do it, or fail with less to say."""
    task = generate_variant(run.variant, "seed 1")

    text = objection_to_run(shop_of(task), run.tool, *run.arguments_in(task))

    assert text != ""
    assert run.expected in text


class ShopWithoutClock(EcomEnvironment):
    """A shop in which the tool `/bin/date`, which prints the time, fails."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/bin/date":
            raise CallError(error_codes.UNAVAILABLE, "the clock stands still")
        return super().call(operation, arguments)


def test_the_time_is_not_needed_if_all_attempts_are_spent() -> None:
    """A payment's verification may be restarted a few times, with pauses between.

    In this task no attempt is left, so a restart is wrong, whether it is too early or not.
    """
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


# Edits of a basket's file -----------------------------------------------------------------------------
#
# A script may add a line to a basket by writing its file. Anything else is done by a tool.


def objection_to_write(shop: EcomEnvironment, path: str, content: str) -> str:
    return objection(shop, "write", {"path": path, "content": content})


class BasketShop(NamedTuple):
    """A shop with a basket to which a product is to be added."""

    environment: EcomEnvironment
    basket_path: str

    def objection_to_change(self, **changed_fields: Plain) -> str:
        """Judge a write of the basket with these fields changed."""
        changed_basket = {**self.basket(), **changed_fields}
        return objection_to_write(
            self.environment, self.basket_path, json.dumps(changed_basket)
        )

    def basket(self) -> dict[str, Any]:
        """Return the record: `{"id": "basket_0012", "lines": [{"sku": ..., "quantity": 1}]}`."""
        record = json.loads(self.environment.workspace.files[self.basket_path])
        assert isinstance(record, dict)
        return record


OWN_NAMES = WorldSettings(names="own")
"""For shops whose folders, fields and statuses have the names that the code has: `lines`, `paid`."""


@pytest.fixture
def basket_shop() -> BasketShop:
    task = generate_variant("basket-addition: one product fits", "seed 1", OWN_NAMES)
    return BasketShop(shop_of(task), task.truth.for_tests["basket"])


def test_an_edit_of_another_field_than_the_lines_is_objected_to(
    basket_shop: BasketShop,
) -> None:
    """A discount is given by the tool `/bin/discount`."""
    text = basket_shop.objection_to_change(discount={"percent": 5})

    assert "the edit changes `discount`" in text


def test_a_new_line_for_an_unknown_product_is_objected_to(
    basket_shop: BasketShop,
) -> None:
    """The shop has no product with this code."""
    lines = basket_shop.basket()["lines"]
    unknown_line = {"sku": "VH-NO-SUCH", "quantity": 1}

    text = basket_shop.objection_to_change(lines=[*lines, unknown_line])

    assert "VH-NO-SUCH" in text


def test_a_deletion_of_a_basket_is_objected_to(basket_shop: BasketShop) -> None:
    """No page of the shop says that a basket may be deleted."""
    text = objection(
        basket_shop.environment, "delete", {"path": basket_shop.basket_path}
    )

    assert "may be deleted" in text


# Tables that a script writes --------------------------------------------------------------------------
#
# A crosslist tells which products fit a competitor's request. An inventory export tells the stock of
# products on some days:
#
#     SKU,2030-01-01,2030-01-02
#     VH-LMP-ONE,4,12
#
# The check computes each cell from the shop's records, and objects to a table that differs.


class TableKind(NamedTuple):
    """A kind of task whose right answer writes a table."""

    variant: str
    separator: str
    """What is between two cells."""
    number_column: int
    """The index of a column with numbers of units."""
    subject_column: int
    """The index of the column that tells what a row is about."""


CROSSLIST = TableKind("crosslist", "\t", number_column=9, subject_column=1)
"""The columns 1 and 9 are `competitor_code` and `available_today`."""
INVENTORY = TableKind("inventory-export", ",", number_column=1, subject_column=0)
"""The columns 0 and 1 are `SKU` and the first day, such as `2030-01-01`."""


class RightTable(NamedTuple):
    """The right table of a task, with its cells."""

    shop: EcomEnvironment
    path: str
    text: str
    separator: str
    header: list[str]
    """The names of the columns: `["SKU", "2030-01-01"]`."""
    rows: list[list[str]]
    """The cells of each row: `[["VH-LMP-ONE", "4"]]`."""

    def objection_to_rows(self, rows: list[list[str]]) -> str:
        """Judge a write of the table with these rows."""
        lines = [self.separator.join(row) for row in (self.header, *rows)]
        return objection_to_write(self.shop, self.path, "\n".join(lines))


def right_table(kind: TableKind, wordings: str) -> RightTable:
    """Return the table that the right answer to a task writes, split into its cells.

    `wordings` chooses how the shop's pages say their rules.
    """
    task = generate_variant(kind.variant, "seed 1", WorldSettings(wordings=wordings))
    ((path, text),) = task.truth.changes.items()
    assert text is not None
    header, *rows = [line.split(kind.separator) for line in text.splitlines()]
    return RightTable(shop_of(task), path, text, kind.separator, header, rows)


@pytest.mark.parametrize("wordings", ["known", "unseen"])
@pytest.mark.parametrize("kind", [CROSSLIST, INVENTORY], ids=lambda kind: kind.variant)
class TestTables:
    """Each test is for a crosslist and for an inventory export, and for pages in two wordings."""

    def test_the_right_table_is_not_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        table = right_table(kind, wordings)

        assert objection_to_write(table.shop, table.path, table.text) == ""

    def test_a_cell_against_the_records_is_named(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The last row has two units too many in one column."""
        table = right_table(kind, wordings)
        *first_rows, last_row = table.rows
        wrong_cell = str(int(last_row[kind.number_column]) + 2)
        wrong_row = list(last_row)
        wrong_row[kind.number_column] = wrong_cell

        text = table.objection_to_rows([*first_rows, wrong_row])

        line_number = len(table.rows)  # The header does not count.
        column_name = table.header[kind.number_column]
        assert f"line {line_number}: `{column_name}` is '{wrong_cell}'" in text

    def test_a_row_for_an_unknown_product_is_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The shop has no product with the code `NO-SUCH`, whichever table is due."""
        table = right_table(kind, wordings)

        text = objection_to_write(table.shop, table.path, "SKU,2030-01-01\nNO-SUCH,3\n")

        assert "no product is called" in text

    def test_a_missing_first_row_is_named(self, kind: TableKind, wordings: str) -> None:
        """The objection names what the missing row is about."""
        table = right_table(kind, wordings)
        first_row, *other_rows = table.rows

        text = table.objection_to_rows(other_rows)

        subject = first_row[kind.subject_column]
        assert f"are due; no row is about {subject} (" in text

    def test_a_missing_last_row_is_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The table is complete but for its end."""
        table = right_table(kind, wordings)

        text = table.objection_to_rows(table.rows[:-1])

        assert "are due; no row" in text


def test_an_export_is_not_judged_in_a_shop_without_pages() -> None:
    """The check cannot know what the columns mean. A note says why there is no objection."""
    task = generate_variant("inventory-export", "seed 1", OWN_NAMES)
    shop = shop_of(task)
    for path in list(shop.workspace.files):
        if path.startswith("/docs/"):
            del shop.workspace.files[path]
    ((path, export),) = task.truth.changes.items()

    result = judge_call(shop, "write", {"path": path, "content": export})

    assert result["value"] == ""
    assert "without documents" in str(result["notes"])


# A page in another form -------------------------------------------------------------------------------

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


def test_an_approval_that_meets_a_list_of_conditions_is_not_objected_to(
    approval_shop: ApprovalShop,
) -> None:
    """By the new page, a return must have the status `approved`, as this one has."""
    approval_shop.write_page(required_status="approved")

    assert approval_shop.objection_to_approval() == ""


def test_an_approval_against_a_list_of_conditions_is_objected_to(
    approval_shop: ApprovalShop,
) -> None:
    """By the new page, a return must have the status `closed`, which this one has not."""
    approval_shop.write_page(required_status="closed")

    assert approval_shop.objection_to_approval() != ""


@pytest.mark.parametrize("required_status", ["approved", "closed"])
def test_an_approval_is_not_judged_without_the_page_on_it(
    approval_shop: ApprovalShop, required_status: str
) -> None:
    approval_shop.write_page(required_status=required_status)
    approval_shop.environment.call("delete", {"path": approval_shop.page_path})

    assert approval_shop.objection_to_approval() == ""
