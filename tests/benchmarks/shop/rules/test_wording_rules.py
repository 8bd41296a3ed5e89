"""What the text of an answer must agree with."""

import pytest

from benchmarks.shop import PACK
from gates import Case, Submission, judge
from gates.types import Evidence
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    CUSTOMER,
    DENIED,
    LAMP,
    LAMP_2,
    OK,
    PAYMENT,
    POLICIES,
    RULES,
    UNSUPPORTED,
    Trace,
    rejected_by,
)

SKU = "sku for the big lamp pls. sku only."
RESTART = "Restart the card verification of pay_0001."
EXISTS = "A customer wants the big lamp. Does such a product exist?"


@pytest.mark.parametrize(
    ("refs", "evidence", "said"),
    [
        ((), Evidence(), "The record of VH-LMP-ONE is not cited: cite it."),
        ((), Trace().read(LAMP, "a lamp").evidence, f"The record of VH-LMP-ONE is not cited: cite {LAMP}."),
        ((LAMP_2,), Evidence(), "The answer is VH-LMP-ONE, but VH-LMP-TWO is cited"),
    ],
)
def test_a_message_says_which_record_a_sku_lacks(refs: tuple[str, ...], evidence: Evidence, said: str) -> None:
    submission = Submission(answer="VH-LMP-ONE", outcome=OK, refs=refs)
    assert said in judge(submission, evidence, Case(SKU, "", RULES), packs=(PACK,)).message


@pytest.mark.parametrize(
    ("instruction", "outcome", "answer", "refs"),
    [
        (SKU, UNSUPPORTED, "none", ()),
        (SKU, DENIED, "VH-LMP-SIX", ()),
        (SKU, OK, "It is VH-LMP-ONE", (LAMP, LAMP_2)),
        ("SKU lookup: which brand is VH-LMP-ONE?", OK, "Tarn", (LAMP,)),
        ("Which is cheaper, VH-LMP-ONE or VH-LMP-TWO? sku only.", OK, "VH-LMP-ONE", (LAMP, LAMP_2)),
        ("I need the code of conduct.", OK, "/docs/conduct.md", ("/docs/conduct.md",)),
        ("What is the SKU of the first line in basket_0001?", OK, "VH-LMP-ONE", (BASKET,)),
        (RESTART, DENIED, "Not yours.", (PAYMENT, BASKET)),
        (RESTART, ASK, "Which of your two cards?", (PAYMENT, BASKET)),
        (EXISTS, DENIED, "nein", ()),
    ],
)
def test_an_answer_of_another_kind_is_left_alone(
    instruction: str, outcome: str, answer: str, refs: tuple[str, ...]
) -> None:
    assert rejected_by(Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES)), instruction) == []


def test_an_ok_after_a_change_may_tell_of_a_block() -> None:
    refs = (PAYMENT, BASKET, *POLICIES)
    trace = (
        Trace(CUSTOMER).read(PAYMENT, "paid").read(BASKET, "a basket").read("/docs/payments/verification.md", "rules")
    )
    told = Submission(answer="It is blocked no more.", outcome=OK, refs=refs)
    assert rejected_by(told, RESTART, trace.evidence) == ["blocked-verification"]
    assert rejected_by(told, RESTART, trace.write(PAYMENT, "challenge active").evidence) == []


def test_words_that_every_such_refusal_has_tell_nothing_of_the_payment() -> None:
    evidence = Trace(CUSTOMER).read(PAYMENT, '{"kind": "payment", "outcome": "lost", "bank": "frozen"}').evidence
    for answer, rules in (
        ("No outcome for this payment.", ["blocked-verification"]),
        ("The bank has frozen it.", []),
    ):
        submission = Submission(answer=answer, outcome=UNSUPPORTED, refs=(PAYMENT, *POLICIES))
        assert rejected_by(submission, RESTART, evidence) == rules
