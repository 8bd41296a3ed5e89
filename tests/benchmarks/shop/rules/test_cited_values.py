"""What an answer states, against what the files that it cites hold."""

import pytest

from gates import Submission
from gates.types import Evidence, SeenText, Touch
from tests.benchmarks.shop.invented_shop import (
    ASK,
    CUSTOMER,
    LAMP,
    LAMP_2,
    OK,
    POLICIES,
    STORE,
    UPLOAD,
    Trace,
    rejected_by,
)

TABLE = "/archive/old.tsv"
PAYMENTS = (
    "row_id\tat\tcustomer_id\tstore_city\tamount_cents\n"
    "R1\t2024-01-01T10:00:00Z\tcust-1\tUtrecht\t1050\n"
    "R2\t2024-01-02T10:00:00Z\tcust-2\tEde\t200\n"
)
RECORD = '{"id": "VH-LMP-ONE", "sku": "VH-LMP-ONE", "family_id": "fam-lamp", "spec": {"lux": 40, "dim": true}}'
ROW = '{"sku": "VH-LMP-ONE", "on_hand": 6, "reserved": 2, "incoming": [{"quantity": 3, "arrives_in_days": 2}]}'
OTHER = '{"sku": "VH-LMP-TWO", "on_hand": 9, "reserved": 0, "incoming": [{"quantity": 5, "arrives_in_days": 0}]}'
BRANCH = f'{{"id": "store_utr_lombok", "name": "Lombok", "is_open": true, "inventory": [{ROW}, {OTHER}]}}'


def rejections(
    instruction: str, answer: str, refs: tuple[str, ...], outcome: str = OK, branch: str = BRANCH
) -> list[str]:
    trace = Trace(CUSTOMER).read(LAMP, RECORD).read(STORE, branch).read(TABLE, PAYMENTS).read(LAMP_2, "{}")
    for path in (STORE, TABLE):
        shown = {"path": path, "content": "{}", "truncated": False}
        trace.evidence_log.record("read", {"path": path, "start_line": 1, "end_line": 2}, shown, None)
        trace.evidence_log.record("read", {"path": path}, {**shown, "truncated": True}, None)
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
        ("spec.dim", "True", True),
        ("family_id", '["fam-lamp"]', False),
        ("spec", "anything", False),
        ("colour", "red", False),
    ],
)
def test_the_value_of_a_field_is_that_of_the_one_cited_record_which_has_it(
    field: str, answer: str, is_wrong: bool
) -> None:
    asked = f"What is `{field}` in the record of this lamp? Answer with the value only."
    assert rejections(asked, answer, (TABLE, LAMP)) == (["cited-field"] if is_wrong else [])


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ("What are `family_id` and `sku` of this lamp? Answer with the value only.", OK),
        ("What is `family_id` of this lamp? Tell me in a sentence.", OK),
        ("What is `family_id` of this lamp? Answer as YYYY-MM-DD only.", OK),
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
        ("Can I buy 5 of what is on the receipt at Lombok?", (LAMP, STORE, UPLOAD)),
    ],
)
def test_another_measure_and_other_citations_decide_nothing_about_units(asked: str, refs: tuple[str, ...]) -> None:
    assert rejections(asked, "yes", refs) == rejections(asked, "no", refs) == []


def test_a_product_that_the_request_rules_out_may_be_cited_beside_the_one_that_is_left() -> None:
    asked = "Do you have 10 of that lamp (but not VH-LMP-ONE) today at Lombok?"
    assert rejections(asked, "yes", (LAMP, LAMP_2, STORE)) == ["cited-stock"]
    asked = "Do you have 9 of that lamp (but not VH-LMP-ONE) today at Lombok?"
    assert rejections(asked, "no", (LAMP, LAMP_2, STORE)) == ["cited-stock"]
    assert rejections(asked, "yes", (LAMP, LAMP_2, STORE)) == []
    assert rejections("Do you have 4 of VH-LMP-ONE at Lombok?", "no", (LAMP, STORE)) == ["cited-stock"]


@pytest.mark.parametrize("branch", ["[]", '{"inventory": 7}', "no record"])
def test_a_branch_of_another_form_decides_nothing(branch: str) -> None:
    assert rejections("Do you have 9 of that lamp today at Lombok?", "yes", (LAMP, STORE), branch=branch) == []


def test_words_and_refusals_state_no_yes() -> None:
    asked = "Do you have 9 of that lamp today at Lombok?"
    assert rejections(asked, "Perhaps there are.", (LAMP, STORE)) == []
    assert rejections(asked, "yes", (LAMP, STORE), ASK) == []


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


def test_a_refusal_and_rows_of_two_tables_state_no_sum() -> None:
    refs = (f"{TABLE}#row=R1", "/archive/new.tsv#row=R1")
    assert rejections("What is the total of fraud?", "EUR 1.00", refs) == []
    assert rejections("What is the total of fraud?", "EUR 1.00", refs[:1], ASK) == []
    assert rejections("What is the total of fraud?", "EUR 1.00", (f"{UPLOAD}#row=R1",)) == []


@pytest.mark.parametrize("cut", [{"is_excerpt": True}, {"is_whole": False}, {"is_excerpt": True, "is_whole": False}])
def test_a_table_is_taken_as_it_was_last_seen_whole(cut: dict[str, bool]) -> None:
    other = PAYMENTS.replace("10.50", "20.50").replace("1050", "2050")
    assert other != PAYMENTS
    seen = (SeenText(PAYMENTS), SeenText(other, **cut))
    evidence = Evidence(has_trace=True, touches={TABLE: Touch(TABLE, frozenset({"read"}), seen)})
    for answer, is_wrong in (("EUR 10.50", False), ("EUR 20.50", True)):
        submission = Submission(answer=answer, outcome=OK, refs=(f"{TABLE}#row=R1",))
        found = rejected_by(submission, f"What is the total of fraud in {TABLE}?", evidence)
        assert ("cited-rows" in found) is is_wrong
