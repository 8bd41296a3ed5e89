"""Calls of tools, which are plain Python functions, by a model's scripts and by solvers.

Tool(read_mail, "returns")      only reads
Tool(send_mail, "acts")         changes something
"""

from pathlib import Path

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec
from controlplane.tool_benchmark.task_list import TaskList
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)


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


def test_an_answer_lists_the_calls_that_change_something_and_no_talk(
    tmp_path: Path,
) -> None:
    """A gate would send the answer back if its `changes` were not the calls of tools that act."""

    def resume_line() -> object:
        """Resume a line."""
        return (
            object()
        )  # It is no JSON, so it is not recorded; the call counts all the same.

    tools = [Tool(resume_line, "acts")]
    task = Task(
        "line.1",
        "Resume the line.",
        environment=lambda: TaskEnvironment(tools, user=lambda text: "yes"),
    )
    model = ModelWithScripts(
        script_with_answer(
            "harness.say('Shall I?')",
            "print(harness.resume_line())",
            "scratchpad['changes'] = ['resume_line']",
        )
    )

    run = controlplane.run(
        TaskList([task], citations="none", player=model), runs_dir=str(tmp_path)
    )

    assert run["line.1"].state == "answered"
    assert len(model.requests) == 1  # The first answer is accepted.


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
