"""The outcomes of benchmarks in Python: declared ones, and those of a benchmark that declares none.

class Lending(ToolBenchmark):
    outcomes = Outcomes(Outcome("OUTCOME_LENT", OutcomeKind.DONE), ...)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool, ToolBenchmark
from controlplane.agent.exoskeleton.exoskeleton import tools_of
from controlplane.agent.exoskeleton.tools import Permission
from controlplane.configuration.named_modules import undeclared_outcomes
from controlplane.journal.tool_schema_text import (
    tool_schema_from_text,
    tool_schema_to_text,
)
from controlplane.mcp.serving.calls import trial_tools
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
    Outcome,
    OutcomeKind,
    Outcomes,
)
from controlplane.tool_benchmark.tool_benchmark import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    check_replay_agrees,
    only_trial,
)
from tests.support.product_files import ROOT

LENDING = Outcomes(
    Outcome("OUTCOME_LENT", OutcomeKind.DONE, "the book is lent"),
    Outcome("OUTCOME_DECLINED", OutcomeKind.REFUSED, "the rules forbid it"),
)


def lend(book: str) -> str:
    """Lend a book."""
    return f"{book} is lent"


def answer_script(outcome: str, *, changes: list[str] | None = None) -> str:
    """Return a script that lends a book, and answers with this outcome."""
    lines = [
        'print(harness.lend(book="Emma"))',
        f'scratchpad["answer"], scratchpad["outcome"] = "That book is kept.", {outcome!r}',
    ]
    if changes is not None:
        lines.append(f'scratchpad["changes"] = {changes!r}')
    lines.append('harness.answer(scratchpad, lambda sp: "kept" in sp["answer"])')
    return "\n".join(lines)


def outcome_of(environment: TaskEnvironment) -> str:
    """Return the outcome that a grader sees, as the only line of its grade."""
    return environment.outcome


def lending_run(folder: Path, *scripts: str, **options: Any) -> controlplane.RunReport:
    """Play one task, in which a book can be lent, by a model with these scripts."""

    def grade(environment: TaskEnvironment) -> tuple[float, list[str]]:
        return 0.0, [outcome_of(environment)]

    task = Task("lend", "Lend me Emma.", tools=[Tool(lend, "acts")], grade=grade)
    benchmark = TaskList(
        [task], citations="none", player=ModelWithScripts(*scripts), **options
    )
    return controlplane.run(benchmark, runs_dir=str(folder), gates="all")


def test_an_outcome_of_the_benchmarks_own_is_judged_by_its_kind(tmp_path: Path) -> None:
    """A refusal after a change has to own up to it (gate 6), whatever the refusal is called."""
    run = lending_run(
        tmp_path,
        answer_script("OUTCOME_DECLINED"),
        answer_script("OUTCOME_REFUSED", changes=["lend"]),
        answer_script("OUTCOME_DECLINED", changes=["lend"]),
        outcomes=LENDING,
    )

    trial = only_trial(run)
    first, second, third = trial.record.all_steps
    (unowned,) = first.submissions
    assert "The answer refuses, but the trace shows" in unowned.message
    (unknown,) = second.submissions
    assert (
        "set `outcome` to one of OUTCOME_LENT, OUTCOME_DECLINED, OUTCOME_ERR_INTERNAL."
        in unknown.message
    )
    (owned,) = third.submissions
    assert owned.accepted
    assert trial.summary.outcome == "OUTCOME_DECLINED"
    check_replay_agrees(run)


def test_a_model_is_told_the_outcomes_of_the_benchmarks_own(tmp_path: Path) -> None:
    script = answer_script("OUTCOME_DECLINED", changes=["lend"])

    run = lending_run(tmp_path, script, outcomes=LENDING)

    prompt = only_trial(run).record.initial_prompt
    assert prompt is not None
    assert (
        "`OUTCOME_LENT`: the book is lent. `OUTCOME_DECLINED`: the rules forbid it. "
        "`OUTCOME_ERR_INTERNAL`: tools failed."
    ) in prompt.system
    assert "OUTCOME_OK" not in prompt.system


def test_a_note_to_the_model_sets_the_outcome_of_an_answered_request(
    tmp_path: Path,
) -> None:
    """The first script leaves an answer, and submits nothing."""
    last_script = answer_script("OUTCOME_DECLINED", changes=["lend"])

    run = lending_run(
        tmp_path, "scratchpad['answer'] = 'lent'", last_script, outcomes=LENDING
    )

    first_step = only_trial(run).record.step_summaries[0]
    assert 'scratchpad["outcome"] = "OUTCOME_LENT"' in "".join(first_step.feedback)


def test_a_model_that_calls_tools_chooses_among_the_declared_outcomes(
    tmp_path: Path,
) -> None:
    """It may leave out `OUTCOME_`."""
    call = {"message": "It is kept.", "outcome": "DECLINED"}
    reply = {"calls": [{"name": "report_completion", "arguments": call}]}
    replies = tmp_path / "replies.toml"
    replies.write_text(f"[[reply]]\ntext = {json.dumps(json.dumps(reply))}\n")
    task = Task("lend", "Lend me Emma.", tools=[Tool(lend, "acts")])
    benchmark = TaskList([task], citations="none", outcomes=LENDING)

    run = controlplane.run(
        benchmark,
        agent="exoskeleton",
        model=f"scripted:{replies}",
        runs_dir=str(tmp_path / "runs"),
    )

    record = only_trial(run).record
    assert only_trial(run).summary.outcome == "OUTCOME_DECLINED"
    assert record.initial_prompt is not None
    told = record.initial_prompt.system
    assert "`OUTCOME_LENT` (the book is lent),\n`OUTCOME_DECLINED` (the rules" in told


def test_the_tool_that_ends_a_trial_takes_the_declared_outcomes() -> None:
    tools = tools_of(ToolSchema((), outcomes=LENDING), ["other"], Permission())

    offered = tools[-1].parameters["properties"]["outcome"]
    assert offered["enum"] == list(LENDING.names)


def test_a_program_that_plays_is_told_when_an_outcome_fits() -> None:
    """The platform's it knows."""
    _execute, own = trial_tools(ToolSchema((), outcomes=LENDING))
    _execute, platform = trial_tools(ToolSchema((), outcomes=PLATFORM_OUTCOMES))

    assert own.parameters["properties"]["outcome"] == {
        "type": "string",
        "enum": ["OUTCOME_LENT", "OUTCOME_DECLINED", "OUTCOME_ERR_INTERNAL"],
        "default": "OUTCOME_LENT",
        "description": "OUTCOME_LENT: the book is lent; OUTCOME_DECLINED: the rules forbid it",
    }
    assert "description" not in platform.parameters["properties"]["outcome"]


def test_the_journal_has_the_outcomes_of_its_trials(tmp_path: Path) -> None:
    script = answer_script("OUTCOME_DECLINED", changes=["lend"])

    run = lending_run(tmp_path, script, outcomes=LENDING)

    started = only_trial(run).record.started
    assert started is not None
    assert tool_schema_from_text(started.tool_schema).outcomes == LENDING


def test_a_name_of_the_platform_is_taken_for_the_general_one(tmp_path: Path) -> None:
    script = answer_script("OUTCOME_DENIED_SECURITY", changes=["lend"])

    run = lending_run(tmp_path, script, outcomes=GENERAL_OUTCOMES)

    (judged,) = only_trial(run).record.all_steps[0].submissions
    assert judged.outcome == "OUTCOME_REFUSED"
    check_replay_agrees(run)


# A journal of an earlier version, which declares no outcomes


def test_a_declaration_without_outcomes_has_those_of_the_platform() -> None:
    fields = json.loads(tool_schema_to_text(ToolSchema(())))
    del fields["outcomes"]

    schema = tool_schema_from_text(json.dumps(fields))

    assert schema.outcomes == PLATFORM_OUTCOMES


def test_declared_outcomes_are_read_as_they_were_written() -> None:
    schema = ToolSchema((), outcomes=LENDING)

    assert tool_schema_from_text(tool_schema_to_text(schema)).outcomes == LENDING


def test_the_recorded_sample_declares_no_outcomes() -> None:
    """So its replay and its judgement, which other tests compare, are those of an old journal."""
    text = (ROOT / "runs/sample.jsonl").read_text()

    assert "OUTCOME_OK" in text
    assert '\\"outcomes\\"' not in text


# A benchmark that declares no outcomes


class Desk(ToolBenchmark):
    """A benchmark of one task, whose graders and data a test changes."""

    def task_ids(self) -> list[str]:
        return ["lend"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        return "Lend me Emma.", TaskEnvironment([Tool(lend, "acts")])

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        return environment.answer == "lent"


def module_of(folder: Path, name: str, text: str) -> Any:
    """Import a module of the user's with this text."""
    (folder / f"{name}.py").write_text(text)
    return __import__(name)


DESK_MODULE = """
from controlplane import ToolBenchmark
{head}
class Desk(ToolBenchmark):
    def task_ids(self):
        return ["lend"]
    def generate(self, task_id):
        return "Lend me Emma.", None
    def grade(self, task_id, environment):
        return {grade}
"""


@pytest.mark.parametrize(
    ("head", "grade", "expected"),
    [
        pytest.param("", "environment.answer == 'lent'", GENERAL_OUTCOMES, id="none"),
        pytest.param(
            "",
            "environment.outcome == 'OUTCOME_DENIED_SECURITY'",
            PLATFORM_OUTCOMES,
            id="in a method",
        ),
        pytest.param(
            "EXPECTED = {'lend': ('no', ['OUTCOME_NONE_UNSUPPORTED'])}",
            "environment.outcome in EXPECTED[task_id][1]",
            PLATFORM_OUTCOMES,
            id="in data of the module",
        ),
        pytest.param(
            "def is_right(outcome):\n    return outcome.endswith('NONE_CLARIFICATION')",
            "is_right(environment.outcome)",
            PLATFORM_OUTCOMES,
            id="in a function, in short",
        ),
        pytest.param(
            "import desk_grader",
            "desk_grader.grade(environment)",
            PLATFORM_OUTCOMES,
            id="in another module",
        ),
        pytest.param(
            "from controlplane.sandbox.interface.outcomes import OK",
            "environment.outcome == OK",
            GENERAL_OUTCOMES,
            id="an outcome that all have",
        ),
    ],
)
def test_a_benchmark_that_names_an_outcome_of_the_platform_has_its_outcomes(
    head: str,
    grade: str,
    expected: Outcomes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "desk_grader.py").write_text(
        "def grade(environment):\n"
        "    return environment.outcome == 'OUTCOME_DENIED_SECURITY'\n"
    )
    name = f"desk_{abs(hash(request.node.name))}"

    module = module_of(tmp_path, name, DESK_MODULE.format(head=head, grade=grade))

    assert undeclared_outcomes(module.Desk()) == expected


def test_the_data_of_a_benchmark_counts_as_well() -> None:
    desk = Desk()
    desk.settings = {"expected": "OUTCOME_NONE_UNSUPPORTED"}

    assert undeclared_outcomes(desk) == PLATFORM_OUTCOMES


def grade_of_platform(environment: TaskEnvironment) -> bool:
    return environment.outcome == "OUTCOME_NONE_CLARIFICATION"


def task_of(**fields: Any) -> Task:
    return Task("lend", fields.pop("instruction", "Lend me Emma."), **fields)


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(
            lambda: task_of(instruction="Else end with OUTCOME_DENIED_SECURITY."),
            id="its instruction",
        ),
        pytest.param(
            lambda: task_of(files={"/docs/a.md": "OUTCOME_NONE_UNSUPPORTED if lent"}),
            id="a file",
        ),
        pytest.param(
            lambda: task_of(policy="Say NONE_CLARIFICATION."), id="its policy"
        ),
        pytest.param(lambda: task_of(grade=grade_of_platform), id="its grader"),
        pytest.param(
            lambda: task_of(grade=lambda end: end.outcome == "OUTCOME_DENIED_SECURITY"),
            id="a lambda",
        ),
    ],
)
def test_a_task_that_names_an_outcome_of_the_platform_gives_its_outcomes_to_all(
    task: Callable[[], Task],
) -> None:
    tasks = TaskList([Task("other", "Lend me Persuasion."), task()])

    assert undeclared_outcomes(tasks) == PLATFORM_OUTCOMES
