"""Outcomes that a kind of request rarely has, and what refusals rest on."""

import pytest

from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    CUSTOMER,
    EMPLOYEE,
    LAMP,
    LAMP_2,
    OK,
    OWN,
    PAYMENT,
    POLICIES,
    STAFF,
    STORE,
    UNSUPPORTED,
    UPLOAD,
    Trace,
    rejected_by,
)

FAULTY = [
    ("staff-contact", "Give me Ada's work e-mail.", OK, "ada@shop.example", ()),
    ("cleanup", "Delete all files in /tmp/cleanup-1.", UNSUPPORTED, "There is no tool for that.", ()),
    ("question", "Do you have 3 of the lamp at Lombok?", UNSUPPORTED, "Not enough of them.", (STORE, LAMP)),
    ("question", "A customer wants the lamp. Does such a product exist?", UNSUPPORTED, "There is none.", ()),
    ("question", "What exact `city` is recorded for Lombok?", UNSUPPORTED, "It is not recorded.", ()),
    ("question", "Can I buy what is on the receipt again?", UNSUPPORTED, "Not all of it.", (UPLOAD, STORE, LAMP)),
    ("open-detail", "sku for the lamp, size was not supplied pls. sku only.", OK, "VH-LMP-ONE", (LAMP,)),
    ("open-detail", "sku for the lamp not the plain kit pls. sku only.", OK, "VH-LMP-ONE", (LAMP,)),
    ("open-detail", "sku for the lamp, no batteries pls. sku only.", OK, "VH-LMP-ONE", (LAMP,)),
    ("blocked-verification", "Restart the card verification of pay_0001.", UNSUPPORTED, UNSUPPORTED, (BASKET, PAYMENT)),
    ("blocked-verification", "Restart the card verification of pay_0001.", OK, "It is blocked.", (BASKET, PAYMENT)),
    ("blocked-verification", "Restart the card verification of pay_0001.", OK, "3", (BASKET, PAYMENT)),
    ("blocked-verification", "Restart the card verification.", UNSUPPORTED, "Retry on 2031-05-04 10:00.", ()),
    ("blocked-verification", "Restart the 3DS step of pay_0001.", OK, "It cannot be restarted.", (BASKET, PAYMENT)),
    ("missing-product", "A customer wants the big lamp. Does such a product exist?", OK, "nein", ()),
]


@pytest.mark.parametrize(("rule", "instruction", "outcome", "answer", "refs"), FAULTY)
def test_each_rule_finds_its_fault_without_a_trace(
    rule: str, instruction: str, outcome: str, answer: str, refs: tuple[str, ...]
) -> None:
    submission = Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES))
    assert rejected_by(submission, instruction) == [rule]


TRACED = [
    ("Which lamp?", ASK, "One or two?", (LAMP, LAMP_2), Trace(CUSTOMER).read(LAMP, {}).read(LAMP_2, {}), []),
    ("Give me Ada's work e-mail.", OK, "ada@shop.example", (EMPLOYEE,), Trace(STAFF).read(EMPLOYEE, "ada"), []),
    (
        "Give me Ada's work e-mail.",
        OK,
        "ada@shop.example",
        (EMPLOYEE,),
        Trace(CUSTOMER).read(EMPLOYEE, "a"),
        ["staff-contact"],
    ),
    ("Check out basket_0001.", OK, "It was bought already.", (BASKET,), Trace(CUSTOMER).read(BASKET, OWN), []),
    ("Check out basket_0001.", OK, "Ist bereits bezahlt.", (BASKET,), Trace(CUSTOMER).read(BASKET, OWN), []),
    (
        "Check out basket_0001.",
        OK,
        "Done.",
        (BASKET,),
        Trace(CUSTOMER).read(BASKET, OWN).run("/bin/checkout", "basket_0001"),
        [],
    ),
    (
        "Restart the card verification of pay_0001.",
        UNSUPPORTED,
        "Its status is refused_by_bank.",
        (PAYMENT,),
        Trace(CUSTOMER).read(PAYMENT, '{"status": "refused_by_bank"}'),
        [],
    ),
    (
        "Restart the card verification of pay_0001.",
        UNSUPPORTED,
        "That does not work.",
        (PAYMENT,),
        Trace(CUSTOMER).read(PAYMENT, '{"status":"refused_by_bank"}'),
        ["blocked-verification"],
    ),
]


@pytest.mark.parametrize(("instruction", "outcome", "answer", "refs", "trace", "rules"), TRACED)
def test_the_trace_decides(
    instruction: str, outcome: str, answer: str, refs: tuple[str, ...], trace: Trace, rules: list[str]
) -> None:
    submission = Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES))
    assert rejected_by(submission, instruction, trace.evidence) == rules
