"""An answer that refuses a request must not have changed anything before, even if it was undone.

A script writes a file of the shop, deletes it again, and then denies the request: score 0.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import CLARIFICATION, DENIED, UNSUPPORTED
from tests.benchmarks.shop.functions.written_shop import written_shop


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, CLARIFICATION])
def test_a_refusal_after_a_change_scores_nothing_even_if_it_was_undone(
    outcome: str,
) -> None:
    task = Truth(instruction="Do it.", message="No.", outcome=outcome)
    shop = written_shop({})
    shop.call("write", {"path": "/tmp/draft", "content": "x"})
    shop.call("delete", {"path": "/tmp/draft"})
    shop.answer("No.", outcome, [])

    result = grade(task, shop)

    assert result.score == 0.0
    assert result.details == (
        "expected no changing call, got [write /tmp/draft, delete /tmp/draft]",
    )
