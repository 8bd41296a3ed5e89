import pytest

from toolkit.answers import formatted_message

RULES = "Yes/no questions are answered with `ja` or `nein`."


def formatted(message, proposal, outcome="OK", rules=RULES):
    return formatted_message(outcome, message, rules, lambda: proposal)


@pytest.mark.parametrize(
    ("message", "proposal", "after"),
    [
        ("Yes, it is.", "ja", "ja"),
        ("Yes, it is.", "nein", "Yes, it is."),
        ("There are 12 of them.", "12", "12"),
        ("There are 12 of them.", "13", "There are 12 of them."),
        ("There are 12 of them.", "many", "There are 12 of them."),
        ("It is pay-07.", "pay-08", "It is pay-07."),
        ("It is pay-07.", "pay-07", "pay-07"),
        ("It is not there.", "It is there, yes.", "It is not there."),
        ("Fine.", "", "Fine."),
        ("Fine.", "OUTCOME_OK: Good.", "Good."),
    ],
)
def test_a_formatter_changes_the_form_alone(message, proposal, after):
    assert formatted(message, proposal) == after


@pytest.mark.parametrize("outcome", ["DENIED", "UNSUPPORTED", "CLARIFY"])
def test_refusals_and_questions_stay(outcome):
    assert formatted("Which one: 1 or 2?", "1", outcome) == "Which one: 1 or 2?"


def test_a_question_loses_the_name_of_its_outcome():
    assert formatted("OUTCOME_NONE_CLARIFICATION: Which?", "x", "CLARIFY") == "Which?"


def test_a_failed_formatter_loses_nothing():
    def ask():
        raise ValueError

    assert formatted_message("OK", "12", "", ask) == "12"
