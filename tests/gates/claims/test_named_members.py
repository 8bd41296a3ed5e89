"""A set is named whole if each member is, and no other one stands in a row with them."""

from __future__ import annotations

import pytest

from gates.claims import Member, names_set

EAST, WEST, NORTH = (
    Member(f"/{each}.json", frozenset({f"Kade {each}", each})) for each in ("East", "West", "Nord-Port")
)


@pytest.mark.parametrize(
    "answer",
    [
        "East and West",
        "Kade West, Kade East",
        "east\nwest",
        "- East\n- WEST",
        "Both West & East have it.",
        "East has three of them. So has West.",
        "East and West have it, Nord-Port does not.",
        "East and West have it. Nord-Port is sold out.",
        "East, West, but not Nord-Port",
        "East and West, not Nord-Port",
        "East and West: those are all; Nord-Port lacks it.",
        "East and West, Nord-Port being empty",
        "East lies far from Nord-Port, and has it as West does.",
        "At Nord-Port there is nothing; East and West have it.",
    ],
)
def test_each_member_in_any_words_is_the_whole_set(answer: str) -> None:
    assert names_set(answer, [EAST, WEST], [NORTH])


@pytest.mark.parametrize(
    "answer",
    [
        "East",
        "East has it.",
        "None of them.",
        "",
        "Westend and East",
        "East-West",
        "East, West and Nord-Port",
        "East, Nord-Port, West",
        "It is at East, West, Nord-Port.",
        "It is at Fareast and West",
        "It is at Mid-East and West",
        "It is at the East_2 and West",
        "Kade East, Kade West, Kade Nord-Port",
        "East, West, Nord-Port.",
        "East\nWest\nNord-Port",
        "It is in stock at Nord-Port and East, and at West.",
        "It is in stock at East, Nord-Port and West.",
        "West has it, and so have East and Nord-Port today.",
    ],
)
def test_a_member_left_out_or_another_in_the_row_is_another_set(answer: str) -> None:
    assert not names_set(answer, [EAST, WEST], [NORTH])


def test_what_is_said_of_the_last_of_two_holds_for_that_alone() -> None:
    assert names_set("East, Nord-Port being empty", [EAST], [NORTH])
    assert not names_set("East, Nord-Port", [EAST], [NORTH])
    assert not names_set("East and Nord-Port being full", [EAST], [NORTH])


def test_names_that_overlap_name_the_longer_one() -> None:
    one, other = Member("/1.json", frozenset({"North Quay"})), Member("/2.json", frozenset({"Quay East"}))
    assert names_set("North Quay East", [one], [other])
    assert not names_set("North Quay, Quay East", [one], [other])


def test_of_an_empty_set_nothing_is_named_alone() -> None:
    assert names_set("None of them has it.", [], [EAST, WEST])
    assert names_set("Neither East nor West has it.", [], [EAST, WEST])
    assert not names_set("East, West", [], [EAST, WEST])
    assert not names_set("East", [], [EAST, WEST])
    assert names_set("", [], [])


def test_a_name_that_two_share_names_neither() -> None:
    one, other = (Member(f"/{number}.json", frozenset({"Centre", f"store-{number}"})) for number in (1, 2))
    assert not names_set("Centre", [one], [other])
    assert names_set("store-1 (Centre)", [one], [other])


def test_what_one_record_is_called_twice_in_case_names_it_still() -> None:
    assert names_set("EAST", [Member("/1.json", frozenset({"East", "east"}))], [])


def test_the_beginning_of_a_long_answer_is_read() -> None:
    assert not names_set(" " * 20_000 + "East", [EAST], [])
    assert names_set(" " * 19_996 + "East", [EAST], [])
