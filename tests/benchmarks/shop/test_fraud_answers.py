"""An answer about fraud gets what the function `fraud_rows` has found: the rows, and their total.

A script has called the function for an export of payments. The model's draft of an answer says "?", and the
finished answer "EUR 2.00", with `/b.tsv#row=2` cited.
"""

import pytest

from controlplane.benchmarks.shop.answers import Draft, Finding, apply_findings
from controlplane.gates.submission import OK


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
    request_text: str,
) -> None:
    """A script has looked at two exports of payments, a.tsv and then b.tsv."""
    in_first_export = Finding("fraud", refs=("/a.tsv#row=1",), message="EUR 1.00")
    in_last_export = Finding("fraud", refs=("/b.tsv#row=2",), message="EUR 2.00")
    draft = Draft(OK, message="?", task_type="fraud", request=request_text)

    answer = apply_findings([in_first_export, in_last_export], draft)

    assert answer.message == "EUR 2.00"
    assert answer.records == ("/b.tsv#row=2",)


def test_a_question_about_something_else_gets_no_rows_of_fraud() -> None:
    """The type of the task is `count`, and not `fraud`."""
    finding = Finding("fraud", refs=("/a.tsv#row=1",), message="EUR 1.00")
    draft = Draft(OK, message="3", task_type="count", request="How many? EUR")

    answer = apply_findings([finding], draft)

    assert answer.message == "3"
    assert answer.records == ()
