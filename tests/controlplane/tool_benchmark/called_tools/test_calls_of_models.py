"""A model calls tools, which are plain Python functions, in the scripts that it writes.

For example:

    Tool(close, "returns", schema={"properties": {"ticket": {"type": "integer"}}})
    harness.close("ticket_001")    ->    the model is told that "ticket is int, not str"
"""

from pathlib import Path

from controlplane import Task, Tool
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
