"""Counts, computed numbers and crossed values, over cited records of one kind."""

import pytest

from gates.row_values import ask_computed_numbers, ask_counted_records, ask_crossed_values
from gates.rules import Inapplicable
from gates.submission import OK, Case, Submission
from tests.benchmarks.shop.invented_shop import Trace
from tests.gates.sample_trials import Verify

BOATS = {
    "/boats/bt-1.json": {
        "id": "bt-1",
        "name": "Heron",
        "length_m": 11,
        "berths": 6,
        "built": "2019-04-02",
        "fee": 412.5,
    },
    "/boats/bt-2.json": {
        "id": "bt-2",
        "name": "Plover",
        "length_m": 14,
        "berths": 8,
        "built": "2022-08-30",
        "fee": 530.0,
    },
}
THIRD = {
    "/boats/bt-3.json": {
        "id": "bt-3",
        "name": "Osprey",
        "length_m": 9,
        "berths": 4,
        "built": "2020-01-09",
        "fee": 300.0,
    }
}
THREE = (*BOATS, *THIRD)
TRIPS = "/trips.csv"


def opinion(rule, answer: str, request: str = "What of the boats?", outcome: str = OK, cited=tuple(BOATS)) -> object:
    trace = Trace("")
    for path, data in (BOATS | THIRD if "/boats/bt-3.json" in cited or "Osprey" in answer else BOATS).items():
        trace.read(path, data)
    trace.read(TRIPS, "boat,minutes\nbt-1,120\nbt-2,95\n")
    pad = {"answer": answer, "outcome": outcome, "refs_why": dict.fromkeys(cited, "what the record says")}
    found = rule(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case(request))
    return "" if found is None or isinstance(found, Inapplicable) else found


@pytest.mark.parametrize(
    ("rule", "wrong", "right"),
    [
        (ask_counted_records, "Three boats fit: Heron and Plover.", "Two boats fit: Heron and Plover."),
        (ask_counted_records, "The 4 boats are bt-1 and bt-2.", "bt-1 and bt-2 are 2 of the 4 boats in port."),
        (ask_computed_numbers, "They have 24 berths.", "They have 14 berths."),
        (ask_computed_numbers, "The fees come to 943.50.", "The fees come to 942.50, 412.50 and 530."),
        (ask_computed_numbers, "The average fee is 417.25.", "The average fee is 471.25."),
        (ask_crossed_values, "Heron has 8 berths, Plover 6.", "Heron has 6 berths, Plover 8."),
        (ask_crossed_values, "Heron: 2022-08-30; Plover: 2019-04-02", "Heron: 2019-04-02; Plover: 2022-08-30"),
        (ask_crossed_values, "The longest is Heron with 14 m.", "The longest is Plover with 14 m."),
        (ask_crossed_values, "Heron was built on 2022-08-30.", "Heron was built on 2019-04-02."),
    ],
)
def test_it_asks_about_what_the_rows_contradict_and_not_about_what_they_hold(rule, wrong: str, right: str) -> None:
    assert opinion(rule, wrong)
    assert opinion(rule, right) == ""
    assert opinion(rule, wrong, outcome="OUTCOME_NONE_UNSUPPORTED") == ""
    assert opinion(rule, wrong, cited=("/boats/bt-1.json",)) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "Unlike Heron, 8 berths are in Plover, and 6 are few.",
        "Heron and Plover have 8 and 6 berths.",
        "Heron is the shorter; 14 m is the other one, Plover.",
        "The fee is 520 after the discount of 10.",
        "Both boats together took 215 minutes.",
    ],
)
def test_what_can_be_read_in_another_way_passes(answer: str) -> None:
    rules = ask_counted_records, ask_computed_numbers, ask_crossed_values
    assert [opinion(rule, answer, "Is a fee of 520 right?") for rule in rules] == ["", "", ""]


def test_a_number_of_the_request_is_not_asked_about() -> None:
    assert opinion(ask_computed_numbers, "There are not 24 berths, but fewer.", "Are there 24 berths?") == ""


def test_the_rows_of_a_cited_table_are_summed_too() -> None:
    wrong = opinion(ask_computed_numbers, "The trips took 225 minutes.", cited=(TRIPS,))
    assert "215" in str(wrong)


@pytest.mark.parametrize(
    ("rule", "answer", "cited", "says"),
    [
        (ask_counted_records, "2 are free: Heron and Plover.", THREE, "2 of the 3 cited `boats`, and not `bt-3`"),
        (ask_counted_records, "Free are Heron and Plover.", THREE, ""),
        (ask_counted_records, "3 are free: Heron, Plover and Osprey.", THREE, ""),
        (ask_counted_records, "Heron, Plover and Osprey.", tuple(BOATS), "names `bt-3` beside the 2 cited"),
        (ask_computed_numbers, "The fees come to 942.50.", THREE, "all 3 come to 1242.5"),
        (ask_computed_numbers, "The fees come to 1,242.50, without Osprey 942.50.", THREE, ""),
        (ask_computed_numbers, "All pay 1,242.50.", THREE, ""),
    ],
)
def test_a_list_or_a_sum_that_lacks_one_cited_record_is_asked_about(rule, answer: str, cited, says: str) -> None:
    found = opinion(rule, answer, "What fee do they pay?", cited=cited)
    assert says in str(found)
    assert bool(found) is bool(says)
