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
        ("Restart the card verification of pay_0001 and check out basket_0001.", OK, "Restarted.", (PAYMENT, BASKET_2)),
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


def is_counted(instruction: str, number: int, refs: tuple[str, ...], evidence: Evidence | None = None) -> bool:
    submission = Submission(answer=str(number), outcome=OK, refs=refs)
    return "counted" in rejected_by(submission, instruction, evidence)


LAMPS_READ = Trace(CUSTOMER).read(LAMP, '{"price": 900}').read(LAMP_2, '{"price": 700}').evidence
BY_PRICE = "Number only: products of the line under EUR 9."


def test_no_more_products_are_cited_than_a_count_of_described_ones_gives() -> None:
    described = "How many of these products have 3 units: the red lamp, the blue lamp?"
    assert is_counted(described, 1, (LAMP, LAMP_2))
    assert not is_counted(described, 2, (LAMP, LAMP_2))
    assert not is_counted(described, 2, (LAMP,))
    assert not is_counted(f"{described} And VH-LMP-TWO?", 1, (LAMP, LAMP_2))
    assert not is_counted("How many lamps have 3 units?", 1, (LAMP, LAMP_2))


@pytest.mark.parametrize("refs", [(LAMP,), (LAMP, *POLICIES), POLICIES])
def test_a_number_of_products_by_price_is_that_of_the_cited_ones(refs: tuple[str, ...]) -> None:
    cited = len({LAMP} & set(refs))
    assert is_counted(BY_PRICE, cited + 1, refs, LAMPS_READ)
    assert not is_counted(BY_PRICE, cited, refs, LAMPS_READ)


@pytest.mark.parametrize(
    ("instruction", "refs", "evidence"),
    [
        ("Number only: products of the line in stock.", (LAMP,), LAMPS_READ),
        ("Tell us of products of the line under EUR 9.", (LAMP,), LAMPS_READ),
        (f"{BY_PRICE} And VH-LMP-TWO.", (LAMP,), LAMPS_READ),
        (f"{BY_PRICE} As in basket_0001.", (LAMP,), LAMPS_READ),
        (f"{BY_PRICE} As in /docs/prices.md.", (LAMP,), LAMPS_READ),
        (BY_PRICE, (LAMP, STORE), LAMPS_READ),
        (BY_PRICE, (LAMP,), Trace(CUSTOMER).read(RULES, "Lamps.").read(STORE, "{}").evidence),
    ],
)
def test_a_number_of_anything_else_is_not_that_of_the_cited_products(
    instruction: str, refs: tuple[str, ...], evidence: Evidence
) -> None:
    assert not is_counted(instruction, 7, refs, evidence)


PLAIN = "Products of the line under EUR 9, as a count."
PRICED = Trace(CUSTOMER).read(LAMP, '{"price": 900, "lumen": 3}').read(LAMP_2, '{"price": 700}').evidence


@pytest.mark.parametrize(
    ("instruction", "number", "refs", "is_a_count"),
    [
        (PLAIN, 2, (LAMP,), True),
        (PLAIN, 4, (LAMP,), True),
        (PLAIN, 5, (LAMP,), False),
        (PLAIN, 6, (LAMP, LAMP_2), True),
        (PLAIN, 1, (LAMP, LAMP_2), True),
        (PLAIN, 2, (LAMP, LAMP_2), False),
        (PLAIN, 3, (LAMP,), False),
        (PLAIN, 3, (LAMP_2,), True),
        (PLAIN, 0, (LAMP,), False),
        (PLAIN, 3, (LAMP, LAMP_2), False),
        (PLAIN, 3, (LAMP_2, LAMP.replace("ONE", "SIX")), False),
        (f"{PLAIN} As YYYY-MM-DD.", 2, (LAMP,), False),
        (PLAIN, 2, (), False),
        (PLAIN, 2, (LAMP, STORE), False),
        (PLAIN.replace("under EUR 9", "in stock"), 2, (LAMP,), False),
    ],
)
def test_a_small_number_near_that_of_the_cited_products_which_none_holds_is_their_count(
    instruction: str, number: int, refs: tuple[str, ...], is_a_count: bool
) -> None:
    assert is_counted(instruction, number, refs, PRICED) is is_a_count


def test_a_number_in_words_is_no_count_of_citations() -> None:
    submission = Submission(answer="2 of them", outcome=OK, refs=(LAMP,))
    assert "counted" not in rejected_by(submission, PLAIN, PRICED)


def test_a_number_of_people_with_a_marked_role_is_that_of_the_cited_ones() -> None:
    other = EMPLOYEE.replace("emp_0001", "emp_0002")
    one = Trace(STAFF).read(EMPLOYEE, '{"roles": ["packer"]}')
    assert is_counted("Number only: who is `packer` here?", 2, (EMPLOYEE,), one.evidence)
    assert not is_counted("Number only: who is `packer` here?", 1, (EMPLOYEE,), one.evidence)
    assert not is_counted("Number only: who is `driver` here?", 2, (EMPLOYEE,), one.evidence)
    both = one.read(other, '{"roles": ["driver"]}')
    assert not is_counted("Number only: who is `packer` here?", 1, (EMPLOYEE, other), both.evidence)


PROPERTY = "Does such a product exist: the lamp and has {}?"


@pytest.mark.parametrize(
    ("wanted", "record", "is_shown"),
    [
        ("200 lumens", '{"lumen": 200}', True),
        ("200 lumens", '{"lumen": 300, "unit": "lumens"}', False),
        ("a steel frame", '{"frame": "steel"}', True),
        ("a steel frame", '{"frame": "wood"}', False),
    ],
)
def test_a_yes_needs_the_further_property_in_the_record(wanted: str, record: str, is_shown: bool) -> None:
    evidence = Trace(CUSTOMER).read(LAMP, record).read(LAMP_2, '{"frame": "steel"}').evidence
    found = rejected_by(Submission(answer="ja", outcome=OK, refs=(LAMP,)), PROPERTY.format(wanted), evidence)
    assert ("existing-product" in found) is not is_shown


def test_a_further_property_in_words_of_no_record_is_left_to_the_reader() -> None:
    evidence = Trace(CUSTOMER).read(LAMP, '{"frame": "wood"}').read(LAMP_2, '{"frame": "steel"}').evidence
    yes = Submission(answer="ja", outcome=OK, refs=(LAMP,))
    assert "existing-product" not in rejected_by(yes, PROPERTY.format("a timber frame"), evidence)


@pytest.mark.parametrize(
    ("refs_why", "is_shown"),
    [({LAMP: "it has 200 lumens"}, True), ({LAMP: "200"}, True), ({LAMP: "it is the lamp"}, False), ([LAMP], False)],
)
def test_without_a_trace_the_reason_shows_the_further_property(refs_why: object, is_shown: bool) -> None:
    submission = Submission(answer="ja", outcome=OK, refs=(LAMP,), refs_why=refs_why)
    assert ("existing-product" in rejected_by(submission, PROPERTY.format("200 lumens"))) is not is_shown


def test_a_no_about_a_named_product_may_cite_it() -> None:
    submission = Submission(answer="nein", outcome=OK, refs=(LAMP,))
    assert "existing-product" in rejected_by(submission, EXISTS)
    assert "existing-product" not in rejected_by(submission, f"{EXISTS} As VH-LMP-ONE.")


def test_of_two_returns_the_one_of_the_named_payment_stays() -> None:
    trace = Trace(STAFF).read(PAYMENT, "{}").read(RETURN, '{"payment_id": "pay_0001"}').read(RETURN_2, "{}")
    submission = Submission(answer="Closed.", outcome=OK, refs=(PAYMENT, RETURN, RETURN_2, *POLICIES))
    found = judge(submission, trace.evidence, Case("Close the refund of pay_0001.", "", RULES), packs=(PACK,))
    assert f"keep {RETURN}," in found.message
