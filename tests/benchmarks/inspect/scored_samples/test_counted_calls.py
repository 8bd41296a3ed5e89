"""The scorer of a task of Inspect sees the calls of the task's tools, and their errors.

Inspect is a framework for evaluations of models. Our agent answers in place of Inspect's `generate`,
and the task's own scorer sees its calls as messages, as if Inspect had run the sample.
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

TASK = '''
@tool
def remember():
    async def execute(word: str) -> str:
        """Remember a word.

        Args:
            word: the word to remember
        """
        if not word:
            raise ToolError("no word was given")
        return "remembered"

    return execute


@scorer(metrics={"calls": [mean()], "errors": [mean()]})
def messages():
    async def score(state, target):
        calls = 0
        errors = 0
        for message in state.messages:
            calls += len(getattr(message, "tool_calls", None) or [])
            errors += getattr(message, "error", None) is not None
        return Score(value={"calls": float(calls), "errors": float(errors)})

    return score


@task
def words():
    sample = Sample(input="Remember heron.", id="heron")
    solver = [use_tools(remember()), generate()]
    return Task(dataset=[sample], solver=solver, scorer=messages())
'''


def test_a_scorer_sees_the_calls_and_the_errors_of_tools(tmp_path: Path) -> None:
    """The first call has no word, and the tool refuses it."""
    write_task(tmp_path, TASK)
    call_twice = """
try:
    harness.remember(word="")
except HarnessError as error:
    print(error)
harness.remember(word="heron")
"""
    write_replies(tmp_path, script_reply("words.heron", code=call_twice, answer=""))

    run = run_task(tmp_path, "words")

    assert run.json["metrics"]["messages.calls"] == 2.0
    assert run.json["metrics"]["messages.errors"] == 1.0
