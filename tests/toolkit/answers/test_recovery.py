import pytest

from toolkit.answers import RecoveryAnswer, Review, needs_review, reviewed, with_cap

UNTIL = "2026-01-02T03:04:05Z"


@pytest.mark.parametrize(
    ("outcome", "message", "review", "after"),
    [
        ("CLARIFY", "Which?", Review(paid=True, message="It is paid."), ("UNSUPPORTED", "It is paid.")),
        ("UNSUPPORTED", "No.", Review(paid=True), ("UNSUPPORTED", "No.")),
        ("CLARIFY", "The retry window is closed.", Review(), ("UNSUPPORTED", "The retry window is closed.")),
        ("OK", "The retry window is closed.", Review(), ("UNSUPPORTED", "The retry window is closed.")),
        (
            "OK",
            "Started again before the window is closed.",
            Review(),
            ("OK", "Started again before the window is closed."),
        ),
        ("CLARIFY", "Which?", Review(), ("CLARIFY", "Which?")),
        ("UNSUPPORTED", "No", Review(blocked=True), ("UNSUPPORTED", f"No. It is blocked until {UNTIL}.")),
    ],
)
def test_a_review_turns_an_answer_into_what_holds(outcome, message, review, after):
    found = reviewed(RecoveryAnswer(outcome, message), review, until=UNTIL)
    assert (found.outcome, found.message) == after


@pytest.mark.parametrize(
    ("task_type", "outcome", "needed"),
    [("verification", "CLARIFY", True), ("verification", "DENIED", False), ("refund", "CLARIFY", False)],
)
def test_only_refused_verifications_are_reviewed(task_type, outcome, needed):
    assert needs_review(task_type, outcome) is needed


@pytest.mark.parametrize(
    ("message", "notes", "said"),
    [
        ("OUTCOME_NONE_UNSUPPORTED", ["the maximum is 10 % here"], "the maximum is 10 % here"),
        ("At most 5 %.", ["the maximum is 10 %"], "At most 5 %."),
        ("Too much.", ["nothing"], "Too much."),
    ],
)
def test_a_bare_refusal_of_a_discount_gets_the_cap_of_the_notes(message, notes, said):
    assert with_cap(RecoveryAnswer("UNSUPPORTED", message), notes).message == said
