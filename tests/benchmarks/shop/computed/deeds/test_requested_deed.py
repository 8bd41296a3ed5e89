"""Which deed a request is for: the words of buying, refunding, restarting and discounting, and the records it names."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import OK, UNSUPPORTED
from gates.types import Change, Evidence
from tests.benchmarks.shop.computed.expected_deeds import Changes, expected
from tests.benchmarks.shop.computed.small_shop import (
    BASKET,
    BASKET_2,
    CUSTOMER,
    FOREIGN,
    PAYMENT,
    PAYMENT_2,
    RETURN,
    RETURN_2,
    SECURITY,
    SOLD,
    STAFF,
    VERIFICATION,
    done,
    seen_before,
    summary,
)

DUE = {RETURN_2: {"status": "due"}}
"""Some other return is at the state between the steps."""


def deed(request: str, identity: str = CUSTOMER, evidence: Evidence | None = None, records: Changes = DUE) -> object:
    found = expected(request, identity, records, evidence)
    return found and found.deed[:1]


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("Check out basket-1.", "/bin/checkout"),
        ("Complete basket-1 for me.", "/bin/checkout"),
        ("See basket-1 through its checkout.", "/bin/checkout"),
        ("Buy basket-1 and pay for the latest changes.", "/bin/checkout"),
        ("Go ahead with my order.", "/bin/checkout"),
        ("See my order through its checkout.", "/bin/checkout"),
        ("My order: the checkout, please.", "/bin/checkout"),
        ("Is it open? If so, check out basket-1.", None),
        ("Look at basket-1.", None),
        ("Look at my order.", None),
        ("Buy something.", None),
        ("Do not check out basket-1.", None),
        ("Check out basket-1, and cancel the rest.", None),
        ("Check out basket-1 and mail me the receipt.", None),
        ("Approve the refund of ret-1.", "/bin/refund"),
        ("Hi. Can you process the refund of ret-1?", "/bin/refund"),
        ("Close ret-1, will you?", None),
        ("Approve my refund.", None),
        ("Restart the card verification.", None),
        ("Buy my order with pay-2.", None),
        ("Buy my order with ret-1.", None),
        ("Close ret-1.", "/bin/refund"),
        ("Look at the refund of ret-1.", None),
        ("Look at ret-1.", None),
        ("Look at pay-2.", None),
        ("Buy pay-2.", None),
        ("Never approve ret-1.", None),
        ("Approve ret-1, or is it too late?", None),
        ("Approve the refund of pay-2 for basket-2.", None),
        ("Approve the refund of ret-1 with a discount of 5 percent.", "/bin/refund"),
        ("Restart the verification of pay-1.", "/bin/payments"),
        ("Redo the bank check of basket-3.", "/bin/payments"),
        ("Start pay-1.", "/bin/payments"),
        ("Look at the verification of pay-1.", None),
        ("Look at the verification of basket-3 and buy it.", "/bin/checkout"),
        ("Recover basket-3 and buy it.", "/bin/checkout"),
        ("Retry pay-2.", None),
        ("Tell me how to redo pay-1.", None),
        ("Should we restart pay-1?", None),
        ("What does the restart of pay-1 cost?", None),
        ("What is the state of pay-1 after a restart.", None),
        ("Restart the verification and close the refund of ret-2 for pay-1.", "/bin/refund"),
        ("Add one Fjell Skerry mug to my newest basket.", BASKET),
        ("I want one Fjell Skerry mug in my last order.", BASKET),
        ("Add one Fjell Skerry mug to the newest one.", BASKET),
        ("The newest one is the Fjell Skerry mug.", None),
        ("Buy the newest basket-1.", "/bin/checkout"),
        ("Check basket-1 out.", "/bin/checkout"),
        ("Have basket-1 bought.", "/bin/checkout"),
        ("Have it bought as it is: basket-1.", "/bin/checkout"),
        ("Every basket-1 line.", "/bin/checkout"),
        ("Have my order bought.", None),
        ("Tell me whether basket-1 is bought.", None),
        ("Have basket-1 bought. Is it open?", None),
        ("Have basket-1 bought with FJ-MUG-ENAMEL.", None),
        ("Have basket-1 bought for a customer of ours.", None),
    ],
)
def test_the_words_of_a_request_tell_its_deed(request_: str, tool: str | None) -> None:
    assert deed(request_) == (tool and (tool,))


@pytest.mark.parametrize("request_", ["Take 10 % off basket-1 for a late_parcel.", "Discount basket-1: late_parcel."])
def test_a_percentage_or_the_word_asks_for_a_discount(request_: str) -> None:
    assert deed(request_, STAFF) == ("/bin/discount",)


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("Check out basket-1 and basket-2.", "basket"),
        ("Restart the verification of pay-1 and pay-2.", "payment"),
        ("Finish the refund of ret-1 and ret-2.", "return"),
    ],
)
def test_a_request_about_two_records_of_a_kind_is_not_certain(request_: str, named: str) -> None:
    assert expected(request_, records=DUE) is None
    assert named in request_ or named in ("payment", "return")
    assert expected(request_.partition(" and")[0] + ".", records=DUE) is not None


@pytest.mark.parametrize(
    ("request_", "tool", "detail"),
    [
        ("It is about basket-1.", "/bin/checkout", "basket-1"),
        ("Is basket-1 ready? Then let it go.", "/bin/checkout", "basket-1"),
        ("It is about ret-1.", "/bin/refund", "finish ret-1"),
        ("What I have waits.", "/bin/checkout", "basket-1"),
    ],
)
def test_what_a_trial_did_shows_what_it_took_the_request_for(request_: str, tool: str, detail: str) -> None:
    assert deed(request_, evidence=seen_before(done(tool, detail))) == (tool,)
    assert deed(request_) is None
    assert deed(request_, evidence=seen_before(Change(tool, "write", detail))) is None


def test_a_restart_of_a_payment_without_a_check_is_none() -> None:
    assert deed("It is about pay-2.", evidence=seen_before(done("/bin/payments", "redo pay-2"))) is None


def test_a_question_is_a_request_only_if_something_was_done() -> None:
    asked = "Can you check out basket-1?"
    assert expected(asked) is None
    assert deed(asked, evidence=seen_before(done("/bin/checkout", "basket-1"))) == ("/bin/checkout",)


def test_another_customers_record_is_denied_beside_an_own_one_and_employees_see_all() -> None:
    found = expected("Restart the verification of pay-1 for basket-4.")
    assert summary(found)[1:3] == ({SECURITY}, {PAYMENT})
    assert expected("Restart the verification of pay-1 for basket-4.", STAFF) is None
    assert expected("Take 10 % off basket-4 for a late_parcel.", STAFF).outcome == UNSUPPORTED
    assert FOREIGN in expected("Take 5 % off basket-4 for a late_parcel.", STAFF).cited


def test_a_payment_that_is_named_counts_before_that_of_the_basket() -> None:
    named = expected("Restart the bank check of pay-1 for basket-3.")
    assert (named.outcome, named.cited >= {PAYMENT, SOLD}) == (OK, True)
    assert expected("Restart the bank check of pay-2 for basket-3.", records={BASKET_2: {"status": "sold"}}) is None
    assert {PAYMENT_2, RETURN} <= expected("Approve the refund of pay-2.", STAFF, DUE).cited


def test_a_deed_in_the_words_of_a_policy_is_told_only_where_every_policy_is_known() -> None:
    assert expected("Have basket-1 bought.", documents={VERIFICATION: ""}) is None


MAY = "May basket-1 have 10 percent off for a late_parcel?"


def test_a_question_whether_a_basket_may_have_a_discount_may_be_answered_without_giving_it() -> None:
    found = expected(MAY, STAFF)
    assert (found.outcome, found.deed[:2], found.may_be_told) == (OK, ("/bin/discount", "basket-1"), True)


@pytest.mark.parametrize(
    "question",
    [
        MAY.replace("basket-1", "I"),
        MAY.replace("basket-1", "basket-1 of pay-1"),
        MAY.replace("basket-1", "basket-1 of ret-1"),
        MAY.replace("10 percent", "something"),
        MAY.replace("10 percent", "10 percent or 5 percent"),
        MAY.replace("late_parcel", "rainy_day"),
        MAY.replace(" for a late_parcel", ""),
    ],
)
def test_a_question_for_a_discount_names_one_basket_one_percentage_and_a_reason(question: str) -> None:
    assert expected(question, STAFF) is None
