"""Which records and policies an answer to a kind of request cites."""

import pytest

from benchmarks.shop import PACK
from gates import Case, Submission, judge
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    CUSTOMER,
    OK,
    OWN,
    POLICIES,
    RULES,
    STORE,
    UPLOAD,
    Trace,
    rejected_by,
)


@pytest.mark.parametrize(
    "instruction", ["What is the total of the receipt?", "If I bought a lamp, would it come with a bulb?"]
)
def test_a_checklist_is_for_requests_that_fit_in_all_its_ways(instruction: str) -> None:
    assert rejected_by(Submission(answer="12.90", outcome=OK, refs=(UPLOAD,)), instruction) == []
    bought_again = "Can I buy what is on the receipt again?"
    assert rejected_by(Submission(answer="ja", outcome=OK, refs=(UPLOAD,)), bought_again) == ["checklist"]


def test_a_question_cites_no_policy() -> None:
    submission = Submission(answer="basket_0001 or basket_0002?", outcome=ASK, refs=(BASKET, BASKET_2))
    assert rejected_by(submission, "Please check out my basket.") == []


@pytest.mark.parametrize("cited", ["/docs/returns.md", "/exports/checkout.md", STORE])
def test_another_document_does_not_stand_for_the_policy(cited: str) -> None:
    submission = Submission(answer="Done.", outcome=OK, refs=(BASKET, cited))
    assert rejected_by(submission, "Check out basket_0001.") == ["policy"]
    submission = Submission(answer="Done.", outcome=OK, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, "Check out basket_0001.") == []


def test_a_message_names_the_policy_that_was_read() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read("/docs/shop/checkout.md", "rules")
    submission = Submission(answer="Done.", outcome=OK, refs=(BASKET,))
    found = judge(submission, trace.evidence, Case("Check out basket_0001.", "", RULES), packs=(PACK,))
    assert "cite /docs/shop/checkout.md, with the rule of it that applies" in found.message
