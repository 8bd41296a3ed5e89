import pytest

from gates.claims.statements import is_open, sentences_of, stated_states
from gates.facts import facts_of
from tests.gates.claims.lending import LOAN, OTHER, desk, loan, other_loan

FACTS = facts_of(desk({LOAN: loan(), OTHER: other_loan()}))


def test_sentences_end_at_signs_and_lines() -> None:
    assert sentences_of("One. Two; three\nfour 1.5\n\n") == ["One.", "Two;", "three", "four 1.5"]


@pytest.mark.parametrize("before", ["it is not ", "it hasn't been ", "it can ", "it is hardly ever ", "ob es "])
def test_what_is_denied_or_foreseen_is_open(before: str) -> None:
    assert is_open(before)


@pytest.mark.parametrize("before", ["it is ", "", "not one of the other five is ", "nothing. "[:0]])
def test_what_is_told_is_not(before: str) -> None:
    assert not is_open(before)


def test_a_denial_further_off_counts_within_a_longer_reach() -> None:
    before = "not one of the other five is "
    assert is_open(before, len(before))


def test_each_sentence_states_of_the_records_that_it_names() -> None:
    stated = list(stated_states("loan-1 is lost. loan-2 was handed over, LOST: loan-1.", FACTS))
    assert [(each.words, [record.id for record in each.records], each.is_behind_its_record) for each in stated] == [
        ("lost", ["loan-1"], True),
        ("handed over", ["loan-2", "loan-1"], True),
        ("LOST", ["loan-2", "loan-1"], True),
    ]


@pytest.mark.parametrize("named", ["lost-1", "loan-lost"])
@pytest.mark.parametrize("others", ["", " and loan-2"])
def test_a_state_that_is_a_part_of_an_id_is_not_stated(named: str, others: str) -> None:
    facts = facts_of(desk({f"/desk/loans/reader-7/{named}.json": {**loan(), "id": named}, OTHER: other_loan()}))
    assert [each.words for each in stated_states(f"{named}{others}: handed over.", facts)] == ["handed over"]


@pytest.mark.parametrize(
    ("answer", "is_value"), [("The state of loan-1 is lost", True), ("mode of loan-1: lost", False)]
)
def test_a_state_is_a_value_of_the_field_that_may_hold_it_alone(answer: str, *, is_value: bool) -> None:
    facts = facts_of(desk({LOAN: [loan(mode="open"), loan(mode="closed")]}))
    assert set(facts.about(facts.records[LOAN]).states) == {"state", "mode"}
    assert [(each.words, each.is_value) for each in stated_states(answer, facts)] == [("lost", is_value)]


@pytest.mark.parametrize(
    "answer",
    [
        "The loss of loan-1.",
        "It is lost.",
        "your lost loan-1",
        "your lost loan-1 and loan-2",
        "lost loan, loan-1",
        "as lost loan-1",
        "loan-1 was dealt with as lost",
    ],
)
def test_other_forms_other_sentences_and_descriptions_state_nothing(answer: str) -> None:
    assert list(stated_states(answer, FACTS)) == []
