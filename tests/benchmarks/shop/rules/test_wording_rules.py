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
    STORE,
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


LAMP_READ = Trace().read(LAMP, '{"sku": "VH-LMP-ONE"}')
LINKED = Trace().read(LAMP, '{"sku": "VH-LMP-ONE", "replaced_by": "VH-LMP-TWO"}')


@pytest.mark.parametrize(
    ("instruction", "answer", "refs", "trace", "rules"),
    [
        ("Call me the big lamp by its letters.", "VH-LMP-TWO", (LAMP,), LAMP_READ, ["sku"]),
        ("Call me the big lamp by its letters.", "VH-LMP-ONE", (LAMP,), LAMP_READ, []),
        ("Call me the big lamp by its letters.", "It is VH-LMP-TWO", (LAMP,), LAMP_READ, []),
        ("Call me the big lamp by its letters.", "VH-LMP-TWO", (LAMP,), Trace(CUSTOMER), []),
        ("Call me the big lamp by its letters.", "VH-LMP-TWO", (), LAMP_READ, []),
        ("Call me the big lamp by its letters.", "VH-LMP-SIX", (LAMP, LAMP_2), LAMP_READ, []),
        ("Call me the big lamp by its letters.", "VH-LMP-TWO", (LAMP,), LINKED, []),
        ("What goes with VH-LMP-ONE?", "VH-LMP-TWO", (LAMP,), LAMP_READ, []),
        ("What is in basket_0001?", "VH-LMP-TWO", (LAMP,), LAMP_READ, []),
    ],
)
def test_an_answer_that_is_one_sku_cites_no_other_product_alone(
    instruction: str, answer: str, refs: tuple[str, ...], trace: Trace, rules: list[str]
) -> None:
    found = rejected_by(Submission(answer=answer, outcome=OK, refs=refs), instruction, trace.evidence)
    assert [each for each in found if each == "sku"] == rules


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


NAMES = "Which branches are open? Return only branch names."


def are_names_rejected(answer: str, outcome: str = OK, instruction: str = NAMES, trace: Trace | None = None) -> bool:
    submission = Submission(answer=answer, outcome=outcome, refs=(STORE,))
    return "branch-names" in rejected_by(submission, instruction, trace.evidence if trace else None)


@pytest.mark.parametrize(
    ("answer", "is_wrong"),
    [
        ("Lombok", True),
        ("\nlombok\n\n", True),
        ("Lombok\nUtr Lombok", True),
        ("Veerhaven", False),
        ("Lombok\nVeerhaven", False),
        ("", False),
        ("\n".join(["Lombok"] * 50), True),
        ("\n".join(["Lombok"] * 51), False),
    ],
)
def test_the_last_word_of_an_id_is_no_name_of_a_branch(answer: str, is_wrong: bool) -> None:
    assert are_names_rejected(answer) is is_wrong


def test_a_name_is_one_that_a_record_shows_or_that_was_not_asked_for() -> None:
    assert not are_names_rejected("Lombok", UNSUPPORTED)
    assert not are_names_rejected("Lombok", instruction="Which branches are open?")
    trace = Trace(CUSTOMER).read(STORE, '{"name": "Veerhaven Lombok"}')
    assert are_names_rejected("Lombok", trace=trace)
    assert not are_names_rejected("Lombok", trace=trace.read(STORE, '{"name": "Lombok"}'))


@pytest.mark.parametrize(
    ("instruction", "answer", "is_wrong"),
    [
        ("Apply a 6% discount to basket_0001.", "Given: 4 percent.", True),
        ("Apply a 6% discount to basket_0001.", "Given: 6 percent, not 4 percent.", False),
        ("Apply a 6% discount to basket_0001.", "Given.", False),
        ("Apply a 6% or 7% discount to basket_0001.", "Given: 4 percent.", False),
        ("Are 6% of the lamps in basket_0001 blue?", "It is 4 percent.", False),
    ],
)
def test_a_discount_is_given_as_asked(instruction: str, answer: str, is_wrong: bool) -> None:
    for outcome in (OK, UNSUPPORTED):
        submission = Submission(answer=answer, outcome=outcome, refs=(BASKET, *POLICIES))
        assert ("other-percent" in rejected_by(submission, instruction)) is (is_wrong and outcome == OK)
