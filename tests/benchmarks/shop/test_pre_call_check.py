"""What the pre-call check finds against calls: over the mistakes
of generated shops, and with pages in other forms."""

import json
import re

import pytest

from controlplane.agent.evidence import Recorder
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.declarations import PRE_CALL_CHECK
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.ecom.reference_solutions import (
    ReferenceClient,
    generate_variant,
    reference_answer,
)
from tests.support.functions_here import with_functions_in_process

OWN = WorldSettings(names="own")
CHECK = PRE_CALL_CHECK.rpartition("/")[2].replace("-", "_")


def objection(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain]
) -> str:
    """Return what the pre-call check finds against a call in a shop."""
    recorder = with_functions_in_process(Recorder("t", shop, lambda event: None))
    recorder.step.begin(1)
    return str(
        recorder.calls.make(CHECK, {"operation": operation, "arguments": arguments})[
            "value"
        ]
    )


class Checked(EcomEnvironment):
    """A shop whose changing calls the pre-call check judges first."""

    found: list[str]

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if self.tool_schema.may_change(operation, arguments):
            self.found.append(objection(self, operation, {"stdin": "", **arguments}))
        return super().call(operation, arguments)


CHANGING = (
    *(
        "basket-addition#1",
        "basket-checkout#1",
        "discount-grant#1",
        "discount-grant#2",
        "refund-approval#1",
    ),
    *(
        "refund-closure#1",
        "unnamed-basket#2",
        "verification-restart#1",
        "temporary-files#1",
        "crosslist#1",
        "inventory-export#1",
    ),
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("variant", CHANGING)
def test_nothing_is_found_against_right_calls(variant: str, seed: int) -> None:
    task = generate_variant(variant, f"guard {seed}")
    shop = Checked(workspace_of(task.world))
    shop.found = []
    reference_answer(shop, task.truth)

    assert shop.found
    assert set(shop.found) == {""}


def run(shop: EcomEnvironment, tool: str, *words: str) -> str:
    return objection(
        shop, "exec", {"path": f"/bin/{tool}", "args": [*words], "stdin": ""}
    )


@pytest.mark.parametrize(
    ("variant", "tool", "words", "says"),
    [
        ("basket-checkout#2", "checkout", "{id}", "available today"),
        ("basket-checkout#3", "checkout", "{id}", ""),
        ("foreign-basket#1", "checkout", "{id}", "does not belong"),
        ("discount-grant#1", "discount", "{basket} 99 {reason} {issuer}", "percent"),
        (
            "discount-grant#1",
            "discount",
            "{basket} 1 whim {issuer}",
            "`whim` is not among the reasons",
        ),
        (
            "discount-grant#1",
            "discount",
            "{basket} 1 {reason} emp-0",
            "emp-0 is named as the issuer",
        ),
        (
            "discount-limit#1",
            "discount",
            "{basket} {percent} {reason} {issuer}",
            "percent",
        ),
        (
            "discount-authority#1",
            "discount",
            "{basket} {percent} {reason} emp-1",
            "not a member of staff",
        ),
        (
            "discount-authority#2",
            "discount",
            "{basket} {percent} {reason} emp-1",
            "none of the roles",
        ),
        ("refund-approval#2", "refund", "=approve {return}", "the page asks for"),
        ("refund-closure#1", "refund", "=approve {return}", "the page asks for"),
        ("verification-restart#2", "payments", "=restart {id}", "until"),
        ("verification-restart#3", "payments", "=restart {id}", ""),
        ("verification-restart#4", "payments", "=restart {id}", "does not belong"),
    ],
)
def test_a_call_against_a_record_is_found_out(
    variant: str, tool: str, words: str, says: str
) -> None:
    task = generate_variant(variant, "seed 1")
    shop = EcomEnvironment(workspace_of(task.world))
    given = [
        task.truth.names.verb(word[1:])
        if word.startswith("=")
        else word.format(**task.truth.for_tests)
        for word in words.split()
    ]
    found = run(shop, tool, *given)

    assert found
    assert says in found


class WithoutClock(EcomEnvironment):
    """A shop whose clock cannot be read."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/bin/date":
            raise CallError(error_codes.UNAVAILABLE, "the clock stands still")
        return super().call(operation, arguments)


def test_attempts_that_are_spent_are_found_without_reading_the_clock() -> None:
    task = generate_variant("verification-restart#3", "seed 1")
    shop = WithoutClock(workspace_of(task.world))

    found = run(
        shop, "payments", task.truth.names.verb("restart"), task.truth.for_tests["id"]
    )

    assert found == run(
        EcomEnvironment(workspace_of(task.world)),
        "payments",
        task.truth.names.verb("restart"),
        task.truth.for_tests["id"],
    )
    assert found


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            lambda data: {**data, "discount": {"percent": 5}},
            "the edit changes `discount`",
        ),
        (
            lambda data: {
                **data,
                "lines": [*data["lines"], {"sku": "VH-NO-SUCH", "quantity": 1}],
            },
            "VH-NO-SUCH",
        ),
        (None, "may be deleted"),
    ],
)
def test_an_edit_that_changes_more_than_lines_is_found_out(edit, says: str) -> None:
    task = generate_variant("basket-addition#1", "seed 1", OWN)
    shop, path = (
        EcomEnvironment(workspace_of(task.world)),
        task.truth.for_tests["basket"],
    )
    client = ReferenceClient(shop, task.truth.names)
    if edit is None:
        assert says in objection(shop, "delete", {"path": path})
        return
    text = json.dumps(task.truth.names.in_shown_names(edit(client.record(path))))

    assert says in objection(shop, "write", {"path": path, "content": text})


@pytest.mark.parametrize("wordings", ["known", "unseen"])
@pytest.mark.parametrize(
    ("variant", "column"),
    [("crosslist#1", "available_today"), ("inventory-export#1", "20")],
)
def test_cells_and_rows_of_a_table_that_the_records_give_otherwise_are_named(
    variant: str, column: str, wordings: str
) -> None:
    task = generate_variant(variant, "seed 1", WorldSettings(wordings=wordings))
    shop = EcomEnvironment(workspace_of(task.world))
    ((path, right),) = task.truth.changes.items()
    header, *rows = [re.split("([\t,])", line) for line in str(right).splitlines()]
    at = next(place for place, name in enumerate(header) if name.startswith(column))
    rows[-1][at] = str(int(rows[-1][at]) + 2)
    wrong = "\n".join(map("".join, (header, *rows)))

    assert objection(shop, "write", {"path": path, "content": right}) == ""
    assert f"line {len(rows)}: `{header[at]}` is '{rows[-1][at]}'" in objection(
        shop, "write", {"path": path, "content": wrong}
    )
    assert "no product is called" in objection(
        shop, "write", {"path": path, "content": "SKU,2030-01-01\nNO-SUCH,3\n"}
    )
    lacking = "\n".join(map("".join, (header, *rows[:-1])))
    says = objection(
        shop,
        "write",
        {"path": path, "content": str(right).replace("".join(rows[0]) + "\n", "")},
    )
    assert (
        f"are due; no row is about {rows[0][2 * column.startswith('avail')]} (" in says
    )
    assert "are due; no row" in objection(
        shop, "write", {"path": path, "content": lacking}
    )


LISTED = """# Returns

A refund is approved only when all of these are true:

- `/bin/id` returns the role `{role}`.
- The payment has the status `{paid}`.
- The return status is `{before}`.

Run `/bin/refund {verb} <return_id>` to approve it. This moves the return on.
"""


@pytest.mark.parametrize(
    ("before", "is_found"), [("approved", False), ("closed", True)]
)
def test_a_page_that_lists_the_conditions_before_the_command_is_understood(
    before: str, is_found: bool
) -> None:
    task = generate_variant("refund-approval#1", "seed 1", OWN)
    names, (page,) = (
        task.truth.names,
        [path for path in task.truth.must_cite_pages if "return" in path],
    )
    shop = EcomEnvironment(workspace_of(task.world))
    verb = names.verb("approve")
    told = {
        "role": task.truth.for_tests["role"],
        "paid": names.state("paid"),
        "before": names.state(before),
        "verb": verb,
    }
    states = " ".join(f"`{names.state(state)}`" for state in ("approved", "closed"))
    shop.call(
        "write",
        {
            "path": page,
            "content": LISTED.format(**told) + f"\nThe states are {states}.\n",
        },
    )

    assert bool(run(shop, "refund", verb, task.truth.for_tests["return"])) is is_found
    shop.call("delete", {"path": page})
    assert run(shop, "refund", verb, task.truth.for_tests["return"]) == ""


def test_an_export_is_not_judged_in_a_shop_without_documents() -> None:
    task = generate_variant("inventory-export#1", "seed 1", OWN)
    shop = EcomEnvironment(workspace_of(task.world))
    for path in [*shop.workspace.files]:
        if path.startswith("/docs/"):
            del shop.workspace.files[path]
    ((path, export),) = task.truth.changes.items()
    recorder = with_functions_in_process(Recorder("t", shop, lambda event: None))
    recorder.step.begin(1)
    write: dict[str, Plain] = {"path": path, "content": export}
    result = recorder.calls.make(CHECK, {"operation": "write", "arguments": write})

    assert result["value"] == ""
    assert "without documents" in str(result["notes"])
