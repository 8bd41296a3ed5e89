"""Options choose the samples of a task of Inspect, a framework for evaluations of models.

A task is a function that may have arguments. `--set args=limit=1` calls it as `words(limit=1)`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    scores_of,
    script_reply,
    write_replies,
    write_task,
)

pytest.importorskip("inspect_ai")

TASK = """
@task
def words(limit: int = 2):
    samples = [
        Sample(input="Say heron.", target="heron", id="heron"),
        Sample(input="Say otter.", target="otter", id="otter"),
    ]
    return Task(dataset=samples[:limit], scorer=includes())
"""


@pytest.mark.parametrize(
    "option",
    [
        pytest.param(["--set", "args=limit=1"], id="an argument of the task"),
        pytest.param(["--limit", "1"], id="a limit of the run"),
    ],
)
def test_an_option_limits_the_samples(tmp_path: Path, option: list[str]) -> None:
    write_task(tmp_path, TASK)
    write_replies(tmp_path, script_reply("words.heron", answer="heron"))

    run = run_task(tmp_path, "words", *option)

    assert scores_of(run) == {"words.heron": 1.0}
