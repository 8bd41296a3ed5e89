"""An answer cites the files that it is about: those of the model's draft, checked and completed.

request         "Refund what is in rma_0012, please."
a draft cites   /docs/returns.md, and /docs/none.md, which does not exist
the answer      /docs/returns.md, and the return rma_0012, which the request names
"""

import json
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.answers import order_references
from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.small_shop import SmallShop, basket
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


def citations(
    shop: SmallShop, answer: dict[str, Any], request: str
) -> list[tuple[str, str]]:
    """Return what the finished answer cites, and why: `[("/docs/a.md", "it says: Hello.")]`."""
    result = order_references(
        shop.layout, answer, request=request, findings="[]", in_order=True
    )
    return [(reference.path, reference.reason) for reference in result.refs]


def test_a_record_that_the_request_names_is_cited_behind_the_pages_of_the_draft() -> (
    None
):
    """The asker, an employee, may see all records."""
    shop = SmallShop(
        {
            "/AGENTS.MD": "Records are in /proc.",
            "/docs/returns.md": "We refund what came back.\n",
            "/proc/carts/basket_21.json": basket("basket_21", customer="cust_7"),
            "/proc/returns/rma_0012.json": {
                "id": "rma_0012",
                "customer_id": "cust_7",
                "payment_id": "pay_0004",
                "created_at": "2030-01-03T10:00:00Z",
            },
        },
        user="emp_0001",
        roles="employee",
    )
    answer = draft(documents=["/docs/returns.md"])

    assert citations(shop, answer, "Refund what is in rma_0012, please.") == [
        ("/docs/returns.md", "it says: We refund what came back."),
        ("/proc/returns/rma_0012.json", "the return rma_0012"),
    ]


@pytest.mark.parametrize("owner_field", ["customer_id", "buyer"])
def test_a_refusal_does_not_cite_another_customers_basket(owner_field: str) -> None:
    """The asker is cust_7. Citing the basket of cust_4 would tell that it exists."""
    shop = SmallShop(
        {
            "/AGENTS.MD": "Records are in /proc.",
            "/docs/security.md": "Customers see only their own baskets.",
            "/proc/carts/basket_21.json": {
                "id": "basket_21",
                owner_field: "cust_4",
                "created_at": "2030-01-02T10:00:00Z",
                "lines": [{"sku": "AB-1", "quantity": 1}],
            },
        },
        user="cust_7",
        roles="customer",
    )
    answer = draft(
        outcome=DENIED,
        documents=["/docs/security.md"],
        records=["/proc/carts/basket_21.json"],
    )

    assert citations(shop, answer, "Check out basket_21.") == [
        ("/docs/security.md", "it says: Customers see only their own baskets.")
    ]


def test_opened_pages_about_the_kind_of_task_are_cited() -> None:
    """The trial has opened three pages. The one on stock has nothing to do with a refund."""
    shop = SmallShop(
        {
            "/AGENTS.MD": "Records are in /proc.",
            "/docs/returns.md": "We refund what came back.",
            "/docs/security.md": "Only employees refund.",
            "/docs/stock.md": "We refund nothing here.",
            "/proc/carts/basket_21.json": basket("basket_21", customer="cust_7"),
        },
        user="emp_0001",
        roles="employee",
    )
    opened = ["/docs/returns.md", "/docs/security.md", "/docs/stock.md"]

    result = order_references(
        shop.layout,
        draft(task_type="refund"),
        request="Refund rma_0012.",
        findings=json.dumps([{"opened": opened}]),
        in_order=False,
    )

    cited_paths = [reference.path for reference in result.refs]
    assert cited_paths == ["/docs/returns.md", "/docs/security.md"]
    reasons = [reference.reason for reference in result.refs]
    assert reasons == [
        "it says: We refund what came back.",
        "it says: Only employees refund.",
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

    result = function_result(
        EcomEnvironment(workspace_of(task.world)),
        "order_references",
        request=task.instruction,
        answer=answer,
        findings="[]",
        in_order=True,
    )

    first_path, *other_paths = [reference["path"] for reference in result["refs"]]
    assert first_path == "/docs/security.md"
    assert "/docs/none.md" not in other_paths
    records_that_a_right_answer_cites = set(other_paths) & set(task.truth.must_cite)
    assert records_that_a_right_answer_cites != set()
