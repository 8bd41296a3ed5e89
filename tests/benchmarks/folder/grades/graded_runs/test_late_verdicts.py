"""A trial that a model could not grade is graded when its run is resumed.

A second model grades the answer "Written: 12 pieces." by a rubric. Its verdict is a list of faults,
each of which has to quote the answer: `{"quote": "12 pieces", "fault": "wrong"}`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.grades.graded_runs.stock_task import (
    INSTRUCTION,
    WRITTEN_ANSWER,
    run_tasks,
    write_task,
)
from tests.support.command import run_controlplane

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_without_a_verdict_that_counts_is_graded_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    """A fault has to quote the answer. Both verdicts quote what is not in it."""
    write_task(tmp_path, INSTRUCTION + 'rubric = "The answer names the article A-7."\n')
    verdicts = """
[[reply]]
role = "grade"
text = '{"faults": [{"quote": "13 pieces", "fault": "wrong"}], "score": 0}'
[[reply]]
role = "grade"
text = '{"faults": [{"quote": "14 pieces", "fault": "wrong"}], "score": 0}'
"""

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER + verdicts)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert run.json["roles"]["grade"]["replies"] == 2
    reason = "'14 pieces' stands neither in the answer nor in the rubric"
    assert reason in trial["reason"]

    # Now the first verdict of the model quotes the answer, and counts.
    (tmp_path / "replies.toml").write_text(
        WRITTEN_ANSWER + verdicts.replace("13 pieces", "12 pieces")
    )
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    assert resumed.json["score"] == 0.0
    assert resumed.json["trials"][0]["details"] == ["wrong: '12 pieces'"]
