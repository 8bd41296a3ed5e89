"""An answer cites the files that it is about: those of the model's draft, checked and completed.

request         "Refund what is in rma_0012, please."
a draft cites   /docs/returns.md, and /docs/none.md, which does not exist
the answer      /docs/returns.md, and the return return-4, which the request names
"""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.functions.written_shop import (
    basket,
    returned_goods,
    written_shop,
)
from tests.support.function_results import function_result


def draft(**fields: Any) -> dict[str, Any]:
    """Return the draft of a model's answer. Unless the fields say so, it cites nothing."""
    empty_draft = {
        "outcome": OK,
        "message": "done",
        "task_type": "other",
        "protected": False,
        "documents": [],
        "records": [],
    }
    return empty_draft | fields


def finished_references(
    shop: EcomEnvironment,
    answer: dict[str, Any],
    request: str,
    *,
    opened: Sequence[str] = (),
) -> list[dict[str, str]]:
    """Return what the finished answer cites, and why: `[{"path": "/docs/a.md", "reason": "..."}]`.

    The trial has `opened` these pages.
    """
    result = function_result(
        shop,
        "order_references",
        request=request,
        answer=answer,
        findings=json.dumps([{"opened": list(opened)}]),
        in_order=True,
    )
    references: list[dict[str, str]] = result["refs"]
    return references


def test_a_record_that_the_request_names_is_cited_behind_the_pages_of_the_draft() -> (
    None
):
    """The draft cites a page that does not exist, too. The asker, an employee, may see all records."""
    shop = written_shop(
        {
            "/docs/returns.md": "We refund what came back.",
            "/proc/returns/return-4.json": returned_goods("return-4", "approved"),
        },
        user="emp-4",
        roles=("employee",),
    )
    answer = draft(documents=["/docs/returns.md", "/docs/none.md"])

    assert finished_references(shop, answer, "Refund what is in return-4, please.") == [
        {"path": "/docs/returns.md", "reason": "it says: We refund what came back."},
        {"path": "/proc/returns/return-4.json", "reason": "the return return-4"},
    ]


def test_a_refusal_does_not_cite_another_customers_basket() -> None:
    """The asker is cust-7. Citing the basket of cust-12 would tell that it exists."""
    shop = written_shop(
        {
            "/docs/security.md": "Customers see only their own baskets.",
            "/proc/carts/basket-4.json": basket("basket-4", {})
            | {"customer_id": "cust-12"},
        },
        user="cust-7",
    )
    answer = draft(
        outcome=DENIED,
        documents=["/docs/security.md"],
        records=["/proc/carts/basket-4.json"],
    )

    assert finished_references(shop, answer, "Check out basket-4.") == [
        {
            "path": "/docs/security.md",
            "reason": "it says: Customers see only their own baskets.",
        }
    ]


def test_opened_pages_about_the_kind_of_task_are_cited() -> None:
    """The trial has opened three pages. The one on stock has nothing to do with a refund."""
    shop = written_shop(
        {
            "/docs/returns.md": "We refund what came back.",
            "/docs/security.md": "Only employees refund.",
            "/docs/stock.md": "We refund nothing here.",
        },
        user="emp-4",
        roles=("employee",),
    )
    opened = ["/docs/returns.md", "/docs/security.md", "/docs/stock.md"]

    references = finished_references(
        shop, draft(task_type="refund"), "Refund it.", opened=opened
    )

    assert references == [
        {"path": "/docs/returns.md", "reason": "it says: We refund what came back."},
        {"path": "/docs/security.md", "reason": "it says: Only employees refund."},
    ]


@pytest.mark.parametrize("names", ["own", "random"])
def test_in_a_generated_shop_a_right_answer_gets_a_record_and_loses_a_missing_page(
    names: str,
) -> None:
    """The shop has hundreds of records, and calls its fields and folders as the benchmark's code
    does, or by "random" names. The draft cites two pages, of which one does not exist."""
    task = generate_variant(
        "refund-approval: possible", seed="7", settings=WorldSettings(names=names)
    )
    answer = draft(documents=["/docs/security.md", "/docs/none.md"])

    references = finished_references(
        EcomEnvironment(workspace_of(task.world)), answer, task.instruction
    )

    first_path, *other_paths = [reference["path"] for reference in references]
    assert first_path == "/docs/security.md"
    assert "/docs/none.md" not in other_paths
    records_that_a_right_answer_cites = set(other_paths) & set(task.truth.must_cite)
    assert records_that_a_right_answer_cites != set()
