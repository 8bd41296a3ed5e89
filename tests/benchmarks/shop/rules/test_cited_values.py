"""What an answer states, against what the files that it cites hold."""

import pytest

from gates import Submission
from tests.benchmarks.shop.invented_shop import ASK, CUSTOMER, LAMP, LAMP_2, OK, POLICIES, STORE, Trace, rejected_by

TABLE = "/archive/old.tsv"
PAYMENTS = (
    "row_id\tat\tcustomer_id\tstore_city\tamount_cents\n"
    "R1\t2024-01-01T10:00:00Z\tcust-1\tUtrecht\t1050\n"
    "R2\t2024-01-02T10:00:00Z\tcust-2\tEde\t200\n"
)
RECORD = '{"id": "VH-LMP-ONE", "sku": "VH-LMP-ONE", "family_id": "fam-lamp", "spec": {"lux": 40, "dim": true}}'
ROW = '{"sku": "VH-LMP-ONE", "on_hand": 6, "reserved": 2, "incoming": [{"quantity": 3, "arrives_in_days": 2}]}'
OTHER = '{"sku": "VH-LMP-TWO", "on_hand": 9, "reserved": 0, "incoming": []}'
BRANCH = f'{{"id": "store_utr_lombok", "name": "Lombok", "is_open": true, "inventory": [{ROW}, {OTHER}]}}'


def rejections(instruction: str, answer: str, refs: tuple[str, ...], outcome: str = OK) -> list[str]:
    trace = Trace(CUSTOMER).read(LAMP, RECORD).read(STORE, BRANCH).read(TABLE, PAYMENTS).read(LAMP_2, "{}")
    for each in POLICIES:
        trace.read(each, "rules")
    found = rejected_by(Submission(answer=answer, outcome=outcome, refs=refs), instruction, trace.evidence)
    return [each for each in found if each.startswith("cited-")]


@pytest.mark.parametrize(
    ("field", "answer", "is_wrong"),
    [
        ("family_id", "fam-lamp", False),
        ("family_id", "fam-tent", True),
        ("spec.lux", "40", False),
        ("spec.lux", "41", True),
        ("spec.dim", "true", False),
        ("spec", "anything", False),
        ("colour", "red", False),
    ],
)
def test_the_value_of_a_field_is_that_of_the_one_cited_record_which_has_it(
    field: str, answer: str, is_wrong: bool
) -> None:
    asked = f"What is `{field}` in the record of this lamp? Answer with the value only."
    assert rejections(asked, answer, (LAMP,)) == (["cited-field"] if is_wrong else [])


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ("What are `family_id` and `sku` of this lamp? Answer with the value only.", OK),
        ("What is `family_id` of this lamp? Tell me in a sentence.", OK),
        ("What is `family_id` of this lamp? Answer with the value only.", ASK),
    ],
)
def test_what_is_no_single_recorded_value_is_not_compared_with_a_field(asked: str, outcome: str) -> None:
    assert rejections(asked, "fam-tent", (LAMP,), outcome) == []


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("Do you have 4 of 'bright lamp 40 lux' (but not VH-LMP-TWO) today at Lombok?", "yes"),
        ("Do you have 5 of 'bright lamp 40 lux' today at Lombok?", "no"),
        ("Counting what arrives within 2 days, do you have 7 of that lamp at Lombok?", "yes"),
        ("Counting what arrives within 1 day, do you have 5 of that lamp at Lombok?", "no"),
        ("Counting what arrives within 2 days, do you have 8 of that lamp at Lombok?", "no"),
    ],
)
def test_a_yes_about_enough_units_agrees_with_the_cited_stock(asked: str, right: str) -> None:
    wrong = "no" if right == "yes" else "yes"
    assert rejections(asked, right, (LAMP, STORE)) == []
    assert rejections(asked, wrong, (LAMP, STORE)) == ["cited-stock"]


@pytest.mark.parametrize(
    ("asked", "refs"),
    [
        ("Do you have fewer than 5 of that lamp at Lombok?", (LAMP, STORE)),
        ("Do you have 5 of that lamp for 20 of us at Lombok?", (LAMP, STORE)),
        ("Is the 50 lux lamp to be had at Lombok?", (LAMP, STORE)),
        ("Do you have 5 of that lamp once the delivery has arrived at Lombok?", (LAMP, STORE)),
        ("Do you have 5 of that lamp?", (LAMP,)),
        ("Do you have 5 of those lamps at Lombok?", (LAMP, LAMP_2, STORE)),
    ],
)
def test_another_measure_and_other_citations_decide_nothing_about_units(asked: str, refs: tuple[str, ...]) -> None:
    assert rejections(asked, "yes", refs) == rejections(asked, "no", refs) == []


@pytest.mark.parametrize(
    ("answer", "rows", "is_wrong"),
    [
        ("EUR 12.50", ("R1", "R2"), False),
        ("EUR 10.50", ("R1",), False),
        ("EUR 12.50", ("R1",), True),
        ("EUR 10.50", ("R1", "R2"), True),
        ("EUR 99.00", ("R9",), False),
        ("nothing", ("R1",), False),
    ],
)
def test_a_total_is_the_sum_of_the_rows_that_are_cited(answer: str, rows: tuple[str, ...], is_wrong: bool) -> None:
    refs = tuple(f"{TABLE}#row={each}" for each in rows)
    assert rejections(f"What is the total of fraud in {TABLE}?", answer, refs) == (["cited-rows"] if is_wrong else [])
