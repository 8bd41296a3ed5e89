"""A task of Inspect whose solvers call `generate` twice gives no score, and the run says why.

Inspect is a framework for evaluations of models. Our agent answers in place of the first call of
`generate`, which would ask the model, and that ends the trial.
"""

from pathlib import Path

import pytest

from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    script_reply,
    write_replies,
    write_task,
)

pytest.importorskip("inspect_ai")


def test_a_second_call_of_generate_is_the_reason_for_no_score(tmp_path: Path) -> None:
    write_task(
        tmp_path,
        """
@task
def generates_twice():
    sample = Sample(input="x", id="one")
    return Task(dataset=[sample], solver=[generate(), generate()], scorer=includes())
""",
    )
    write_replies(tmp_path, script_reply("generates_twice.one", answer="x"))

    run = run_task(tmp_path, "generates_twice")

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert "generates_twice: its solvers call generate again" in trial["reason"]
