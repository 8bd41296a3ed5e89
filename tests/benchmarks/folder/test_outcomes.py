"""How the trials of tasks in a folder may end: the general outcomes, the platform's, or their own.

tasks/loan/task.toml    [expected]
                        outcome = "OUTCOME_NOT_FOUND"
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from controlplane.benchmarks.folder.folder_benchmark import environment_of
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
    OutcomeKind,
)
from tests.benchmarks.folder.written_tasks import fault_of, task_folder
from tests.support.command import CommandResult, run_in_process
from tests.support.journals import chained_lines

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

PLAIN_TASK = 'instruction = "Who signs loan 7?"\n[expected]\nstates = "Ada"\n'
"""A task that says nothing of its outcome."""
GRADER_OF_PLATFORM = """
def grade(answer, outcome, citations, changes):
    return outcome == "OUTCOME_NONE_UNSUPPORTED"
"""


def script(answer: str, outcome: str, *lines: str) -> str:
    """Return a script that gives an answer, after these lines."""
    return "\n".join(
        [
            *lines,
            f"scratchpad['answer'], scratchpad['outcome'] = {answer!r}, {outcome!r}",
            f"harness.answer(scratchpad, lambda sp: sp['answer'] == {answer!r})",
        ]
    )


def play(
    parent: Path, files: Mapping[str, str], *scripts: str, options: tuple[str, ...] = ()
) -> CommandResult:
    """Play the tasks of these files by a model that replies with the scripts in each trial."""
    task_folder(parent, files)
    replies = [f"[[reply]]\ncode = {json.dumps(code)}\n" for code in scripts]
    (parent / "replies.toml").write_text("".join(replies))
    return run_in_process(
        "run",
        "--benchmark=folder:tasks",
        "--model=scripted:replies.toml",
        "--json",
        *options,
        cwd=parent,
    )


def told_model(parent: Path) -> str:
    """Return the system prompt of the only trial, and what the gates said about its answers."""
    (path,) = (parent / "runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    assert trial.record.initial_prompt is not None
    texts = [trial.record.initial_prompt.system]
    for step in trial.record.all_steps:
        for judged in step.submissions:
            texts.append(judged.message)
    return "\n".join(texts)


def score_of(run: CommandResult) -> float:
    """Return the score of the only trial."""
    (trial,) = run.json["trials"]
    return float(trial["score"])


# A task that says nothing of its outcome


def test_a_task_without_an_outcome_takes_any(tmp_path: Path) -> None:
    run = play(
        tmp_path,
        {"loan/task.toml": PLAIN_TASK},
        script("Ada, but who asks?", "OUTCOME_UNCLEAR"),
    )

    assert score_of(run) == 1.0, run.out


def test_a_task_without_an_outcome_takes_no_trial_that_gave_up(tmp_path: Path) -> None:
    """What such a trial answers, "No answer was reached: ...", lacks the wrong word, too."""
    task = 'instruction = "Say no name."\n[expected]\nlacks = ["Ada"]\n'

    run = play(
        tmp_path, {"loan/task.toml": task}, "print(1)", options=("--max-steps=1",)
    )

    assert score_of(run) == 0.0
    (trial,) = run.json["trials"]
    assert trial["details"] == ["expected an answer, got OUTCOME_ERR_INTERNAL"]


def test_an_expected_end_has_to_say_something(tmp_path: Path) -> None:
    folder = task_folder(
        tmp_path, {"loan/task.toml": 'instruction = "Who?"\n[expected]\n'}
    )

    assert "expected: it says nothing of what is right" in fault_of(folder)


# The outcomes of a set of tasks


def test_tasks_have_the_general_outcomes(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"loan/task.toml": PLAIN_TASK})

    task = read_folder(folder).tasks["loan"]

    assert environment_of(task).tool_schema.outcomes == GENERAL_OUTCOMES


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {
                "other/task.toml": 'instruction = "Who?"\n[expected]\n'
                'outcome = "OUTCOME_DENIED_SECURITY"\n'
            },
            id="another task expects it",
        ),
        pytest.param({"loan/grade.py": GRADER_OF_PLATFORM}, id="a grader names it"),
        pytest.param(
            {"loan/files/docs/rules.md": "To strangers: OUTCOME_DENIED_SECURITY."},
            id="a document names it",
        ),
        pytest.param(
            {
                "other/task.toml": 'instruction = "If unclear: NONE_CLARIFICATION."\n'
                '[expected]\nanswer = "x"\n'
            },
            id="an instruction names it in short",
        ),
    ],
)
def test_all_tasks_have_the_outcomes_of_the_platform_if_one_is_named(
    files: dict[str, str], tmp_path: Path
) -> None:
    folder = task_folder(tmp_path, {"loan/task.toml": PLAIN_TASK, **files})

    for task in read_folder(folder).tasks.values():
        assert environment_of(task).tool_schema.outcomes == PLATFORM_OUTCOMES


def test_an_old_folder_is_prompted_and_graded_by_the_outcomes_of_the_platform(
    tmp_path: Path,
) -> None:
    run = play(
        tmp_path,
        {"loan/task.toml": PLAIN_TASK, "loan/grade.py": GRADER_OF_PLATFORM},
        script("Ada, if any.", "OUTCOME_REFUSED"),
        script("Ada, if any.", "OUTCOME_NONE_UNSUPPORTED"),
    )

    assert score_of(run) == 1.0, run.out
    told = told_model(tmp_path)
    assert "`OUTCOME_NONE_UNSUPPORTED`: the right person asks, but" in told
    assert "OUTCOME_NONE_CLARIFICATION, OUTCOME_NONE_UNSUPPORTED" in told


def test_a_general_outcome_is_none_of_an_old_folder(tmp_path: Path) -> None:
    task = 'instruction = "Who?"\n[expected]\noutcome = "OUTCOME_REFUSED"\n'
    folder = task_folder(
        tmp_path, {"loan/task.toml": task, "loan/grade.py": GRADER_OF_PLATFORM}
    )

    fault = fault_of(folder)

    assert "loan/task.toml: expected.outcome: 'OUTCOME_REFUSED' is none of" in fault
    assert "OUTCOME_DENIED_SECURITY" in fault


def test_a_document_that_names_the_platforms_does_not_overrule_a_task(
    tmp_path: Path,
) -> None:
    """A question about such documents may be saved as a task, by `ask --save-task`."""
    task = 'instruction = "Who?"\n[expected]\noutcome = "OUTCOME_NOT_FOUND"\n'
    folder = task_folder(
        tmp_path,
        {"loan/task.toml": task, "loan/files/a.md": "OUTCOME_DENIED_SECURITY: no."},
    )

    assert read_folder(folder).tasks["loan"].outcomes == GENERAL_OUTCOMES


def test_an_unknown_outcome_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    task = 'instruction = "Who?"\n[expected]\noutcome = "OUTCOME_K"\n'
    folder = task_folder(tmp_path, {"loan/task.toml": task})

    assert (
        "'OUTCOME_K' is none of OUTCOME_OK, OUTCOME_NOT_FOUND, OUTCOME_REFUSED, "
        "OUTCOME_UNCLEAR, OUTCOME_ERR_INTERNAL"
    ) in fault_of(folder)


# A task with outcomes of its own

LENDING = """
instruction = "Lend loan 7."
[[outcomes]]
name = "OUTCOME_LENT"
kind = "done"
[[outcomes]]
name = "OUTCOME_DECLINED"
kind = "refused"
sentence = "the rules of lending forbid it"
[expected]
outcome = "OUTCOME_DECLINED"
"""


def test_a_task_declares_outcomes_of_its_own(tmp_path: Path) -> None:
    run = play(
        tmp_path,
        {"loan/task.toml": LENDING},
        script("It is kept.", "OUTCOME_NOT_FOUND"),
        script("It is kept.", "OUTCOME_DECLINED"),
    )

    assert score_of(run) == 1.0, run.out
    told = told_model(tmp_path)
    assert "`OUTCOME_DECLINED`: the rules of lending forbid it." in told
    assert 'scratchpad["outcome"] = "OUTCOME_LENT"' in told
    assert "set `outcome` to one of OUTCOME_LENT, OUTCOME_DECLINED, OUTCOME_ERR" in told
    folder = read_folder(tmp_path / "tasks")
    assert folder.tasks["loan"].outcomes.kind_of("OUTCOME_DECLINED") is (
        OutcomeKind.REFUSED
    )


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        pytest.param(
            'name = "OUTCOME_LENT"\nkind = "refused"\nsentence = "x"',
            "outcomes: none of OUTCOME_LENT, OUTCOME_ERR_INTERNAL is of the kind `done`",
            id="none is done",
        ),
        pytest.param(
            'name = "LENT"\nkind = "done"',
            "outcomes: 'LENT' is no outcome",
            id="a name",
        ),
        pytest.param(
            'name = "OUTCOME_LENT"\nkind = "lent"', "outcomes[0].kind: ", id="a kind"
        ),
    ],
)
def test_a_faulty_outcome_of_a_task_is_refused(
    entry: str, fault: str, tmp_path: Path
) -> None:
    task = f'instruction = "Who?"\n[[outcomes]]\n{entry}\n[expected]\nstates = "Ada"\n'
    folder = task_folder(tmp_path, {"loan/task.toml": task})

    assert fault in fault_of(folder)


# A trial that an earlier version has begun: its journal declares no outcomes


def as_of_earlier_version(lines: list[bytes]) -> bytes:
    """Return the lines of a journal in which no tool schema declares outcomes."""
    events = [json.loads(line) for line in lines]
    schemas = {}
    for event in events:
        if event["type"] == "text" and event["text"].startswith('{"operations"'):
            fields = json.loads(event["text"])
            del fields["outcomes"]
            schemas[f"@text:{event['key']}"] = json.dumps(fields)
    for event in events:
        if event["type"] == "trial_started":
            event["tool_schema"] = schemas[event["tool_schema"]]
    return chained_lines(events)


def test_a_trial_of_an_earlier_version_keeps_the_outcomes_of_the_platform(
    tmp_path: Path,
) -> None:
    """The conversation that goes on has named these."""
    first = play(
        tmp_path,
        {"loan/task.toml": PLAIN_TASK},
        "print(1)",
        script("Ada.", "OUTCOME_OK"),
    )
    assert score_of(first) == 1.0
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    path.write_bytes(as_of_earlier_version(path.read_bytes().splitlines(True)))
    refusal = script("Ada would not.", "OUTCOME_DENIED_SECURITY")
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(refusal)}\n")

    replayed = run_in_process("replay", str(path), "--verify", cwd=tmp_path)
    forked = run_in_process(
        "fork",
        str(path),
        "--trial=loan",
        "--step=1",
        "--model=scripted:replies.toml",
        "--trust",
        "--json",
        cwd=tmp_path,
    )

    assert replayed.code == 0, replayed.out
    assert forked.code == 0, forked.err
    (new_path,) = set((tmp_path / "runs").glob("*.jsonl")) - {path}
    (trial,) = open_journal(new_path).trials.values()
    assert trial.summary.outcome == "OUTCOME_DENIED_SECURITY"
    assert trial.record.started is not None
    declared = tool_schema_from_text(trial.record.started.tool_schema)
    assert declared.outcomes == PLATFORM_OUTCOMES
