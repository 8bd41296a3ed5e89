"""Which records and documents an answer cites, and which it does not."""

import pytest

from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    CUSTOMER,
    DENIED,
    EMPLOYEE,
    LAMP,
    LAMP_2,
    OK,
    OWN,
    OWN_2,
    PAYMENT,
    PAYMENT_2,
    POLICIES,
    RETURN,
    RETURN_2,
    RULES,
    STORE,
    UNSUPPORTED,
    Trace,
    rejected_by,
)

RESTART = "Restart the card verification of pay_0001."
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
    ("counted", "How many staff have the role packer?", OK, "<COUNT:0>", (EMPLOYEE,)),
    ("counted", "How many of these products have 3 items available: the lamp, the mat?", OK, "1", (LAMP, LAMP_2)),
    ("existing-product", "A customer wants the lamp. Does such a product exist?", OK, "ja", (LAMP, LAMP_2)),
    ("existing-product", "A customer wants the lamp. Does such a product exist?", OK, "ja", ()),
    ("existing-product", "A customer wants 'the lamp and has lux 7'. Does such a product exist?", OK, "nein", (LAMP,)),
    ("field-record", "What exact `city` is recorded for Lombok?", OK, "Utrecht", (RULES,)),
    ("field-record", "What exact `city` is recorded for Lombok?", OK, "Utrecht", (STORE, "/proc/branches/Ede/b.json")),
    ("candidates", "sku for the lamp pls. sku only.", ASK, "Which lamp do you mean?", (LAMP, LAMP_2)),
    ("candidates", "sku for the lamp pls. sku only.", ASK, "Which lamp do you mean: VH-LMP-ONE?", (LAMP,)),
]


@pytest.mark.parametrize(("rule", "instruction", "outcome", "answer", "refs"), FAULTY)
def test_each_rule_finds_its_fault_without_a_trace(
    rule: str, instruction: str, outcome: str, answer: str, refs: tuple[str, ...]
) -> None:
    submission = Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES))
    assert rejected_by(submission, instruction) == [rule]


@pytest.mark.parametrize(
    ("instruction", "outcome", "answer", "refs"),
    [
        ("For pay_0001: check out basket_0001.", OK, "Done.", (BASKET,)),
        ("Check out the basket of pay_0001.", OK, "Done.", (BASKET,)),
        ("Check out basket_0001.", OK, "Done.", (BASKET, PAYMENT)),
        ("Restart the card verification of pay_0001 and check out basket_0001.", OK, "Restarted.", (PAYMENT, BASKET_2)),
        ("Check out basket_0001 with a discount; put it on.", DENIED, "Not allowed.", (BASKET,)),
        ("What is the status of basket_0001?", DENIED, "Not yours.", (BASKET,)),
        (RESTART, DENIED, "Not yours.", (PAYMENT, PAYMENT_2)),
        ("How many staff have a key?", ASK, "2", (EMPLOYEE,)),
        ("How many staff have a key?", OK, "Nobody.", (EMPLOYEE,)),
        (EXISTS, DENIED, "ja", (LAMP, LAMP_2)),
        (EXISTS, OK, "ja", (LAMP,)),
        ("Close the refunds of pay_0001 and pay_0002; refund them.", OK, "Both.", (PAYMENT, RETURN, RETURN_2)),
        ("Restart the 3DS steps of pay_0001 and pay_0002 for basket_0001.", OK, "Both.", (PAYMENT, PAYMENT_2, BASKET)),
        (
            "What is the exact `city` of Lombok and of Ede?",
            OK,
            "Utrecht, Ede",
            (STORE, "/proc/branches/store_ede.json"),
        ),
        (FIELD, OK, "Utrecht", (STORE,)),
        ("Use `/bin/id`: what is the exact `title` of my record?", OK, "Packer", ()),
        ("What is the exact `usage` line of /docs/brand.md?", OK, "Blue on white", ("/docs/brand.md",)),
        ("What is the `row_id` of the first line of /archive/a.tsv?", OK, "AR-1", ("/archive/a.tsv#row=AR-1",)),
        ("How many employees did the first branch have?", OK, "7", ("/docs/history.md",)),
    ],
)
def test_an_answer_beyond_the_subject_of_a_rule_passes(
    instruction: str, outcome: str, answer: str, refs: tuple[str, ...]
) -> None:
    assert rejected_by(Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES)), instruction) == []


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


# Counts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refs", "rules"),
    [
        ((STORE,), ["counted"]),
        ((STORE, "/docs/employees.md"), []),
        ((STORE, EMPLOYEE, "/docs/employees.md"), ["counted"]),
    ],
)
def test_a_count_of_people_rests_on_their_records_or_on_a_document(refs: tuple[str, ...], rules: list[str]) -> None:
    assert rejected_by(Submission(answer="7", outcome=OK, refs=refs), "How many employees have a key?") == rules
