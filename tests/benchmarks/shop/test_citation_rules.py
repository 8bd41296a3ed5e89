"""Which records and documents an answer cites and which it does not, and which outcomes fit a request."""

import pytest

from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    CUSTOMER,
    DENIED,
    LAMP,
    LAMP_2,
    OK,
    OWN,
    OWN_2,
    PAYMENT,
    POLICIES,
    RETURN,
    RETURN_2,
    RULES,
    STORE,
    UNSUPPORTED,
    UPLOAD,
    Trace,
    rejected_by,
)

EXISTS = "A customer wants the lamp. Does such a product exist?"
FIELD = "What exact `city` is recorded for Lombok?"
FAULTY = [
    ("checklist", "Do you have 3 of the lamp at Lombok?", OK, "ja", (LAMP,)),
    ("checklist", "Can I buy what is on the receipt again?", OK, "ja", (STORE, LAMP)),
    ("checklist", "Apply a 5% discount to basket_0001.", OK, "5% given.", (BASKET,)),
    ("stock-subject", "Do you have 3 of the lamp at Lombok?", OK, "nein", (STORE, LAMP, LAMP_2)),
    ("existing-product", "Is the lamp there, with cells or a plug?", OK, "ja", (STORE, LAMP, LAMP_2)),
    ("stock-subject", "Do you have 3 of the lamp (but not VH-LMP-ONE)?", OK, "ja", (STORE, LAMP)),
    ("return", "Close the refund for pay_0001.", OK, "Closed.", (PAYMENT,)),
    ("return", "Close the refund for pay_0001.", OK, "Closed.", (PAYMENT, RETURN, RETURN_2)),
    ("return", "Close the refund for return rma_0001.", OK, "Closed.", (RETURN,)),
    ("named-record", "Check out basket_0001.", OK, "Done.", (BASKET, BASKET_2)),
    ("named-record", "Check out basket_0001.", UNSUPPORTED, "Too little stock.", (STORE,)),
    ("counted", "How many of these products have 3 items available: the lamp, the mat?", OK, "1", (LAMP, LAMP_2)),
    ("existing-product", "A customer wants the lamp. Does such a product exist?", OK, "ja", (LAMP, LAMP_2)),
    ("existing-product", "A customer wants the lamp. Does such a product exist?", OK, "ja", ()),
    ("existing-product", "A customer wants 'the lamp and has lux 7'. Does such a product exist?", OK, "nein", (LAMP,)),
    ("field-record", "What exact `city` is recorded for Lombok?", OK, "Utrecht", (RULES,)),
    ("field-record", "What exact `city` is recorded for Lombok?", OK, "Utrecht", (STORE, "/proc/branches/Ede/b.json")),
    ("candidates", "sku for the lamp pls. sku only.", ASK, "Which lamp do you mean?", (LAMP, LAMP_2)),
    ("candidates", "sku for the lamp pls. sku only.", ASK, "Which lamp do you mean: VH-LMP-ONE?", (LAMP,)),
    # Outcomes that a kind of request rarely has, and what refusals rest on.
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


@pytest.mark.parametrize(
    ("instruction", "outcome", "answer", "refs", "trace", "rules"),
    [
        ("What is the status of basket_0001?", OK, "active", (), Trace().read(BASKET, OWN), ["named-record"]),
        ("What is the status of basket_0001?", OK, "active", (), Trace().read(BASKET_2, OWN_2), []),
        (
            "Close the refund for pay_0001.",
            UNSUPPORTED,
            "There is no return for it.",
            (PAYMENT,),
            Trace().read(PAYMENT, {"id": "pay_0001"}).read(RETURN_2, {"payment_id": "pay_0002"}),
            [],
        ),
        (
            "Close the refund for pay_0001.",
            UNSUPPORTED,
            "There is no return for it.",
            (PAYMENT,),
            Trace().read(PAYMENT, {"id": "pay_0001"}).read(RETURN, '{"payment_id":"pay_0001"}'),
            ["return"],
        ),
        (
            "Close the refund for pay_0001.",
            UNSUPPORTED,
            "Its payment is not on record.",
            (RETURN,),
            Trace().read(RETURN, {"id": "rma_0001", "payment_id": "pay_0001"}),
            [],
        ),
        ("Do you have 3 of the lamp at Lombok?", OK, "nein", (STORE,), Trace().read(STORE, "no lamps"), []),
        (
            "Do you have 3 of the lamp at Lombok?",
            OK,
            "nein",
            (STORE,),
            Trace().read(STORE, "{}").read(LAMP, "{}"),
            ["checklist"],
        ),
        (EXISTS, OK, "ja", (), Trace().read(STORE, "a lamp"), []),
        (EXISTS, OK, "ja", (), Trace().read(LAMP, "a lamp"), ["existing-product"]),
        (FIELD, OK, "Utrecht", (RULES,), Trace().read(RULES, "Lombok is in Utrecht"), []),
        (FIELD, OK, "Utrecht", (RULES,), Trace().read(STORE, "Utrecht"), ["field-record"]),
        (FIELD, OK, "Utrecht", (), Trace().read(STORE, "Utrecht").write("/notes/a.txt", "x"), []),
        ("Give me Ada's work e-mail.", DENIED, "Not given out.", (), Trace(CUSTOMER), []),
    ],
)
def test_the_trace_decides(
    instruction: str, outcome: str, answer: str, refs: tuple[str, ...], trace: Trace, rules: list[str]
) -> None:
    assert rejected_by(Submission(answer=answer, outcome=outcome, refs=refs), instruction, trace.evidence) == rules
