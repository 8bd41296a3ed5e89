"""Answers to questions are computed again from what the workspace shows."""

from __future__ import annotations

import json
from functools import partial

import pytest

from gates import OUTCOMES
from tests.benchmarks.shop.computed.recomputed_trials import reason_of
from tests.spoiled.pad_changes import reasons_of, saying, without_refs
from tests.spoiled.played_trial import Play, PlayedTrial

OK, DENIED, ASK, UNSUPPORTED, _ = OUTCOMES
WRONG = {
    "calendar-date#1": "31-12-1999",
    "inventory-export#1": "/exports/another.csv",
    "open-branches#1": "Veerhaven Nowhere",
    "receipt-rebuy#1": "neither",
    "receipt-rebuy#2": "neither",
    "receipt-reprice#1": "neither",
    "own-staff-record#1": "Nobody | Nothing | nowhere",
    "product-property#1": "Atlantis",
    "record-field#1": "Atlantis",
    "record-field#2": "cat-atlantis",
    "staff-count#1": "97",
    "staff-count#2": "97",
    "stock-count#1": "97",
    "stock-count#2": "97",
    "stock-count#3": "97",
}
YES_NO = ("receipt-rebuy#1", "receipt-reprice#1")
OWN_WORDS = ("price-count#1", "product-existence#1", "sku-lookup#1", "stock-answer#1", "stock-answer#2")
"""Tasks whose product is described in the words of customers."""
SEEDS = [f"question {number}" for number in range(2)]
reason = partial(reason_of, "computed-answer")


@pytest.mark.parametrize("variant_id", WRONG)
@pytest.mark.parametrize("seed", SEEDS)
def test_another_value_is_rejected_and_the_right_one_not_named(variant_id: str, seed: str) -> None:
    right = PlayedTrial.pose(variant_id, seed).right
    assert reason(right, right.pad) == "pass"
    found = reason(right, saying(right.pad, WRONG[variant_id]))
    assert "does not state" in found
    value = str(right.pad["answer"])
    assert len(value) < 3 or value.startswith("/") or value not in found


def test_a_fact_is_the_one_that_the_table_of_a_document_gives() -> None:
    right = PlayedTrial.pose("origin-fact#1", SEEDS[0]).right
    assert reason(right, right.pad) == "pass"
    assert "does not state" in reason(right, saying(right.pad, "1903-04-01"))


@pytest.mark.parametrize("variant_id", OWN_WORDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_question_in_the_customers_own_words_is_answered_or_asked_back(variant_id: str, seed: str) -> None:
    right = PlayedTrial.pose(variant_id, seed).right
    assert reason(right, right.pad) == "pass"
    for outcome in (DENIED, UNSUPPORTED):
        assert "do not bear out" in reason(right, {**right.pad, "outcome": outcome})


@pytest.mark.parametrize("variant_id", YES_NO)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_other_of_the_two_words_is_rejected(variant_id: str, seed: str) -> None:
    right = PlayedTrial.pose(variant_id, seed).right
    words = {right.truth.inputs["yes"], right.truth.inputs["no"]}
    (other,) = words - {str(right.pad["answer"])}
    assert "does not state" in reason(right, saying(right.pad, other))


@pytest.mark.parametrize("variant_id", ["staff-count#2", "stock-count#1", "open-branches#1"])
def test_every_counted_record_is_cited(variant_id: str) -> None:
    right = PlayedTrial.pose(variant_id, SEEDS[0]).right
    reasons = reasons_of(right.pad)
    for path in reasons:
        less = without_refs(right.pad, [path])
        assert path in reason(right, less)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the SKU of the Veerhaven Academy Bearings knots video course with `minutes` = `60`? SKU only.",
        "Do you have 3 of the Tarnlight Cinder gas stove with `piezo` = `true` available today at the hoograven shop?",
        "How many articles of the Tarnlight Cinder line in stock cost less than EUR 134.79?",
        "How many articles of the Tarnlight Cinder line cost less than EUR 134.79 but more than EUR 20.00?",
        "Across all staff records, how many people have the role `stock_controller` or another one?",
        "Which branches in the city of the hoograven shop are not open?",
        "How many branches in the city of the hoograven shop are open?",
    ],
)
def test_a_question_with_a_further_condition_is_not_computed(asked: str) -> None:
    right = PlayedTrial.pose("calendar-date#1", SEEDS[0]).right
    assert reason(right, saying(right.pad, "17"), asked) in ("not_applicable", "pass")


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ("What date is it in two weeks? Answer as YYYY-MM-DD only.", "does not state"),
        ("What is the date 3 days ago, as YYYY/MM/DD?", "does not state"),
        ("What date is it the day before yesterday, as MM-DD-YYYY?", "does not state"),
        ("What date is it tomorrow or yesterday? Answer as YYYY-MM-DD only.", "not_applicable"),
        ("What date is it on the first Monday of May, as YYYY-MM-DD?", "not_applicable"),
        ("What date is it tomorrow?", "not_applicable"),
    ],
)
def test_a_date_is_computed_only_from_one_day_and_one_form(asked: str, result: str) -> None:
    right = PlayedTrial.pose("calendar-date#1", SEEDS[0]).right
    assert result in reason(right, saying(right.pad, "1999-12-31"), asked)


def _seen(play: Play, path: str) -> str:
    return max((each.text for each in play.recorder.evidence_log.view().touches[path].seen), key=len)


@pytest.mark.parametrize("asked", ["{units} of the {brand} thing", "{units} pieces of '{brand} thing for me'"])
def test_of_a_product_in_unknown_words_the_cited_one_decides(asked: str) -> None:
    right = PlayedTrial.pose("stock-answer#1", SEEDS[0]).right
    reasons = reasons_of(right.pad)
    product = next(each for each in reasons if "/store" not in each)
    brand, store = (json.loads(_seen(right, each)) for each in (product, next(p for p in reasons if p != product)))
    question = f"Do you have {asked.format(units=1, brand=brand['brand'])} at {store['name']} today?"
    yes, no = right.truth.inputs["yes"], right.truth.inputs["no"]
    verdicts = {word: reason(right, saying(right.pad, word), question) for word in (yes, no)}
    assert sorted(each == "pass" for each in verdicts.values()) == [False, True]
    less = without_refs(right.pad, [product])
    assert "cites 0" in reason(right, less, question)


def test_a_date_is_asked_for_by_its_form_alone() -> None:
    right = PlayedTrial.pose("calendar-date#1", SEEDS[0]).right
    asked = "Give me the date: what day was it yesterday? Format MM/DD/YYYY, without any other text."
    assert "does not state" in reason(right, saying(right.pad, "12/31/1999"), asked)
