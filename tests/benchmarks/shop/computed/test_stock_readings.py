"""A count under a condition in unknown words is held against every reading that its figures and directions leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.shop.computed.stock import Bound, count_fitting
from benchmarks.shop.computed.stock_readings import any_readings_of, readings_of
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits

ASKED = "How many of these SKUs {} at the shop: VH-TNT-SKERRY-2P, VH-MAT-DUNE-R3? Answer with 4 or more digits."
LEAST, FEWER = Bound("available", 3, is_least=True), Bound("available", 3, is_least=False)
HELD, WITHIN = Bound("on hand", 3, is_least=True), Bound("within", 3, is_least=True, days=6)


@pytest.mark.parametrize(
    ("condition", "reading"),
    [
        ("can serve 3 customers or more with one unit today", (LEAST,)),
        ("hold a minimum of 3 today", (HELD,)),
        ("would be too scarce for 3 customers today", (FEWER,)),
        ("would not do for 3 customers today", (FEWER,)),
        ("are gone today", (Bound("available", 1, is_least=False),)),
        ("could be had today", (Bound("available", 1, is_least=True),)),
        ("boast 3 units today", (LEAST, Bound("available", 4, is_least=False))),
        ("can serve 3 customers or more by count, but fewer than that today", (HELD, FEWER)),
        ("serve 3 customers with what is due within 6 days, though not today", (WITHIN, FEWER)),
        ("get 3 delivered within 6 days", (Bound("arriving", 3, is_least=True, days=6),)),
        ("do not manage 3 even with what is due within 6 days", (Bound("within", 3, is_least=False, days=6),)),
    ],
)
def test_the_meant_condition_is_among_the_readings(condition: str, reading: tuple[Bound, ...]) -> None:
    assert reading in readings_of(ASKED.format(condition))


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("can serve 3 customers or more by count, but fewer than that today", 1),
        ("serve 3 customers with what is due within 6 days, though not today", 1),
        ("serve 3 customers with what is due within 1 day, though not today", 1),
        ("serve 3 customers with what is due within 6 days, but fewer today", 1),
        ("come to at least 3 with the available pieces", 2),
        ("can serve 3 customers or more now", 3),
        ("come to at least 3 physically available pieces", 3),
        ("come to at least 3 on the shelf", 3),
        ("are below 3 today", 3),
        ("would not do for 3 customers today", 3),
        ("have at least 3 available with what is due within 6 days", 3),
        ("do not serve 3 customers with what is there today and due within 6 days", 3),
        ("are gone today", 5),
        ("have nothing today, but a delivery is due within 6 days", 5),
        ("do not come to at least 3 today", 11),
        ("come to at least 3 today, but in blue", 11),
        ("serve 3 customers today, but not well", 11),
        ("serve 3 customers with what is due within 6 days, though not in blue", 11),
        ("serve 3 customers with what is due within 6 days, yet are loved today", 11),
    ],
)
def test_directions_and_contrasts_leave_few_readings(condition: str, left: int) -> None:
    assert len(readings_of(ASKED.format(condition))) == left


@pytest.mark.parametrize(
    "condition",
    [
        "stand at exactly 3 today",
        "have more than 3 today",
        "have 3 or 5 today",
        "have 3 of size 5 today",
        "have two available",
        "get 3 delivered",
        "have 3 within 6 days",
        "have 3 delivered within 6 days, or within 9 days",
        "have 3 delivered within 6 days, some within 9 days",
        "have 3 today that are reserved",
        "cost less than EUR 3",
        "have 0 today",
        "have at least 3 on their way",
        "are on their way",
    ],
)
def test_a_condition_that_may_mean_more_is_not_certain(condition: str) -> None:
    with pytest.raises(DoesNotApply):
        readings_of(ASKED.format(condition))


@pytest.mark.parametrize(
    "question", ["How many units of VH-TNT-SKERRY-2P and of VH-MAT-DUNE-R3 are available?", "Do these come to 3 today?"]
)
def test_a_question_for_units_counts_no_skus(question: str) -> None:
    with pytest.raises(DoesNotApply):
        readings_of(question)


def test_what_arrives_is_counted_apart_from_what_is_there() -> None:
    stock = {"A": StockUnits(9, 0, ((2, 4),)), "B": StockUnits(0, 0, ((3, 4), (9, 8)))}
    assert count_fitting(stock, "AB", [Bound("arriving", 3, is_least=True, days=6)]) == 1
    assert count_fitting(stock, "AB", [Bound("arriving", 9, is_least=True, days=6)]) == 0


@pytest.mark.parametrize(
    ("condition", "reading"),
    [
        ("reach 3 today", (LEAST,)),
        ("reach 3 today", (FEWER,)),
        ("reach 3 today", (HELD,)),
        ("reach 3 today", (HELD, FEWER)),
        ("reach 3 today", (LEAST, Bound("on hand", 3, is_least=False))),
        ("reach 3 today", (Bound("available", 4, is_least=True),)),
        ("are gone today", (Bound("available", 1, is_least=False),)),
        ("reach 3 with 6 days of patience", (WITHIN, replace(FEWER, days=6))),
        ("reach 3 with 6 days of patience", (Bound("arriving", 3, is_least=True, days=6),)),
    ],
)
def test_without_known_words_a_figure_may_bound_any_measure_either_way(
    condition: str, reading: tuple[Bound, ...]
) -> None:
    assert reading in any_readings_of(ASKED.format(condition))


def test_no_measure_reaches_and_misses_one_figure() -> None:
    assert (LEAST, FEWER) not in any_readings_of(ASKED.format("reach 3 today"))


def test_without_days_nothing_is_counted_that_arrives() -> None:
    measures = {bound.measure for reading in any_readings_of(ASKED.format("reach 3 today")) for bound in reading}
    assert measures == {"available", "on hand"}


@pytest.mark.parametrize(
    "condition",
    [
        "reach 3",
        "reach 3 or 4 today",
        "reach 3 of 4 today",
        "reach 0 today",
        "take 6 days, then 7 days",
        "have exactly 3 today",
    ],
)
def test_several_figures_or_no_day_are_not_certain(condition: str) -> None:
    with pytest.raises(DoesNotApply):
        any_readings_of(ASKED.format(condition))
