"""A task of Inspect that cannot be played is refused with the reason, before a trial begins.

Inspect is a framework for evaluations of models. Our agent answers its samples in place of its
`generate`, and runs no commands on this computer, which it calls a local sandbox.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.benchmarks.inspect.inspect_runs import run_task, write_replies, write_task

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
