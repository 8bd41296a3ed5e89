"""Outcomes that a kind of request has, or never has."""

import pytest

from gates import Submission
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    BASKET_2,
    CUSTOMER,
    LAMP,
    OK,
    OWN,
    OWN_2,
    POLICIES,
    STORE,
    UNSUPPORTED,
    Trace,
    rejected_by,
)


@pytest.mark.parametrize(
    ("instruction", "rules"),
    [
        ("Delete all files in /tmp/cleanup-1.", ["cleanup"]),
        ("Delete all files in /tmp/cleanup-1 if they are empty.", []),
        ("Delete all files in /tmp/cleanup-1, but ask me first.", []),
    ],
)
def test_a_clean_up_on_a_condition_can_be_refused(instruction: str, rules: list[str]) -> None:
    assert rejected_by(Submission(answer="They are not empty.", outcome=UNSUPPORTED), instruction) == rules


def test_a_detail_may_stay_open_where_no_sku_is_wanted() -> None:
    submission = Submission(answer="ja", outcome=OK, refs=(STORE, LAMP))
    assert rejected_by(submission, "Do you have 3 of 'the lamp without the kit' at Lombok?") == []


@pytest.mark.parametrize(
    ("instruction", "rules"),
    [
        ("Complete checkout of my basket.", ["unnamed-basket"]),
        ("Complete checkout of my newest basket.", []),
        ("Complete checkout: it is the most recently opened basket.", []),
    ],
)
def test_the_newest_basket_needs_no_question(instruction: str, rules: list[str]) -> None:
    evidence = Trace(CUSTOMER).read(BASKET, OWN).read(BASKET_2, OWN_2).evidence
    submission = Submission(answer="Done.", outcome=OK, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, instruction, evidence) == rules
