"""What an answer cites, against what was changed and what the request names."""

import pytest

from gates import Submission
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    BASKET_2,
    CUSTOMER,
    FOREIGN,
    LAMP,
    OK,
    OWN,
    OWN_2,
    PAYMENT,
    STAFF,
    Trace,
    rejected_by,
)

CHECKOUT = "/docs/checkout.md"
RULE = "A basket is bought with `/bin/checkout <basket_id>`."
WITH_LAMP = OWN.replace("}", ', "lines": [{"sku": "VH-LMP-ONE", "quantity": 1}]}')
ADD = "One of the lamps for my newest basket, please."
HEAD, TABLE = "/ops/wave-7/wave.md", "/ops/wave-7/lanes.tsv"
NAMES = ("changed-record", "stranger", "source")


def rejections(trace: Trace, instruction: str, answer: str, *refs: str) -> list[str]:
    found = rejected_by(Submission(answer=answer, outcome=OK, refs=refs), instruction, trace.evidence)
    return [each for each in found if each in NAMES]


@pytest.mark.parametrize(
    ("refs", "is_wrong"),
    [
        ((BASKET, LAMP, CHECKOUT), False),
        ((BASKET, LAMP), True),
        ((BASKET, CHECKOUT), True),
        ((LAMP, CHECKOUT), True),
    ],
)
def test_a_change_rests_on_its_record_its_document_and_what_was_put_in(refs: tuple[str, ...], is_wrong: bool) -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(LAMP, '{"sku": "VH-LMP-ONE"}').read(CHECKOUT, RULE)
    trace.write(BASKET, WITH_LAMP)
    assert rejections(trace, ADD, "Done: basket_0001 has the lamp.", *refs) == (["changed-record"] if is_wrong else [])


def test_what_a_record_held_before_was_not_put_in() -> None:
    trace = Trace(CUSTOMER).read(BASKET, WITH_LAMP).read(LAMP, "{}").read(CHECKOUT, RULE)
    trace.write(BASKET, WITH_LAMP.replace("active", "abandoned"))
    assert rejections(trace, "Give up basket_0001.", "basket_0001 is abandoned.", BASKET, CHECKOUT) == []


@pytest.mark.parametrize(
    ("instruction", "answer", "identity", "is_wrong"),
    [
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", CUSTOMER, True),
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", STAFF, True),
        ("What is in basket_0001?", "A lamp.", STAFF, False),
        ("Which basket waits longest?", "It is basket_0001.", STAFF, False),
        ("How many baskets wait? Answer with the number only.", "1", STAFF, False),
        ("How many euros does cust_0009 owe? Answer with the number only.", "1", STAFF, False),
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", "", False),
    ],
)
def test_a_record_that_nothing_ties_to_the_case_is_not_cited(
    instruction: str, answer: str, identity: str, is_wrong: bool
) -> None:
    trace = Trace(identity).read(BASKET, FOREIGN)
    assert rejections(trace, instruction, answer, BASKET) == (["stranger"] if is_wrong else [])


def test_a_record_that_a_named_one_names_is_no_stranger() -> None:
    trace = Trace(STAFF).read(BASKET, FOREIGN).read(PAYMENT, '{"id": "pay_0001", "basket_id": "basket_0001"}')
    assert rejections(trace, "What is the state of pay_0001?", "It is paid.", PAYMENT, BASKET) == []


def test_beside_a_changed_basket_another_of_the_same_customer_is_a_stranger() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(BASKET_2, OWN_2).read(CHECKOUT, RULE)
    assert rejections(trace, "What is in my baskets?", "Nothing.", BASKET, BASKET_2) == []
    trace.write(BASKET, OWN.replace("active", "abandoned"))
    assert rejections(trace, "Give up my older basket.", "Done.", BASKET, BASKET_2, CHECKOUT) == ["stranger"]


@pytest.mark.parametrize(("refs", "is_wrong"), [((HEAD, TABLE), False), ((TABLE,), True), ((HEAD,), True)])
def test_a_file_that_the_request_names_is_cited_with_those_that_it_lists(refs: tuple[str, ...], is_wrong: bool) -> None:
    trace = Trace(STAFF).read(HEAD, f"Rules: /docs/dispatch.md\nLanes: {TABLE}\n").read(TABLE, "lane\n")
    trace.read("/docs/dispatch.md", "rules").read("/ops/wave-8/lanes.tsv", "lane\n")
    assert rejections(trace, f"Plan the wave in {HEAD}.", "{}", *refs) == (["source"] if is_wrong else [])


def test_what_was_only_written_and_what_was_never_read_is_no_source() -> None:
    trace = Trace(STAFF).write("/exports/a.tsv", "x")
    assert rejections(trace, "Copy /uploads/b.txt to /exports/a.tsv.", "/exports/a.tsv") == []
