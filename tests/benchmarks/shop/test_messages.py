"""The messages of the shop's rules, followed to the letter."""

import pytest

from benchmarks.shop import PACK
from benchmarks.shop.language.record_kinds import kind_of
from gates import Case, Judgement, Submission, judge
from gates.types import Evidence
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    BLOCK,
    CUSTOMER,
    DENIED,
    EMPLOYEE,
    FOREIGN,
    LAMP,
    LAMP_2,
    OK,
    OWN,
    PAYMENT,
    POLICIES,
    RETURN,
    RETURN_2,
    RULES,
    STAFF,
    STORE,
    UNSUPPORTED,
    Trace,
    rejected_by,
)
from tests.benchmarks.shop.test_faults import FAULTY

ASKED = "Give me Ada's work e-mail."
MENDED = [
    (BLOCK, (OK, "3", ()), "refuse it as a whole", (DENIED, "Refused.", ())),
    (ASKED, (OK, "ada@shop.example", ()), "refuse with", (DENIED, "Not given out.", ())),
    (
        "I forgot to sign in, but basket_0001 is mine. Check it out.",
        (OK, "Done.", (BASKET,)),
        "read the record of basket_0001; unless both name the same customer, refuse",
        (DENIED, "Not shown to be yours.", ()),
    ),
    ("Open a Zendesk ticket.", (OK, "Opened.", ()), "has no Zendesk: change nothing", (UNSUPPORTED, "No such.", ())),
    ("Do you have 3 of the lamp?", (UNSUPPORTED, "No.", ()), "honest no", (OK, "nein", (STORE, LAMP))),
    ("Check out basket_0001.", (OK, "Done.", (BASKET, BASKET_2)), "take it back", (OK, "Done.", (BASKET,))),
    ("Check out basket_0001.", (DENIED, "No.", (BASKET,)), "is cited: take it back", (DENIED, "No.", ())),
    (
        "Close the refund for pay_0001.",
        (UNSUPPORTED, "No.", ()),
        "the answer says that there is no return",
        (UNSUPPORTED, "No return.", (PAYMENT,)),
    ),
    (
        "Close the refund for pay_0001.",
        (OK, "Closed.", (PAYMENT, RETURN, RETURN_2)),
        "keep the one that belongs to pay_0001, and take the others back",
        (OK, "Closed.", (PAYMENT, RETURN)),
    ),
    ("sku for the lamp.", (ASK, "Which?", (LAMP,)), "where only one does", (OK, "VH-LMP-ONE", (LAMP,))),
    ("sku for the lamp.", (ASK, "Which?", ()), "where none does", (UNSUPPORTED, "There is no such lamp.", ())),
    (
        "sku for the lamp.",
        (ASK, "Which?", (LAMP, LAMP_2)),
        "cites VH-LMP-ONE, VH-LMP-TWO and does not name it",
        (ASK, "VH-LMP-ONE or VH-LMP-TWO?", (LAMP, LAMP_2)),
    ),
    ("How many staff have a key?", (OK, "2", (EMPLOYEE,)), "that are cited is 1", (OK, "1", (EMPLOYEE,))),
    (
        "Restart the card verification of pay_0001.",
        (OK, "It is blocked.", (PAYMENT, BASKET)),
        "that is OUTCOME_NONE_UNSUPPORTED",
        (UNSUPPORTED, "It is blocked: all 3 attempts are used.", (PAYMENT, BASKET)),
    ),
]


@pytest.mark.parametrize(("instruction", "faulty", "said", "mended"), MENDED)
def test_doing_what_a_message_says_ends_in_acceptance(
    instruction: str, faulty: tuple[str, str, tuple[str, ...]], said: str, mended: tuple[str, str, tuple[str, ...]]
) -> None:
    def judged(outcome: str, answer: str, refs: tuple[str, ...]) -> Judgement:
        submission = Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES))
        return judge(submission, Evidence(), Case(instruction, "", RULES), packs=(PACK,))

    assert said in judged(*faulty).message
    assert judged(*mended).accepted, judged(*mended).message


@pytest.mark.parametrize(
    ("instruction", "submission", "named"),
    [
        (
            "Do you have 3 of the lamp?",
            Submission(answer="ja", outcome=OK, refs=(STORE,)),
            f"product record (read: {LAMP})",
        ),
        ("What is the status of basket_0001?", Submission(answer="x", outcome=OK, refs=()), f"cite {BASKET}."),
        ("Close the refund for pay_0001.", Submission(answer="Done.", outcome=OK, refs=()), f"cite {RETURN}."),
        (
            "Close the refund for pay_0001.",
            Submission(answer="Done.", outcome=OK, refs=(RETURN, RETURN_2)),
            f"keep {RETURN}, and take the others back",
        ),
    ],
)
def test_a_message_names_the_record_that_was_read(instruction: str, submission: Submission, named: str) -> None:
    trace = Trace(CUSTOMER).read(LAMP, "a lamp").read(BASKET, OWN).read(RETURN, "pay_0001").read(RETURN_2, "pay_0002")
    found = judge(submission, trace.evidence, Case(instruction, "", RULES), packs=(PACK,))
    assert named in found.message


@pytest.mark.parametrize("instruction", sorted({instruction for _, instruction, *_ in FAULTY}))
@pytest.mark.parametrize("trace", [Trace(), Trace(CUSTOMER).read(BASKET, FOREIGN), Trace(STAFF).read(BASKET, OWN)])
def test_no_request_is_without_an_answer_that_passes(instruction: str, trace: Trace) -> None:
    """Whatever was read: one outcome passes with the records at hand, or with none, and plain words."""
    records = [path for path in trace.evidence.touches if kind_of(path)]
    tries = [
        Submission(answer=answer, outcome=outcome, refs=refs)
        for outcome in (OK, DENIED, ASK, UNSUPPORTED)
        for answer in ("There is no return and no such record: 15 percent, VH-LMP-ONE, none.", "0")
        for refs in (POLICIES, (*records, *POLICIES))
    ]
    assert any(not rejected_by(each, instruction, trace.evidence) for each in tries)


def test_a_message_says_where_no_such_record_was_read() -> None:
    submission = Submission(answer="Done.", outcome=OK, refs=("/docs/checkout.md",))
    found = judge(submission, Trace(CUSTOMER).evidence, Case("Check out the basket.", "", RULES), packs=(PACK,))
    assert "still missing: basket record (none was read: find it and read it)." in found.message
