"""An answer cites the policies for its kind of task that the trial has opened, although the draft did not.

A policy is a page of the shop. For a refund, it is one whose path has the word `returns`, `refunds`,
`payments` or `security`. The model's draft of an answer to "Refund it." cites nothing. The finished answer
cites /docs/returns.md, which was opened before, with a sentence of it as the reason.
"""

from tests.benchmarks.shop.answer_citations.finished_answers import (
    draft,
    finished_references,
)
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_opened_policies_for_the_kind_of_task_are_cited() -> None:
    """The path of /docs/stock.md has none of the words, so this page is no policy for refunds."""
    shop = written_shop(
        {
            "/docs/returns.md": "We refund what came back.",
            "/docs/security.md": "Only employees refund.",
            "/docs/stock.md": "We refund nothing here.",
        },
        user="emp-4",
        roles=("employee",),
    )

    references = finished_references(
        shop,
        draft(task_type="refund"),
        request="Refund it.",
        opened=["/docs/returns.md", "/docs/security.md", "/docs/stock.md"],
    )

    assert references == [
        {"path": "/docs/returns.md", "reason": "it says: We refund what came back."},
        {"path": "/docs/security.md", "reason": "it says: Only employees refund."},
    ]
