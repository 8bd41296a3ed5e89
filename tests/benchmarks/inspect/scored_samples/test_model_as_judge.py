"""A model judges the answer to a sample of a task of Inspect, if the task's scorer asks one.

Inspect is a framework for evaluations of models. The judge gets our agent's answer, and replies with
a grade: C means correct. We count its replies, and write them into the journal of the run.
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
from tests.support.command import run_controlplane

pytest.importorskip("inspect_ai")


def test_a_model_as_judge_is_asked_counted_and_replayed(tmp_path: Path) -> None:
    """A replay asks no model: the reply is in the journal."""
    write_task(
        tmp_path,
        """
@task
def judged():
    sample = Sample(input="Greet.", target="polite", id="one")
    return Task(dataset=[sample], scorer=model_graded_qa())
""",
    )
    verdict = '[[reply]]\nrole = "grade"\ntext = "It greets.\\n\\nGRADE: C"\n'
    write_replies(tmp_path, script_reply("judged.one", answer="Good day."), verdict)

    run = run_task(tmp_path, "judged")
    replay = run_controlplane("replay", "last", "--verify", cwd=tmp_path)

    assert scores_of(run) == {"judged.one": 1.0}
    assert run.json["metrics"] == {"model_graded_qa": 1.0}
    assert run.json["roles"]["grade"]["replies"] == 1
    assert replay.code == 0, replay.err
