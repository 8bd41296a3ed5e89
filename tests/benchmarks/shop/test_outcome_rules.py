"""Outcomes that a kind of request rarely has, and what refusals rest on."""

import pytest

from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    LAMP,
    OK,
    PAYMENT,
    POLICIES,
    STORE,
    UNSUPPORTED,
    UPLOAD,
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
