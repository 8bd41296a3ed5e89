"""Of a question about one product in a customer's own words, each product that may be meant has its own answer."""

from __future__ import annotations

import pytest

from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.expected_deeds import Changes
from tests.benchmarks.shop.computed.small_shop import MUG, STORE, STORE_2, TENT

TODAY = "Do you have {} of the bright Skerry cup at the North shop today?"
LATER = "Do you have {} of the bright Skerry cup at the North shop within {} days?"
DELIVERED = {
    STORE: {
        "inventory": [
            {"sku": "FJ-MUG-ENAMEL", "on_hand": 9, "reserved": 0, "incoming": [{"quantity": 4, "arrives_in_days": 0}]}
        ]
    }
}


@pytest.mark.parametrize(
    ("question", "product", "right", "wrong"),
    [
        ("Which Skerry cup is best? sku only.", MUG, "FJ-MUG-ENAMEL", "FJ-TNT-TARN"),
        ("What is the `price_cents` of the best Skerry cup?", MUG, "1000", "9000"),
        ("What is the `brand` of the best Skerry cup?", MUG, "Fjell", "fjell"),
        ("What is the `is_new` of the best Skerry cup?", MUG, "true", "True"),
        (TODAY.format(9), MUG, "AYE", "NAY"),
        (TODAY.format(10), MUG, "NAY", "AYE"),
        (LATER.format(13, 2), MUG, "AYE", "NAY"),
        (LATER.format(14, 2), MUG, "NAY", "AYE"),
        (LATER.format(10, 1), MUG, "NAY", "AYE"),
        ("Do you have 1 of the Knots film at the South shop today?", "/proc/products/FJ-VID-KNOTS.json", "NAY", "AYE"),
    ],
)
def test_the_answer_is_that_of_the_product_which_is_cited(question: str, product: str, right: str, wrong: str) -> None:
    found = asked(question, records={MUG: {"is_new": True}})
    assert found.by_record.keys() == {product}
    assert found.by_record[product](right)
    assert not found.by_record[product](wrong)


def test_what_arrives_later_today_is_not_yet_there() -> None:
    found = asked(TODAY.format(10), records=DELIVERED)
    assert found.by_record[MUG]("NAY")


@pytest.mark.parametrize(
    ("question", "products"),
    [
        ("Which Skerry cup is best and which Tarn? sku only.", {MUG, TENT}),
        ("Is the best Skerry cup (but not FJ-MUG-ENAMEL) or Tarn right? sku only.", {TENT}),
        ("Which Skerry cup is the cheapest? sku only.", set()),
        ("Which Skerry cup is best, by its `name`? sku only.", {MUG}),
        ("Which Skerry cup is best, by `name` and `brand`? sku only.", set()),
        ("Which Skerry cup is best?", set()),
        ("What are the `price_cents` and `name` of the best Skerry cup?", set()),
        ("What is the `properties` of the best Skerry cup?", set()),
        ("What is the `note` of the best Skerry cup or Tarn?", set()),
        ("Do you have 4 of the bright Skerry cup today?", set()),
        ("Do you have 4 of the bright Skerry `cup` at the North shop today?", set()),
        ("Do you have 4 of the bright cup at the North shop today?", set()),
    ],
)
def test_which_products_may_be_meant(question: str, products: set[str]) -> None:
    records: Changes = {MUG: {"note": "new"}}
    found = asked(question, records=records)
    assert not found.cited or products
    assert found.by_record.keys() == products


def test_units_at_a_branch_rest_on_that_branch_and_on_no_other() -> None:
    found = asked(TODAY.format(9))
    assert (found.cited, found.strange) == ({STORE}, {STORE_2})


def test_the_field_of_a_named_code_is_that_of_its_product() -> None:
    found = asked("Which Skerry cup is best, by its `name`? sku only.")
    assert found.by_record[MUG]("Fjell Skerry mug")
    assert not found.by_record[MUG]("FJ-MUG-ENAMEL")
