"""A sample of a task of Inspect is scored by all scorers of the task: here, a multiple choice.

Inspect is a framework for evaluations of models. Our agent answers in place of Inspect's `generate`.
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


def test_a_multiple_choice_is_scored_by_all_its_scorers(tmp_path: Path) -> None:
    write_task(
        tmp_path,
        """
@task
def choices():
    sample = Sample(
        input="Which is a bird?", choices=["otter", "heron"], target="B", id="bird"
    )
    solver = [system_message("Be short."), chain_of_thought(), multiple_choice()]
    return Task(dataset=[sample], solver=solver, scorer=[choice(), includes()])
""",
    )
    write_replies(tmp_path, script_reply("choices.bird", answer="ANSWER: B"))

    run = run_task(tmp_path, "choices")

    assert scores_of(run) == {"choices.bird": 1.0}
    assert run.json["metrics"] == {"choice": 1.0, "includes": 1.0}
