"""Values and choices against the parsed fields of what was read, in any spacing, and the trial's own findings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gates.evidence import FoundValue
from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    CUSTOMER,
    LAMP,
    LAMP_2,
    OK,
    STORE,
    Trace,
    objections,
)

ONE = {"sku": "VH-LMP-ONE", "name": "Tarn lamp X200", "colour": "red", "price_cents": 2117}
TWO = {"sku": "VH-LMP-TWO", "name": "Tarn lamp X300", "colour": "blue", "price_cents": 1999}
COMPACT = (",", ":")
EXISTS = "A customer wants 'the red Tarn lamp'. Does such a product exist?"
YES_NO = "Answer a question of yes or no with `ja` or `nein`."


def lamps(separators: tuple[str, str] | None = None, **changed: object) -> Trace:
    trace = Trace(CUSTOMER).read(LAMP, json.dumps(ONE | changed, separators=separators))
    return trace.read(LAMP_2, json.dumps(TWO, separators=separators))


def told(rule: str, instruction: str, answer: str, *refs: str, outcome: str = OK, trace: Trace | None = None) -> str:
    submission = Submission(answer=answer, outcome=outcome, refs=refs)
    return objections(submission, instruction, (trace or lamps()).evidence, YES_NO).get(rule, "")


@pytest.mark.parametrize("separators", [None, COMPACT])
@pytest.mark.parametrize(
    ("instruction", "refs", "is_out"),
    [
        ("Which lamp is lower than EUR 21.17?", (LAMP,), True),
        ("Which lamp is lower than EUR 21.17?", (LAMP_2,), False),
        ("Which lamp is lower than EUR 21.18?", (LAMP,), False),
        ("Which lamp costs more than EUR 20?", (LAMP_2,), True),
        ("Which lamp costs more than EUR 20?", (LAMP,), False),
        ("Which lamp is between EUR 20 and EUR 22, not more than that?", (LAMP_2,), False),
        ("Which lamp is at most EUR 20, so under it?", (LAMP,), False),
        ("Is VH-LMP-ONE lower than EUR 21.17?", (LAMP,), False),
        ("Which lamp is cheap?", (LAMP,), False),
    ],
)
def test_a_cited_product_keeps_the_one_bound_of_the_request(
    instruction: str, refs: tuple[str, ...], is_out: bool, separators: tuple[str, str] | None
) -> None:
    found = told("price-bound", instruction, "Found.", *refs, trace=lamps(separators))
    assert bool(found) is is_out
    assert "2117" not in found


@pytest.mark.parametrize(
    ("instruction", "answer", "trace", "is_there"),
    [
        (EXISTS, "nein", lamps(), True),
        (EXISTS, "nein", lamps(COMPACT), True),
        (EXISTS, "ja", lamps(), False),
        (EXISTS, "nein", lamps(colour="green"), False),
        (EXISTS.replace("red", "red outdoor"), "nein", lamps(), False),
        ("Do you sell such a lamp?", "nein", lamps(), False),
    ],
)
def test_a_no_is_compared_with_a_record_that_holds_every_word(
    instruction: str, answer: str, trace: Trace, is_there: bool
) -> None:
    assert (f"`{LAMP}`" in told("described-product", instruction, answer, trace=trace)) is is_there


@pytest.mark.parametrize(
    ("instruction", "refs", "outcome", "is_odd"),
    [
        ("sku for the Tarn X200 lamp", (LAMP, LAMP_2), ASK, True),
        ("sku for the Tarn lamp", (LAMP, LAMP_2), ASK, False),
        ("sku for the Tarn X200 or X300 lamp", (LAMP, LAMP_2), ASK, False),
        ("sku for the Tarn X200 lamp", (LAMP,), ASK, False),
        ("sku for the Tarn X200 lamp", (LAMP, LAMP_2), OK, False),
    ],
)
def test_choices_hold_the_model_word_that_another_one_holds(
    instruction: str, refs: tuple[str, ...], outcome: str, is_odd: bool
) -> None:
    found = told("choice-words", instruction, "VH-LMP-ONE or VH-LMP-TWO?", *refs, outcome=outcome)
    assert (f"`{LAMP_2}` does not hold `x200`" in found) is is_odd
    assert bool(found) is is_odd


def baskets(first: str = "2031-05-04T09:00:00Z", status: str = "active", owner: str = "cust_0001") -> Trace:
    trace = Trace(CUSTOMER).read(
        BASKET, {"id": "basket_0001", "customer_id": "cust_0001", "status": "active", "created_at": first}
    )
    second = {"id": "basket_0002", "customer_id": owner, "status": status, "created_at": "2031-05-06T10:00:00Z"}
    return trace.read(BASKET_2, second)


@pytest.mark.parametrize(
    ("instruction", "cited", "trace", "is_beaten"),
    [
        ("Which is the cheapest Tarn lamp?", LAMP, lamps(), True),
        ("Which is the cheapest Tarn lamp?", LAMP_2, lamps(), False),
        ("Which is the most expensive Tarn lamp?", LAMP_2, lamps(COMPACT), True),
        ("Which is the cheapest red lamp?", LAMP, lamps(), False),
        ("Which is a Tarn lamp?", LAMP, lamps(), False),
        ("What is in my newest basket?", BASKET, baskets(), True),
        ("What is in my newest basket?", BASKET_2, baskets(), False),
        ("What is in my oldest basket?", BASKET_2, baskets(), True),
        ("What is in my newest basket?", BASKET, baskets(status="sold"), False),
        ("What is in my newest basket?", BASKET, baskets(owner="cust_0009"), False),
    ],
)
def test_a_superlative_is_compared_with_the_siblings_that_were_read(
    instruction: str, cited: str, trace: Trace, is_beaten: bool
) -> None:
    found = told("superlative", instruction, "See what is cited.", cited, trace=trace)
    assert ("goes further" in found) is is_beaten
    assert not any(path in found for path in {LAMP, LAMP_2, BASKET, BASKET_2} - {cited})


@pytest.mark.parametrize("separators", [None, COMPACT])
@pytest.mark.parametrize(
    ("instruction", "answer", "refs", "is_other"),
    [
        ("What `city` is recorded for Lombok?", "Utrecht", (STORE,), False),
        ("What `city` is recorded for Lombok?", "It is in Utrecht.", (STORE,), False),
        ("What `city` is recorded for Lombok?", "Ede", (STORE,), True),
        ("What `city` and `name` are recorded?", "Ede", (STORE,), False),
        ("What `mayor` is recorded for Lombok?", "Ede", (STORE,), False),
        ("What `city` is recorded for Lombok?", "Ede", (), False),
    ],
)
def test_the_value_of_a_field_is_that_of_the_cited_record(
    instruction: str, answer: str, refs: tuple[str, ...], is_other: bool, separators: tuple[str, str] | None
) -> None:
    trace = Trace(CUSTOMER).read(STORE, json.dumps({"name": "Lombok", "city": "Utrecht"}, separators=separators))
    found = told("cited-field", instruction, answer, *refs, trace=trace)
    assert bool(found) is is_other
    assert "Utrecht`" not in found


@pytest.mark.parametrize(
    ("answer", "found", "is_other"),
    [
        ("7", (FoundValue("count_rows", "7"),), False),
        ("<COUNT:7>", (FoundValue("count_rows", "7"),), False),
        ("8", (FoundValue("count_rows", "7"),), True),
        ("8", (FoundValue("count_rows", "7"), FoundValue("count_rows", "8")), False),
        ("8", (FoundValue("is_open", "true"),), False),
        ("There are eight.", (FoundValue("count_rows", "7"),), False),
        ("8", (FoundValue("cut", '{"cut'),), False),
        ("VH-LMP-ONE", (FoundValue("match_products", '[{"sku": "VH-LMP-TWO"}]'),), True),
        ("VH-LMP-TWO", (FoundValue("match_products", '[{"sku": "VH-LMP-TWO"}]'),), False),
    ],
)
def test_an_answer_gives_what_the_trial_itself_found_last(
    answer: str, found: tuple[FoundValue, ...], is_other: bool
) -> None:
    evidence = replace(lamps().evidence, found=found)
    submission = Submission(answer=answer, outcome=OK, refs=())
    said = objections(submission, "Tell me, please.", evidence).get("own-finding", "")
    assert bool(said) is is_other
    assert "VH-LMP-TWO" not in said
    assert "7" not in said
