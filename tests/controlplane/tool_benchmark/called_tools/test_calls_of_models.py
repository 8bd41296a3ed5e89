"""A model calls tools, which are plain Python functions, in the scripts that it writes.

For example:

    Tool(close, "returns", schema={"properties": {"ticket": {"type": "integer"}}})
    harness.close("ticket_001")    ->    the model is told that "ticket is int, not str"
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec
from controlplane.tool_benchmark.tool_benchmark import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    only_trial,
    run_without_gates,
    script_with_answer,
)

# A model lists in its answer the calls that have changed something, and a gate checks the list.
#
# `Tool(resume_line, "acts")` declares that calls of the tool change something. Talk with the user,
# such as `harness.say('Shall I?')`, does not belong into the list.


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("resumed", id="text as result"),
        pytest.param(object(), id="result that is not JSON, and so not recorded"),
    ],
)
def test_a_list_of_the_acting_calls_without_talk_is_accepted(
    result: object, tmp_path: Path
) -> None:
    """The model calls `say` and `resume_line`, and lists only the latter."""

    def resume_line() -> object:
        """Resume a line."""
        return result

    resume = Tool(resume_line, "acts")
    task = Task(
        "line.1",
        "Resume the line.",
        environment=lambda: TaskEnvironment([resume], user=lambda text: "yes"),
    )
    script = script_with_answer(
        "harness.say('Shall I?')",
        "print(harness.resume_line())",
        "scratchpad['changes'] = ['resume_line']",
    )
    model = ModelWithScripts(script)
    benchmark = TaskList([task], citations="none", player=model)

    run = controlplane.run(benchmark, runs_dir=str(tmp_path))

    assert run["line.1"].state == "answered"
    # A gate that rejects an answer makes the model answer once more.
    assert len(model.requests) == 1


# A solver, Python code in place of a model, gets the result of a tool as data.
#
# For example:
#
#     session.call("read_mail", {})["value"]    ->    [{"from": "bob@site.com", "body": "Hello."}]


class AnswerSender:
    """A solver, which is Python code in place of a model. It answers who sent the mail."""

    def solve(self, session: TrialSession) -> str:
        mail = session.call("read_mail", {})["value"][0]
        session.submit(Submission(answer=mail["from"], outcome="OUTCOME_OK"))
        return ""


# The option `agent` names a module that has a solver under this name.
SOLVER = SolverSpec(lambda tools: AnswerSender(), roles=())


def test_a_solver_gets_the_result_of_a_tool_as_data(tmp_path: Path) -> None:
    """A list of dicts comes as such, as in scripts, and not as a text of JSON."""

    def read_mail() -> list[dict[str, str]]:
        """Read the last mail."""
        return [{"from": "bob@site.com", "body": "Hello."}]

    task = Task("read.1", "Who wrote?", tools=[Tool(read_mail, "returns")])

    run = controlplane.run([task], agent=__name__, runs_dir=str(tmp_path), gates="none")

    assert run.trials[0].answer == "bob@site.com"


def test_the_model_is_told_of_an_argument_that_does_not_fit_the_schema(
    tmp_path: Path,
) -> None:
    """The call is made all the same; the feedback after the step says what does not fit."""
    closed_tickets: list[object] = []

    def close(ticket: object) -> None:
        """Close a ticket."""
        closed_tickets.append(ticket)

    schema = {"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]}
    tool = Tool(close, "returns", schema=schema)
    model = ModelWithScripts("harness.close('ticket_001')", script_with_answer())

    run = run_without_gates([Task("close.1", "Close.", tools=[tool])], model, tmp_path)

    assert closed_tickets == ["ticket_001"]
    first_step, *_ = only_trial(run).record.whole_steps
    assert first_step.done is not None
    assert "ticket is int, not str" in " ".join(first_step.done.feedback)


def test_a_request_to_a_model_says_which_trial_asks(tmp_path: Path) -> None:
    """A model that serves several trials can tell them apart."""
    model = ModelWithScripts(script_with_answer())
    tasks = [Task("first.1", "Say done."), Task("second.1", "Say done.")]

    run = run_without_gates(tasks, model, tmp_path)

    asking_trials = {request.task_id: request.trial_id for request in model.requests}
    assert asking_trials == {trial.task_id: trial.trial_id for trial in run.trials}
    assert asking_trials.keys() == {"first.1", "second.1"}
