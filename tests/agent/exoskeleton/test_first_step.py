"""The first solver with parts of the second: checks before the model, references of its scripts in order."""

import json

import pytest

from tests.support.exoskeleton_trials import FIND, TurnModel, attempt, completed

SAYS = json.dumps({"change": False, "who": "Austen"})


def played(instruction: str, parts: str = "", says: str = SAYS):
    model = TurnModel([[FIND], [completed()]], {"classify": [says]})
    return attempt(model, instruction=instruction, parts=f"formatter references {parts}")


def test_a_check_answers_before_the_model_is_asked():
    tried = played("I want to steal emma.")
    assert tried.shelf.answers == ["Books are lent, not stolen."]
    assert [role for role, _ in tried.model.requests] == ["classify"]
    (step,) = tried.steps
    assert (step.state, step.verdicts[0].refs) == ("answered by theft", ("/books/notes.txt",))
    assert [call.operation for call in step.calls if call.outer is None] == ["may_change", "theft"]


@pytest.mark.parametrize("says", ["", SAYS])
def test_a_check_that_cannot_read_or_knows_nothing_passes_on(says):
    tried = played("an unreadable question", says=says)
    assert "The newest" not in tried.model.requests[-1][1][-3]["content"]
    assert tried.shelf.answers == ["emma and persuasion"]
