"""What scripts, models and solvers get from a call of a tool, a plain Python function.

    def stock_of(name: str) -> dict: ...           Tool(stock_of, "returns")
    def resume_line() -> None: ...                 Tool(resume_line, "acts")

A tool "returns" if it only reads, and "acts" if it changes something.

A script of the model calls `harness.stock_of("A-7")`, and a solver, which is Python code in place
of the model, calls `session.call("stock_of", {"name": "A-7"})`.
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


def count_letters(name: str) -> int:
    """Count the letters of a name."""
    return len(name)


def stock_of(name: str) -> dict[str, object]:
    """Look up the stock of an article."""
    return {"items": [name], "left": 12}


def lines_printed_by_script(*script_lines: str, folder: Path) -> list[str]:
    """Return what a script prints that can call `count_letters` and `stock_of`."""
    tools = [Tool(count_letters, "returns"), Tool(stock_of, "returns")]
    task = Task("print.1", "Print results.", tools=tools)
    # The script answers at its end, so that the trial is over.
    model = ModelWithScripts(script_with_answer(*script_lines))

    run = run_without_gates([task], model, folder)

    return only_trial(run).record.step_summaries[0].output.splitlines()


class TestWhatModelsSee:
    """In a script, the result of a tool is the value that its function has returned, and more.

    `count_letters("A-7")` returns 3, and `stock_of("A-7")` returns
    `{"items": ["A-7"], "left": 12}`.
    """

    def test_the_result_of_a_tool_prints_as_its_value(self, tmp_path: Path) -> None:
        printed = lines_printed_by_script(
            'number = harness.count_letters(name="A-7")',
            'stock = harness.stock_of(name="A-7")',
            "print(number)",
            "print(stock)",
            "print([number])",  # Within a list, too.
            folder=tmp_path,
        )

        assert printed == ["3", "{'items': ['A-7'], 'left': 12}", "[3]"]

    def test_the_fields_of_a_dict_are_attributes_of_the_result(
        self, tmp_path: Path
    ) -> None:
        """`stock.items` is the field, and not the method that a dict has."""
        printed = lines_printed_by_script(
            'stock = harness.stock_of(name="A-7")',
            "print(stock.left, stock.items)",
            folder=tmp_path,
        )

        assert printed == ["12 ['A-7']"]

    def test_a_result_has_the_path_by_which_an_answer_can_cite_its_call(
        self, tmp_path: Path
    ) -> None:
        """Even a number has it."""
        printed = lines_printed_by_script(
            'number = harness.count_letters(name="A-7")',
            'print(number.call_path.startswith("/calls/"))',
            folder=tmp_path,
        )

        assert printed == ["True"]


class TestWhatModelsAreTold:
    """A model is told what does not fit, and told apart from that of another trial.

    `ModelWithScripts("print(harness.close(5))", script_with_answer())` replies with these
    scripts in turn. The second one answers, which ends the trial.
    """

    def test_the_model_is_told_of_an_argument_that_does_not_fit_the_schema(
        self, tmp_path: Path
    ) -> None:
        """The call is made all the same; the feedback after the step says what does not fit."""
        close = Tool(
            lambda ticket: ticket,
            "returns",
            name="close",
            description="Close.",
            schema={
                "properties": {"ticket": {"type": "integer"}},
                "required": ["ticket"],
            },
        )
        model = ModelWithScripts(
            "print(harness.close('ticket_001').value)", script_with_answer()
        )
        graded_calls: list[str] = []

        def grade(end: TaskEnvironment) -> float:
            graded_calls.extend(call.name for call in end.calls)
            return 1.0

        run = run_without_gates(
            [Task("close.1", "Close.", tools=[close], grade=grade)], model, tmp_path
        )

        assert graded_calls == ["close"]
        first_step, *_ = only_trial(run).record.whole_steps
        assert first_step.done is not None
        assert "ticket is int, not str" in " ".join(first_step.done.feedback)

    def test_a_request_to_a_model_says_which_trial_asks(self, tmp_path: Path) -> None:
        """A model that serves several trials can tell them apart."""
        model = ModelWithScripts(
            script_with_answer("print(harness.read('/a.md').content)")
        )
        tasks = [
            Task("look.1", "Look.", files={"/a.md": "x"}),
            Task("look.2", "Look.", files={"/a.md": "x"}),
        ]

        run = run_without_gates(tasks, model, tmp_path)

        asking_trials = [
            (request.task_id, request.trial_id) for request in model.requests
        ]
        trials = [(trial.task_id, trial.trial_id) for trial in run.trials]
        assert sorted(asking_trials) == trials


def read_mail() -> list[dict[str, str]]:
    """Read the last mail."""
    return [{"from": "bob@site.com", "body": "Hello."}]


class TestChangesAndSolvers:
    """A call of a tool that "acts" is a change; a solver in Python calls the same tools."""

    def test_an_acting_call_counts_as_a_change_and_talk_does_not(
        self, tmp_path: Path
    ) -> None:
        """An answer lists its changes, and a gate sends it back if they are not the acting calls.

        This answer lists the call of the tool, whose result is no JSON and cannot be recorded. It
        does not list the talk with the user. It is right.
        """
        resume_line = Tool(object, "acts", "resume_line", "Resume a line.")
        task = Task(
            "line.1",
            "Resume the line.",
            environment=lambda: TaskEnvironment([resume_line], user=lambda text: "yes"),
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

        (trial,) = run.trials
        assert trial.state == "answered"
        assert len(model.requests) == 1  # The first answer is accepted.

    def test_a_solver_gets_the_result_of_a_tool_as_data(self, tmp_path: Path) -> None:
        """A list of dicts comes as such, as in scripts, and not as a text of JSON."""
        task = Task("read.1", "Who wrote?", tools=[Tool(read_mail, "returns")])

        run = controlplane.run(
            [task], agent=__name__, runs_dir=str(tmp_path), gates="none"
        )

        assert run.trials[0].answer == "bob@site.com"


class AnswerSender:
    """A solver that answers with the sender of the mail."""

    def solve(self, session: TrialSession) -> str:
        mail = session.call("read_mail")["value"][0]
        session.submit(Submission(answer=mail["from"], outcome="OUTCOME_OK"))
        return ""


# The option `agent` names a module that has a solver under this name.
SOLVER = SolverSpec(lambda tools: AnswerSender(), roles=())
