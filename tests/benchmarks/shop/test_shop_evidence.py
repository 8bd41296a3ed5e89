"""What a submission and its evidence say in a shop's terms."""

from __future__ import annotations

import pytest

from benchmarks.shop.record_kinds import Kind
from benchmarks.shop.shop_evidence import (
    asker_is_staff,
    belongs_to_asker,
    can_be_cited,
    read_records,
    reasons_mention,
    stated_number,
    stated_yes,
)
from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import BASKET, CUSTOMER, FOREIGN, LAMP, OK, OWN, STAFF, STORE, Trace


@pytest.mark.parametrize(
    ("answer", "is_yes"),
    [("AYE", True), (" NAY ", False), ("yes", True), ("No.", False), ("AYE, sir", None), ("ayes", None), ("", None)],
)
def test_a_yes_is_the_workspaces_word_or_a_usual_one(answer: str, is_yes: bool | None) -> None:
    rules = "Answer a question of yes or no with `AYE` for yes and `NAY` for no."
    assert stated_yes(Submission(answer=answer, outcome=OK), rules) is is_yes
    assert stated_yes(Submission(answer="AYE", outcome=OK)) is None


@pytest.mark.parametrize(
    ("answer", "number"),
    [("7", 7), ("<COUNT:7>", 7), (" 7 of them.", 7), ("7 of 9", None), ("seven", None), ("1.5", None)],
)
def test_the_one_number_of_an_answer_is_stated(answer: str, number: int | None) -> None:
    assert stated_number(Submission(answer=answer, outcome=OK)) == number


def test_a_reason_mentions_a_word_of_its_own() -> None:
    submission = Submission(refs_why={LAMP: "the only lamp", STORE: 7})
    assert reasons_mention(submission, "only|single")
    assert not reasons_mention(submission, "lonely|on")
    assert not reasons_mention(Submission(refs_why="only"), "only")


@pytest.mark.parametrize(("who", "is_staff"), [(STAFF, True), (CUSTOMER, False), ("", False)])
def test_the_identity_tool_tells_staff(who: str, is_staff: bool) -> None:
    assert asker_is_staff(Trace(who).evidence) is is_staff


@pytest.mark.parametrize(
    ("who", "record", "is_own"),
    [
        (CUSTOMER, OWN, True),
        (CUSTOMER, OWN.replace(" ", ""), True),
        (CUSTOMER, FOREIGN, False),
        ("", OWN, False),
        (CUSTOMER, '{"customer_id": ""}', False),
    ],
)
def test_a_record_is_the_askers_if_it_names_them(who: str, record: str, is_own: bool) -> None:
    assert belongs_to_asker(Trace(who).read(BASKET, record).evidence, BASKET) is is_own


def test_a_written_name_that_imitates_a_fragment_is_not_a_record_that_was_read() -> None:
    assert read_records(Trace(CUSTOMER).write(BASKET + "#row=1", OWN).evidence, Kind.BASKET) == {}


def test_a_kind_can_be_cited_if_one_was_read_or_nothing_was() -> None:
    assert can_be_cited(Kind.BASKET, Trace().evidence)
    assert can_be_cited(Kind.BASKET, Trace().read(BASKET, OWN).evidence)
    assert not can_be_cited(Kind.BASKET, Trace().read(LAMP, "{}").evidence)
