import json

import pytest

from tests.support.exoskeleton_trials import FIND, TurnModel, attempt, completed

EMMA = completed(records=[{"path": "/books/emma.txt", "reason": "it says by Austen"}])


def answered(parts: str, *, formatted: str = "", message: str = "emma and persuasion", outcome: str = "OUTCOME_OK"):
    others = {"format": [json.dumps({"message": formatted})]} if formatted else {}
    end = completed(message=message, outcome=outcome, records=[{"path": "/books/emma.txt", "reason": "says by Austen"}])
    return attempt(TurnModel([[FIND], [end]], others), parts=f"classifier {parts}")


@pytest.mark.parametrize(
    ("parts", "refs"),
    [
        ("ledger references formatter", ("/books/emma.txt",)),
        ("references formatter", ("/books/emma.txt", "/books/persuasion.txt")),
        ("ledger formatter", ("/books/emma.txt",)),
        ("formatter", ("/books/emma.txt", "/books/persuasion.txt")),
        ("helpers formatter", ("/books/emma.txt",)),
    ],
)
def test_findings_add_to_the_references(parts, refs):
    first = (
        [FIND]
        if "helpers" not in parts
        else [FIND.model_copy(update={"name": "read", "arguments": json.dumps({"path": "/books/emma.txt"})})]
    )
    tried = attempt(TurnModel([first, [EMMA]]), parts=f"classifier {parts}")
    assert tried.steps[-1].verdicts[-1].refs == refs


@pytest.mark.parametrize(
    ("formatted", "message", "outcome", "submitted"),
    [
        ("emma, persuasion", "emma and persuasion", "OUTCOME_OK", "emma, persuasion"),
        ("OUTCOME_OK: emma", "emma", "OUTCOME_OK", "emma"),
        ("there are 3", "there are 2", "OUTCOME_OK", "there are 2"),
        ("no", "yes, emma", "OUTCOME_OK", "yes, emma"),
        ("", "emma", "OUTCOME_OK", "emma"),
        ("emma", "Which one, emma or persuasion?", "OUTCOME_NONE_CLARIFICATION", "Which one, emma or persuasion?"),
        ("7", "x" * 9_000, "OUTCOME_OK", "x" * 9_000),
    ],
)
def test_a_formatter_changes_the_form_alone(formatted, message, outcome, submitted):
    tried = answered("references ledger", formatted=formatted, message=message, outcome=outcome)
    assert tried.steps[-1].verdicts[-1].answer == submitted


@pytest.mark.parametrize(
    ("says", "outcome", "message"),
    [
        ({"paid": True, "blocked": False, "until": ""}, "OUTCOME_NONE_UNSUPPORTED", "Is pay-7 meant?"),
        ({"paid": False, "blocked": False, "until": ""}, "OUTCOME_NONE_CLARIFICATION", "Is pay-7 meant?"),
        (
            {"paid": False, "blocked": True, "until": "2031-05-04T10:00:00Z"},
            "OUTCOME_NONE_UNSUPPORTED",
            "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z.",
        ),
        (
            {"paid": False, "blocked": True, "until": "2099-01-01T00:00:00Z"},
            "OUTCOME_NONE_UNSUPPORTED",
            "Is pay-7 meant?",
        ),
        ({}, "OUTCOME_NONE_CLARIFICATION", "Is pay-7 meant?"),
    ],
)
def test_a_review_of_a_payment_in_recovery_makes_no_question_of_what_is_blocked(says, outcome, message):
    end = completed(
        message="Is pay-7 meant?",
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )
    model = TurnModel([[FIND], [end]], {"review": [json.dumps(says)]})
    tried = attempt(model, parts="classifier references ledger")
    judged = tried.steps[-1].verdicts[-1]
    assert (judged.outcome, judged.answer) == (outcome, message)


def test_a_bare_refusal_of_a_discount_tells_the_largest_one():
    end = completed(
        message="That is not possible.",
        outcome="OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )
    tried = attempt(TurnModel([[FIND], [end]]), parts="classifier references ledger")
    assert tried.steps[-1].verdicts[-1].answer == "That is not possible. the maximum is 15 %"
