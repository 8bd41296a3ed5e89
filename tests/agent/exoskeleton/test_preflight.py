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
    assert [each.operation for each in step.calls if each.outer is None] == ["may_change", "theft"]


def test_without_it_the_model_decides():
    assert played("I want to steal emma.", parts="preflight").shelf.answers == ["emma and persuasion"]


def test_a_check_may_add_to_what_the_model_knows():
    tried = played("Which books are by Austen?")
    assert "The newest is of Austen." in tried.model.requests[1][1][-1]["content"]


@pytest.mark.parametrize("says", ["", SAYS])
def test_a_check_that_cannot_read_or_knows_nothing_passes_on(says):
    tried = played("an unreadable question", says=says)
    assert "The newest" not in tried.model.requests[-1][1][-3]["content"]
    assert tried.shelf.answers == ["emma and persuasion"]


@pytest.mark.parametrize(("change", "offered"), [(True, {"write", "delete"}), (False, set())])
def test_the_permission_decides_what_is_offered(change, offered):
    tried = played("a question", says=json.dumps({"change": change, "who": ""}))
    assert {"write", "delete"} & {each.name for each in tried.model.tools[0]} == offered


def test_an_answer_that_the_gates_send_back_is_left_to_the_model():
    tried = played("I want to steal emma. Answer with the number only.")
    assert tried.steps[0].verdicts
