"""A checkout, and a product for the newest basket, are expected as baskets, stock and the policy have them."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK, UNSUPPORTED
from gates.types import Change
from tests.benchmarks.shop.computed.expected_deeds import Changes, expected
from tests.benchmarks.shop.computed.small_shop import (
    BASKET,
    BASKET_2,
    CHECKOUT,
    COURSE,
    MUG,
    RECORDS,
    SOLD,
    STAFF,
    STORE,
    TENT,
    done,
    seen_before,
    summary,
)

BUY = "Please check out basket-1."
BOUGHT = done("/bin/checkout", "basket-1")
IS_OPEN, IS_SOLD = {"status": "open"}, {"status": "sold"}
DEED = ("/bin/checkout", "basket-1")


def lines(**quantities: int) -> dict[str, object]:
    return {"lines": [{"sku": sku.replace("_", "-"), "quantity": units} for sku, units in quantities.items()]}


def stock(**on_hand: int) -> Changes:
    rows = [{"sku": sku.replace("_", "-"), "on_hand": units, "reserved": 0} for sku, units in on_hand.items()]
    return {STORE: {"inventory": rows}}


@pytest.mark.parametrize(
    ("records", "outcome"),
    [
        ({}, OK),
        ({BASKET: IS_SOLD}, UNSUPPORTED),
        ({BASKET: lines(FJ_TNT_TARN=4)}, OK),
        ({BASKET: lines(FJ_TNT_TARN=5)}, UNSUPPORTED),
        ({BASKET: {**lines(FJ_TNT_TARN=5), **IS_SOLD}}, UNSUPPORTED),
        ({BASKET: lines(FJ_MUG_ENAMEL=10)}, UNSUPPORTED),
        ({BASKET: lines(FJ_TNT_TARN=1, FJ_VID_KNOTS=7)}, OK),
        (stock(FJ_TNT_TARN=5, FJ_VID_KNOTS=5), UNSUPPORTED),
        (stock(FJ_VID_KNOTS=5), OK),
        (stock(FJ_NO_RECORD=5, FJ_TNT_TARN=5, FJ_MUG_ENAMEL=5), OK),
        ({BASKET: lines(FJ_VID_KNOTS=1), **stock(FJ_TNT_TARN=5, FJ_VID_KNOTS=0)}, UNSUPPORTED),
        (stock(), UNSUPPORTED),
        ({BASKET: lines(FJ_VID_KNOTS=1), **stock()}, UNSUPPORTED),
    ],
)
def test_an_open_basket_whose_lines_are_in_stock_can_be_bought(records: Changes, outcome: str) -> None:
    found = expected(BUY, records=records)
    products = {
        f"/proc/products/{each['sku']}.json" for each in {**RECORDS[BASKET], **records.get(BASKET, {})}["lines"]
    }
    assert summary(found) == (outcome, {BASKET, CHECKOUT}, {STORE, *products}, set(), DEED)


@pytest.mark.parametrize("held", [lines(), {"lines": [*lines(FJ_TNT_TARN=1)["lines"], *lines(FJ_TNT_TARN=2)["lines"]]}])
def test_a_basket_without_lines_or_with_two_of_one_product_is_not_certain(held: dict[str, object]) -> None:
    assert expected(BUY, records={BASKET: held}) is None


@pytest.mark.parametrize(
    ("records", "before", "outcome", "may_be"),
    [
        ({BASKET: IS_SOLD}, None, OK, {UNSUPPORTED}),
        ({BASKET: IS_SOLD}, IS_OPEN, OK, set()),
        ({BASKET: IS_OPEN}, IS_SOLD, UNSUPPORTED, set()),
        ({BASKET: {**lines(FJ_TNT_TARN=5), **IS_SOLD}}, None, UNSUPPORTED, set()),
    ],
)
def test_a_basket_that_was_bought_counts_as_it_was_before(
    records: Changes, before: dict[str, object] | None, outcome: str, may_be: set[str]
) -> None:
    evidence = seen_before(BOUGHT) if before is None else seen_before(BOUGHT, BASKET=before)
    found = summary(expected(BUY, records=records, evidence=evidence))
    assert (found[0], found[3]) == (outcome, may_be)


@pytest.mark.parametrize("request_", [BUY, "Check out my basket.", "Add a Fjell Tarn tent to the newest basket."])
def test_an_employee_buys_nothing(request_: str) -> None:
    assert expected(request_, STAFF) is None


def test_the_only_active_basket_of_the_customer_is_meant() -> None:
    found = expected("Check out my basket.")
    assert summary(found) == (OK, {BASKET, CHECKOUT}, {STORE, TENT, MUG}, set(), DEED)


def test_of_several_active_baskets_one_asks_which() -> None:
    found = expected("Check out my basket.", records={BASKET_2: {**lines(FJ_VID_KNOTS=1), **IS_OPEN}})
    assert summary(found) == (CLARIFICATION, {BASKET, BASKET_2}, {STORE, TENT, MUG, COURSE}, set(), ())


@pytest.mark.parametrize("records", [{BASKET: IS_SOLD}, dict.fromkeys((BASKET, BASKET_2, SOLD))])
def test_without_an_active_basket_nothing_is_certain(records: Changes) -> None:
    assert expected("Check out my basket.", records=records) is None
    assert expected("Add one Fjell Skerry mug to my newest basket.", records=records) is None


PUT = "Please add one Fjell Skerry mug to my newest basket."


def test_a_product_is_put_into_the_newest_active_basket() -> None:
    found = expected(PUT, records={BASKET_2: IS_OPEN})
    assert summary(found) == (OK, {BASKET_2, MUG, CHECKOUT}, set(), set(), (BASKET_2,))
    assert expected("Please add one Fjell Skerry mug to my basket.") is None


def test_of_several_products_that_fit_one_asks_which() -> None:
    also = "/proc/products/FJ-MUG-SECOND.json"
    more = {also: {**RECORDS[MUG], "sku": "FJ-MUG-SECOND", "name": "Fjell Skerry mug large"}}
    found = expected(PUT, records=more)
    assert summary(found) == (CLARIFICATION, {MUG, also}, {BASKET}, set(), ())


def test_a_product_in_words_of_the_customers_own_may_be_asked_for() -> None:
    found = expected("Put the skerry cup into my newest basket.")
    assert summary(found) == (OK, {BASKET, CHECKOUT}, set(), {OK, CLARIFICATION}, ())
    assert expected("Put something nice into my newest basket.") is None


@pytest.mark.parametrize(
    ("before", "now", "deed"),
    [
        (lines(FJ_TNT_TARN=1), lines(FJ_TNT_TARN=1, FJ_MUG_ENAMEL=1), (BASKET,)),
        (lines(FJ_MUG_ENAMEL=1), lines(FJ_MUG_ENAMEL=2), (BASKET,)),
        (lines(FJ_MUG_ENAMEL=1), lines(FJ_MUG_ENAMEL=1, FJ_TNT_TARN=1), (BASKET, "a line of FJ-MUG-ENAMEL")),
        (lines(FJ_MUG_ENAMEL=2), lines(FJ_MUG_ENAMEL=1), (BASKET, "a line of FJ-MUG-ENAMEL")),
    ],
)
def test_a_basket_that_was_written_must_hold_more_of_the_product(
    before: dict[str, object], now: dict[str, object], deed: tuple[str, ...]
) -> None:
    written = seen_before(Change(BASKET, "write"), BASKET=before)
    assert summary(expected(PUT, records={BASKET: now}, evidence=written))[4] == deed
    deleted = seen_before(Change(BASKET, "delete"), Change("/tmp/note.txt", "write"), BASKET=before)
    assert summary(expected(PUT, records={BASKET: now}, evidence=deleted))[4] == (BASKET,)
    unseen = seen_before(Change(BASKET, "write"))
    assert summary(expected(PUT, records={BASKET: now}, evidence=unseen))[4] == (BASKET,)


def test_what_was_put_in_for_words_of_the_customers_own_is_cited() -> None:
    request = "Put the skerry cup into my newest basket."
    now = {BASKET: lines(FJ_TNT_TARN=1, FJ_MUG_ENAMEL=2, FJ_VID_KNOTS=1)}
    written = Change(BASKET, "write")
    seen = seen_before(written, BASKET=lines(FJ_TNT_TARN=1, FJ_MUG_ENAMEL=1))
    assert expected(request, records=now, evidence=seen).cited == {BASKET, CHECKOUT, MUG, COURSE}
    assert expected(request, records=now, evidence=seen_before(written)).cited == {BASKET, CHECKOUT}
