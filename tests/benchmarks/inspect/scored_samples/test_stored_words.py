"""A sample of a task of Inspect is scored by what a tool of the task has stored.

Inspect is a framework for evaluations of models. Our agent answers in place of Inspect's `generate`,
and the task's own scorer sees the store of the sample, as if Inspect had run it.
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

TASK = '''
@tool
def remember():
    async def execute(word: str) -> str:
        """Remember a word.

        Args:
            word: the word to remember
        """
        store().set("word", word)
        return "remembered"

    return execute


@scorer(metrics=[mean()])
def remembered():
    async def score(state, target):
        return Score(value=float(store().get("word") == target.text))

    return score


@task
def words():
    samples = [
        Sample(input="Remember heron.", target="heron", id="heron"),
        Sample(input="Remember otter.", target="otter"),  # without an id, it is sample 2
    ]
    solver = [use_tools(remember()), generate()]
    return Task(dataset=samples, solver=solver, scorer=remembered())
'''


def test_a_sample_is_scored_by_what_a_tool_has_stored(tmp_path: Path) -> None:
    """The model remembers "heron" in both samples, which is right only in the first."""
    write_task(tmp_path, TASK)
    write_replies(
        tmp_path,
        script_reply("words.heron", code="harness.remember(word='heron')", answer=""),
        script_reply("words.2", code="harness.remember(word='heron')", answer=""),
    )

    run = run_task(tmp_path, "words")

    assert scores_of(run) == {"words.heron": 1.0, "words.2": 0.0}
    assert run.json["metrics"]["remembered"] == 0.5
