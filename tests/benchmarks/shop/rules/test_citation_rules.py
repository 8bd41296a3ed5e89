"""Which records an answer must cite, and which it must not."""

import pytest

from benchmarks.shop import PACK
from gates import Case, Submission, judge
from gates.types import Evidence
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
    PAYMENT,
    PAYMENT_2,
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

LISTED = "How many of these SKUs are in stock: VH-LMP-ONE, VH-LMP-TWO?"
EXPORT = "Create an inventory export at /exports/a.csv."
RESTART = "Restart the card verification of pay_0001."
EXISTS = "A customer wants the lamp. Does such a product exist?"
FIELD = "What exact `city` is recorded for Lombok?"


@pytest.mark.parametrize(
    ("instruction", "outcome", "answer", "refs"),
    [
        ("For pay_0001: check out basket_0001.", OK, "Done.", (BASKET,)),
        ("Check out the basket of pay_0001.", OK, "Done.", (BASKET,)),
        ("Check out basket_0001.", OK, "Done.", (BASKET, PAYMENT)),
        (LISTED, ASK, "In stock where?", ()),
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
def test_what_a_rule_does_not_speak_of_passes(
    instruction: str, outcome: str, answer: str, refs: tuple[str, ...]
) -> None:
    assert rejected_by(Submission(answer=answer, outcome=outcome, refs=(*refs, *POLICIES)), instruction) == []


def test_a_basket_that_could_not_be_read_is_not_demanded() -> None:
    submission = Submission(answer="There is no such basket.", outcome=UNSUPPORTED, refs=POLICIES)
    evidence = Trace(CUSTOMER).read(BASKET_2, "another").evidence
    assert rejected_by(submission, "Check out basket_0001.", evidence) == []


def test_a_listed_product_that_was_read_is_demanded() -> None:
    evidence = Trace(STAFF).read(STORE, "stock").read(LAMP, "one").read(LAMP_2, "two").evidence
    submission = Submission(answer="1", outcome=OK, refs=(STORE, LAMP))
    assert rejected_by(submission, LISTED, evidence) == ["named-record"]


def exported() -> Trace:
    return Trace(STAFF).read(STORE, "stock").read(LAMP, "1").read(LAMP_2, "2")


@pytest.mark.parametrize(
    ("instruction", "outcome", "trace", "rules"),
    [
        (
            EXPORT,
            OK,
            exported().write("/exports/a.csv", "VH-LMP-TWO").write("/exports/b.csv", "-"),
            ["exported-records"],
        ),
        (EXPORT, UNSUPPORTED, exported().write("/exports/a.csv", "VH-LMP-TWO"), []),
        ("Note down the lamps.", OK, exported().write("/notes/a.txt", "VH-LMP-TWO"), []),
        (EXPORT, OK, exported().read("/tmp/old.csv", "VH-LMP-TWO").delete("/tmp/old.csv"), []),
    ],
)
def test_an_export_rests_on_the_products_that_stand_in_a_written_file(
    instruction: str, outcome: str, trace: Trace, rules: list[str]
) -> None:
    submission = Submission(answer="/exports/a.csv", outcome=outcome, refs=(STORE, LAMP))
    assert rejected_by(submission, instruction, trace.evidence) == rules


@pytest.mark.parametrize(
    ("instruction", "refs", "removed"),
    [
        (RESTART, (PAYMENT_2, PAYMENT, BASKET), "take pay_0002 back"),
        ("Restart my card verification.", (PAYMENT_2, PAYMENT, BASKET), "take pay_0001 back"),
        (RESTART, (PAYMENT, BASKET, BASKET_2), "take basket_0002 back"),
        ("Restart the 3DS step of pay_0001 for basket_0001.", (PAYMENT, PAYMENT_2, BASKET), "take pay_0002 back"),
    ],
)
def test_of_several_payments_the_one_that_is_named_stays(instruction: str, refs: tuple[str, ...], removed: str) -> None:
    submission = Submission(answer="Restarted.", outcome=OK, refs=(*refs, *POLICIES))
    assert removed in judge(submission, Evidence(), Case(instruction, "", RULES), packs=(PACK,)).message


def test_a_field_without_any_record_read_needs_none() -> None:
    submission = Submission(answer="Utrecht", outcome=OK, refs=(RULES,))
    assert rejected_by(submission, FIELD, Trace(CUSTOMER).read(RULES, "Lombok is in Utrecht").evidence) == []
    assert rejected_by(submission, FIELD, Trace(CUSTOMER).read(STORE, "Utrecht").evidence) == ["field-record"]


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


def test_a_count_of_products_rests_on_their_records_alone() -> None:
    submission = Submission(answer="7", outcome=OK, refs=POLICIES)
    assert rejected_by(submission, "How many matching SKUs are there under EUR 9?") == ["counted"]


@pytest.mark.parametrize("path", ["/proc/branches/a.json", "and/or", "5 EUR/m"])
def test_a_field_of_a_record_at_a_named_path_needs_its_record(path: str) -> None:
    asked = f"What is the exact `city` of it ({path})?"
    assert rejected_by(Submission(answer="Utrecht", outcome=OK, refs=(RULES,)), asked) == ["field-record"]
