"""How the draft of a model's answer is finished: its citations, and what functions found for it.

A draft names the pages and records that it cites:

    cited by the draft:      /docs/security.md, /docs/none.md
    in the finished answer:  /docs/security.md, and the return rma-0012 that the request names

Files that do not exist or must not be cited are dropped, others are added, each with a reason.
"""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.answering.draft import Draft
from controlplane.benchmarks.shop.answering.finding import Finding
from controlplane.benchmarks.shop.answering.findings import apply_findings
from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.function_results import function_result


def shop_task(variant: str, names: str = "own") -> Task:
    """Return a task such as `refund-approval: possible`.

    The fields and folders of its shop have the code's "own" names, or "random" ones.
    """
    return generate_variant(variant, seed="7", settings=WorldSettings(names=names))


def draft_citing(
    documents: list[str],
    records: list[str],
    *,
    outcome: str = OK,
    task_type: str = "other",
) -> dict[str, Any]:
    """Return a draft of a model's answer that cites these pages and records."""
    return {
        "outcome": outcome,
        "message": "done",
        "task_type": task_type,
        "protected": False,
        "documents": documents,
        "records": records,
    }


def finished_citations(
    task: Task,
    draft: dict[str, Any],
    *,
    findings: Sequence[dict[str, Any]] = (),
    in_order: bool = True,
) -> dict[str, str]:
    """Return what the finished answer cites, by path: `{"/docs/returns.md": "it says: ..."}`.

    A citation has a reason, since the shop asks why an answer cites a file.

    `findings` is what the trial has found before: `[{"opened": ["/docs/returns.md"]}]`. If not
    `in_order`, citations are neither checked nor sorted, and none are added for the request.
    """
    result = function_result(
        EcomEnvironment(workspace_of(task.world)),
        "order_references",
        request=task.instruction,
        answer=draft,
        findings=json.dumps(findings),
        in_order=in_order,
    )
    return {reference["path"]: reference["reason"] for reference in result["refs"]}


class TestCitationsOfDraft:
    """The citations of a draft are checked, sorted and completed.

    The task is to approve a refund. Fields and folders of the shop have the code's own names, or
    random ones. `finished_citations(task, draft)` returns the reason by the cited path.
    """

    @pytest.mark.parametrize("names", ["own", "random"])
    def test_pages_come_first_and_those_that_do_not_exist_are_dropped(self, names):
        """The model's draft cites two pages, of which the shop has one. Records are added to it."""
        task = shop_task("refund-approval: possible", names)
        draft = draft_citing(["/docs/security.md", "/docs/none.md"], records=[])

        first_path, *other_paths = finished_citations(task, draft)

        assert first_path == "/docs/security.md"
        assert "/docs/none.md" not in other_paths

    @pytest.mark.parametrize("names", ["own", "random"])
    def test_a_record_that_the_request_names_is_cited_with_what_it_is(self, names):
        """The draft cites nothing. The reason is, for example, "the return rma-0012 ..."."""
        task = shop_task("refund-approval: possible", names)
        draft = draft_citing(documents=[], records=[])

        citations = finished_citations(task, draft)

        required_paths = [path for path in citations if path in task.truth.must_cite]
        path = required_paths[0]
        record_id = path.rpartition("/")[2].removesuffix(".json")
        assert citations[path].startswith("the ")
        assert record_id in citations[path]

    @pytest.mark.parametrize("names", ["own", "random"])
    def test_a_refusal_does_not_cite_another_customers_record(self, names):
        """The model's draft cites the basket that the user asked about and may not know."""
        task = shop_task("foreign-basket: checkout of a foreign one", names)
        # The path of the basket that the request names: "/proc/carts/basket-0012.json"
        foreign_basket = task.truth.for_tests["basket"]
        draft = draft_citing(["/docs/security.md"], [foreign_basket], outcome=DENIED)

        citations = finished_citations(task, draft)

        assert list(citations) == ["/docs/security.md"]

    def test_opened_pages_about_the_kind_of_task_are_cited(self):
        """The trial has opened three pages. The one on stock has nothing to do with a refund."""
        task = shop_task("refund-approval: possible")
        draft = draft_citing(documents=[], records=[], task_type="refund")
        opened = ["/docs/returns.md", "/docs/security.md", "/docs/stock.md"]

        citations = finished_citations(
            task, draft, findings=[{"opened": opened}], in_order=False
        )

        assert citations.keys() == {"/docs/returns.md", "/docs/security.md"}
        for reason in citations.values():
            assert reason.startswith("it says: ")


FRAUD_IN_FIRST_EXPORT = Finding("fraud", refs=("/a.tsv#row=1",), message="EUR 1.00")
FRAUD_IN_LAST_EXPORT = Finding("fraud", refs=("/b.tsv#row=2",), message="EUR 2.00")


class TestFindingsOfFraud:
    """The rows that a function has found to be fraudulent go into an answer on fraud.

    A script has looked for fraud in two exports of payments, one after the other:

        /a.tsv    row 1 is fraudulent    the total is "EUR 1.00"
        /b.tsv    row 2 is fraudulent    the total is "EUR 2.00"
    """

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
        self, request_text
    ):
        """The model's draft has the message "?", and cites no rows."""
        draft = Draft(OK, message="?", task_type="fraud", request=request_text)

        answer = apply_findings([FRAUD_IN_FIRST_EXPORT, FRAUD_IN_LAST_EXPORT], draft)

        assert answer.message == "EUR 2.00"
        assert answer.records == ("/b.tsv#row=2",)

    def test_a_question_about_something_else_gets_no_rows_of_fraud(self):
        """The type of the task is `count`, and not `fraud`."""
        draft = Draft(OK, message="3", task_type="count", request="How many? EUR")

        answer = apply_findings([FRAUD_IN_FIRST_EXPORT, FRAUD_IN_LAST_EXPORT], draft)

        assert answer.records == ()
