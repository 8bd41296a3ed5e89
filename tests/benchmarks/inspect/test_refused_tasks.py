"""A task of Inspect that cannot be played is refused with the reason, before a trial begins."""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    scores_of,
    script_reply,
    write_replies,
    write_task,
)
from tests.support.command import run_controlplane

pytest.importorskip("inspect_ai")


def test_a_task_in_a_local_sandbox_is_refused(tmp_path: Path) -> None:
    write_task(
        tmp_path,
        """
@task
def in_local_sandbox():
    return Task(dataset=[Sample(input="x")], scorer=includes(), sandbox="local")
""",
    )
    write_replies(tmp_path)

    run = run_task(tmp_path, "in_local_sandbox")

    assert run.code == UsageError.exit_code
    assert "its sandbox is 'local'" in run.err


def test_a_task_whose_solvers_do_not_ask_the_model_is_refused(tmp_path: Path) -> None:
    """Our agent answers in place of `generate`, so it could not answer at all."""
    write_task(
        tmp_path,
        """
@solver
def asks_no_model():
    async def solve(state, generate):
        return state

    return solve


@task
def never_generates():
    return Task(dataset=[Sample(input="x")], solver=asks_no_model(), scorer=includes())
""",
    )
    write_replies(tmp_path)

    run = run_task(tmp_path, "never_generates")

    assert run.code == UsageError.exit_code
    assert "its solvers never call generate" in run.err


@pytest.mark.parametrize(
    ("benchmark", "refusal"),
    [
        pytest.param(
            "inspect:nowhere.py",
            "no task of Inspect is there",
            id="a file that does not exist",
        ),
        pytest.param(
            "inspect:",
            "which task? Name it as inspect:FILE.py@TASK",
            id="no file is named",
        ),
    ],
)
def test_a_benchmark_without_a_task_is_refused(
    benchmark: str, refusal: str, tmp_path: Path
) -> None:
    write_replies(tmp_path)

    run = run_controlplane(
        *("run", "--benchmark", benchmark, "--model", "scripted:replies.toml"),
        cwd=tmp_path,
    )

    assert run.code == UsageError.exit_code
    assert refusal in run.err


ONE_SAMPLE_IN_A_LOCAL_SANDBOX = """
@task
def mixed():
    samples = [
        Sample(input="Greet.", target="day", id="one"),
        Sample(input="x", id="contained", sandbox="local"),
    ]
    return Task(dataset=samples, scorer=includes())
"""


def test_a_sample_in_a_local_sandbox_is_left_out_and_named_in_the_journal(
    tmp_path: Path,
) -> None:
    write_task(tmp_path, ONE_SAMPLE_IN_A_LOCAL_SANDBOX)
    write_replies(tmp_path, script_reply("mixed.one", answer="Good day."))

    run = run_task(tmp_path, "mixed")

    assert scores_of(run) == {"mixed.one": 1.0}
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "mixed.contained" in journal


def test_a_strict_run_refuses_a_sample_in_a_local_sandbox(tmp_path: Path) -> None:
    """`--set strict=yes` is for users who want to play all of a task or nothing."""
    write_task(tmp_path, ONE_SAMPLE_IN_A_LOCAL_SANDBOX)
    write_replies(tmp_path, script_reply("mixed.one", answer="Good day."))

    run = run_task(tmp_path, "mixed", "--set", "strict=yes")

    assert run.code == UsageError.exit_code
    assert "mixed.contained" in run.err
