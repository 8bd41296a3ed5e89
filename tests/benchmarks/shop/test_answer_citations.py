"""How the draft of a model's answer is completed: its citations, and what functions found for it.

A draft names the pages and records that it cites. `order_references` drops those that do not exist
or must not be cited, adds others, gives each a reason, and puts the pages first.
`apply_findings` writes what a function found, such as rows of fraud, into the answer.
"""

import json
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.answering.draft import Draft
from controlplane.benchmarks.shop.answering.finding import Finding
from controlplane.benchmarks.shop.answering.findings import apply_findings
from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.functions_here import function_result_and_calls


class OrderedAnswer(NamedTuple):
    """The answer to a task after its citations were completed and put in order."""

    task: Task
    reasons: dict[str, str]
    """The reason of each citation by its path: `{"/docs/returns.md": "it says: ..."}`, in order."""


def order_references(
    variant: str,
    draft: dict[str, Any],
    *,
    names: str = "own",
    findings: tuple[dict[str, Any], ...] = (),
    in_order: bool = True,
) -> OrderedAnswer:
    """Complete and order the citations of a draft for a task such as `refund-approval: possible`.

    The fields and folders of its shop have the code's "own" `names`, or "random" ones. `findings`
    is what the trial has found before: `({"opened": ["/docs/returns.md"]},)`. If not `in_order`, the
    citations are only completed.
    """
    task = generate_variant(variant, "7", WorldSettings(names=names))
    result, _ = function_result_and_calls(
        EcomEnvironment(workspace_of(task.world)),
        "order_references",
        request=task.instruction,
        answer=draft,
        findings=json.dumps(findings),
        in_order=in_order,
    )
    return OrderedAnswer(task, {ref["path"]: ref["reason"] for ref in result["refs"]})


def draft_with(
    *,
    outcome: str = OK,
    documents: tuple[str, ...] = (),
    records: tuple[str, ...] = (),
    task_type: str = "other",
) -> dict[str, Any]:
    """Return a draft of an answer that cites these pages and records."""
    return {
        "outcome": outcome,
        "message": "done",
        "task_type": task_type,
        "protected": False,
        "documents": list(documents),
        "records": list(records),
    }


@pytest.mark.parametrize("names", ["own", "random"])
def test_pages_come_first_and_those_that_do_not_exist_are_dropped(names):
    """The model's draft cites two pages, of which the shop has one. Records are added to it."""
    draft = draft_with(documents=("/docs/security.md", "/docs/none.md"))

    answer = order_references("refund-approval: possible", draft, names=names)

    first_path, *_ = answer.reasons
    assert first_path == "/docs/security.md"
    assert "/docs/none.md" not in answer.reasons


@pytest.mark.parametrize("names", ["own", "random"])
def test_a_record_that_the_request_names_is_cited_with_what_it_is(names):
    """The draft cites nothing. The added reason says, for example: `the return rma-0012 ...`."""
    answer = order_references("refund-approval: possible", draft_with(), names=names)

    required_paths = [
        path for path in answer.reasons if path in answer.task.truth.must_cite
    ]
    path = required_paths[0]
    reason = answer.reasons[path]
    record_id = path.rpartition("/")[2].removesuffix(".json")
    assert reason.startswith("the ")
    assert record_id in reason


@pytest.mark.parametrize("names", ["own", "random"])
def test_a_refusal_does_not_cite_another_customers_record(names):
    """The model's draft cites the basket that the user asked about and may not know."""
    task = generate_variant(
        "foreign-basket: checkout of a foreign one", "7", WorldSettings(names=names)
    )
    foreign_basket = task.truth.for_tests["basket"]
    draft = draft_with(
        outcome=DENIED, documents=("/docs/security.md",), records=(foreign_basket,)
    )

    answer = order_references(
        "foreign-basket: checkout of a foreign one", draft, names=names
    )

    assert list(answer.reasons) == ["/docs/security.md"]


def test_opened_pages_about_the_kind_of_task_are_cited():
    """The trial has opened three pages. The one on stock has nothing to do with a refund."""
    opened = ["/docs/returns.md", "/docs/security.md", "/docs/stock.md"]

    answer = order_references(
        "refund-approval: possible",
        draft_with(task_type="refund"),
        findings=({"opened": opened},),
        in_order=False,
    )

    assert set(answer.reasons) == {"/docs/returns.md", "/docs/security.md"}
    for reason in answer.reasons.values():
        assert reason.startswith("it says: ")


FRAUD_IN_TWO_EXPORTS = [
    Finding("fraud", refs=("/a.tsv#row=1",), message="EUR 1.00"),
    Finding("fraud", refs=("/b.tsv#row=2",), message="EUR 2.00"),
]
"""What the function that finds fraud returned for one export, and then for another."""


@pytest.mark.parametrize(
    "request_text",
    [
        "What is the total of the fraud?",
        "Give the sums.",
        "What do the rows add up to?",
        "The damage, please",
        "in €",
    ],
)
def test_a_question_on_fraud_gets_the_rows_and_the_total_of_the_last_export(
    request_text,
):
    """The model's draft has the message "?", and cites no rows."""
    draft = Draft(OK, message="?", task_type="fraud", request=request_text)

    answer = apply_findings(FRAUD_IN_TWO_EXPORTS, draft)

    assert answer.message == "EUR 2.00"
    assert answer.records == ("/b.tsv#row=2",)


def test_a_question_about_something_else_gets_no_rows_of_fraud():
    """The type of the task is `count`, and not `fraud`."""
    draft = Draft(OK, message="3", task_type="count", request="How many? EUR")

    answer = apply_findings(FRAUD_IN_TWO_EXPORTS, draft)

    assert answer.records == ()
