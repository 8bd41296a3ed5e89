"""The samples of a task of Inspect are scored by its own scorers, as if Inspect had run them.

Our agent answers in place of Inspect's `generate`. The scorers see its answer, its calls of the task's
tools, and what these have put into the store of the sample.
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

TASK_WITH_A_TOOL = '''
@tool
def remember():
    async def execute(word: str) -> str:
        """Remember a word.

        Args:
            word: the word to remember
        """
        if not word:
            raise ToolError("no word was given")
        store().set("word", word)
        return "remembered"

    return execute


@scorer(metrics=[mean()])
def remembered():
    async def score(state, target):
        return Score(value=float(store().get("word") == target.text))

    return score


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
def words(limit: int = 2):
    samples = [
        Sample(input="Remember heron.", target="heron", id="heron"),
        Sample(input="Remember otter.", target="otter"),  # without an id, it is sample 2
    ]
    solver = [use_tools(remember()), generate()]
    return Task(dataset=samples[:limit], solver=solver, scorer=[remembered(), messages()])
'''


def test_a_sample_is_scored_by_what_a_tool_has_stored(tmp_path: Path) -> None:
    """The model remembers "heron" in both samples, which is right only in the first."""
    write_task(tmp_path, TASK_WITH_A_TOOL)
    write_replies(
        tmp_path,
        script_reply("words.heron", code="harness.remember(word='heron')", answer=""),
        script_reply("words.2", code="harness.remember(word='heron')", answer=""),
    )

    run = run_task(tmp_path, "words")

    assert scores_of(run) == {"words.heron": 1.0, "words.2": 0.0}
    assert run.json["metrics"]["remembered"] == 0.5


def test_a_scorer_sees_the_calls_and_the_errors_of_tools(tmp_path: Path) -> None:
    """The first call has no word, and the tool refuses it."""
    write_task(tmp_path, TASK_WITH_A_TOOL)
    call_twice = """
try:
    harness.remember(word="")
except HarnessError as error:
    print(error)
harness.remember(word="heron")
"""
    write_replies(tmp_path, script_reply("words.heron", code=call_twice, answer=""))

    run = run_task(tmp_path, "words", "--limit", "1")

    assert run.json["metrics"]["messages.calls"] == 2.0
    assert run.json["metrics"]["messages.errors"] == 1.0


def test_an_option_gives_the_arguments_of_a_task(tmp_path: Path) -> None:
    """`--set args=limit=1` calls the task as `words(limit=1)`, which has one sample."""
    write_task(tmp_path, TASK_WITH_A_TOOL)
    write_replies(tmp_path, script_reply("words.heron", answer=""))

    run = run_task(tmp_path, "words", "--set", "args=limit=1")

    assert list(scores_of(run)) == ["words.heron"]


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


def test_a_model_as_judge_is_asked_counted_and_replayed(tmp_path: Path) -> None:
    """The judge replies with the grade C, which means correct. A replay asks no model: the reply is
    in the journal."""
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
