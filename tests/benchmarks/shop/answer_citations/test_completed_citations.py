"""An answer cites the files that it is about: those of the model's draft, checked and completed.

request         "Refund what is in return-4, please."
a draft cites   /docs/returns.md, and /docs/none.md, which does not exist
the answer      /docs/returns.md, and the return return-4, which the request names
"""

from controlplane.gates.submission import DENIED
from tests.benchmarks.shop.answer_citations.finished_answers import (
    draft,
    finished_references,
)
from tests.benchmarks.shop.functions.customer_records import returned_goods
from tests.benchmarks.shop.functions.goods_records import basket
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_a_record_that_the_request_names_is_cited_behind_the_pages_of_the_draft() -> (
    None
):
    """The asker, an employee, may see all records."""
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
    foreign_basket = basket("basket-4", {}) | {"customer_id": "cust-12"}
    shop = written_shop(
        {
            "/docs/security.md": "Customers see only their own baskets.",
            "/proc/carts/basket-4.json": foreign_basket,
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
