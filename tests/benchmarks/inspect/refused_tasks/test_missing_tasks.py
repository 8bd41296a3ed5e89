"""A benchmark `inspect:FILE.py@TASK` without a task is refused with the reason.

It is a task of Inspect, a framework for evaluations of models, in a file of Python.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.benchmarks.inspect.inspect_runs import write_replies
from tests.support.command import run_controlplane

pytest.importorskip("inspect_ai")


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
    model = "scripted:replies.toml"

    run = run_controlplane(
        "run", "--benchmark", benchmark, "--model", model, cwd=tmp_path
    )

    assert run.code == UsageError.exit_code
    assert refusal in run.err
