"""A model whose replies are scripts that a test writes, one for each step of a trial.

    model = ModelWithScripts("print(harness.stock('A-7'))", script_with_answer())
    run = run_without_gates([task], model, tmp_path)

The second script answers "Done.", which ends the trial.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import controlplane
from controlplane import Task, TaskEnvironment, Tool, ToolBenchmark, Truth
from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.sandbox.interface import bound_arguments
from controlplane.tool_benchmark.tool_benchmark import TaskList
from controlplane.tools.function_tool import DeclaredTool
from tests.support.command import run_in_process

# A tool as scripts know it: with a name, a signature, and conversions from and to JSON.
#
# tool = declared(Tool(pay, "acts"))          def pay(account: str, due: date | None = None)
# call_arguments(tool, account="DE89", due="2026-03-01")
#     -> {"account": "DE89", "due": date(2026, 3, 1)}


def declared(tool: Tool) -> DeclaredTool:
    """Return a tool as scripts know it, among no other tools.

    Raises ValueError if scripts could not call the function.
    """
    names_of_other_tools: set[str] = set()
    return tool.declared(names_of_other_tools)


def call_arguments(tool: DeclaredTool, **passed: Any) -> dict[str, Any]:
    """Return what the function of a tool gets if a script passes these arguments, JSON values.

    Raises TypeError if they do not fit the signature, and CallError if one cannot be converted.
    """
    positional_arguments = ()
    return tool.arguments(bound_arguments(tool.operation, positional_arguments, passed))


# What tests look at in a run that `controlplane.run(tasks)` has played.


def only_trial(run: controlplane.RunReport) -> RecordedTrial:
    """Return the one trial in the journal of a run."""
    (trial,) = open_journal(run.journal).trials.values()
    return trial


def check_replay_agrees(run: controlplane.RunReport) -> None:
    """Assert that running the scripts again gives what the journal of the run has."""
    replayed = run_in_process(
        "replay", str(run.journal), "--verify", cwd=run.journal.parent
    )
    assert replayed.code == 0, replayed.out + replayed.err


# A benchmark of one task whose *truth* is known: the right calls, in each turn of the user.
#
#     errand = TaskWithTruth(
#         "Bread, please.",
#         basket_environment,
#         Truth([[("add_bread", {})], [("add_tea", {})]], tells_user="Done."),
#         grade=lambda end: end.state.articles == ["bread", "tea"],
#     )
#     run = controlplane.run(errand)
#
# Without a model, the calls of the truth are made. So a right task has the score 1.


class TaskWithTruth(ToolBenchmark):
    """A task, its right calls, and its grader."""

    citations = "none"

    def __init__(
        self,
        instruction: str,
        environment: Callable[[], TaskEnvironment],
        truth: Truth,
        grade: Callable[[TaskEnvironment], bool],
    ) -> None:
        super().__init__()
        self._instruction = instruction
        self._environment = environment
        self._truth = truth
        self._grade = grade

    def task_ids(self) -> list[str]:
        return ["errand"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        return self._instruction, self._environment()

    def truth(self, task_id: str) -> Truth:
        return self._truth

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        return self._grade(environment)


def script_with_answer(*lines: str) -> str:
    """Return a script of these lines that answers "Done." at its end."""
    last_lines = (
        'scratchpad["answer"], scratchpad["outcome"] = "Done.", "OUTCOME_OK"',
        'harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")',
    )
    return "\n".join([*lines, *last_lines])


class ModelWithScripts(Model):
    """Replies with its scripts in every trial, and keeps the requests."""

    name = "scripts"

    def __init__(self, *scripts: str) -> None:
        self.scripts = scripts
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        """Reply with the script of this step: the first if the trial has no reply yet."""
        self.requests.append(request)
        earlier_replies = [
            message for message in request.messages if message["role"] == "assistant"
        ]
        code = self.scripts[len(earlier_replies)]
        fields = {"state": "", "plan": [], "done": True, "code": code}
        return Reply(text=json.dumps(fields))


def run_without_gates(
    tasks: list[Task], model: Model, folder: Path
) -> controlplane.RunReport:
    """Run tasks with a model. Without gates, the checks of answers, any answer is accepted."""
    benchmark = TaskList(tasks, player=model)
    return controlplane.run(benchmark, gates="none", runs_dir=str(folder))
