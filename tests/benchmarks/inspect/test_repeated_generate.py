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


def test_solvers_before_and_after_generate_run_once(tmp_path: Path) -> None:
    """A setup that ran again after the trial would undo what the trial has done."""
    write_task(
        tmp_path,
        """
import pathlib

@solver
def noted(word):
    async def solve(state, generate):
        with open("notes.txt", "a") as notes:
            notes.write(word + "\\n")
        store().set(word, state.output.completion)
        return state
    return solve

@scorer(metrics=[mean()])
def notes_of_trial():
    async def score(state, target):
        words = pathlib.Path("notes.txt").read_text().split()
        after_answer = store().get("after") == "x"
        return Score(value=float(words[-2:] == ["before", "after"] and after_answer))
    return score

@task
def noted_solvers():
    sample = Sample(input="x", id="one")
    solvers = [generate(), noted("after")]
    return Task(dataset=[sample], setup=noted("before"), solver=solvers, scorer=notes_of_trial())
""",
    )
    write_replies(tmp_path, script_reply("noted_solvers.one", answer="x"))

    run = run_task(tmp_path, "noted_solvers")

    assert run.json["trials"][0]["score"] == 1.0, run.out
    # The first one is of the look at the task's tools.
    assert (tmp_path / "notes.txt").read_text().split() == ["before", "before", "after"]
