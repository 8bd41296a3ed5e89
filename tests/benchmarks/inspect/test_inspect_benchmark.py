"""Tasks of Inspect as a benchmark: dataset, solvers up
to `generate`, tools, scorers, and models that scorers ask."""

import json
from pathlib import Path

import pytest

from tests.support.command import ROOT, run_controlplane

pytest.importorskip("inspect_ai")
SAMPLE = ROOT.parent / "shared/public/inspect_sample.py"
TASKS = '''
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Target, accuracy, includes, mean, model_graded_qa, scorer
from inspect_ai.solver import chain_of_thought, generate, multiple_choice, solver, system_message, use_tools
from inspect_ai.tool import ToolError, tool
from inspect_ai.util import store


@tool
def remember():
    async def execute(word: str, times: int = 1) -> str:
        """Remember a word.

        Args:
            word: the word to keep
            times: how often
        """
        if not word:
            raise ToolError("no word was given")
        if times < 0:
            raise ZeroDivisionError("no times at all")
        store().set("kept", [*store().get("kept", []), word] * times)
        return f"kept {word}"

    return execute


@scorer(metrics={"kept": [mean()], "traced": [mean()], "refused": [mean()]})
def kept():
    async def score(state, target: Target) -> Score:
        calls = [call.function for message in state.messages for call in getattr(message, "tool_calls", None) or ()]
        refused = [message.error.message for message in state.messages if getattr(message, "error", None)]
        value = {"kept": float(store().get("kept", []) == [target.text]), "traced": float(len(calls))}
        value["refused"] = float(refused == ["no word was given"])
        return Score(value=value, answer=state.output.completion)

    return score


@task
def words(limit: int = 2):
    samples = [Sample(input="Keep heron.", target="heron", id="heron"), Sample(input="Keep otter.", target="otter")]
    return Task(dataset=samples[:limit], solver=[use_tools(remember()), generate()], scorer=kept())


@task
def choices():
    samples = [Sample(input="Which is a bird?", choices=["otter", "heron"], target="B", id="bird")]
    return Task(dataset=samples, solver=[system_message("Be short."), chain_of_thought(), multiple_choice()],
                scorer=[__import__("inspect_ai.scorer").scorer.choice(), includes()])


@task
def judged():
    return Task(dataset=[Sample(input="Greet.", target="polite", id="one")], scorer=model_graded_qa())


@task
def contained():
    return Task(dataset=[Sample(input="x")], scorer=includes(), sandbox="local")


@task
def again():
    return Task(dataset=[Sample(input="x", id="one")], solver=[generate(), generate()], scorer=includes())


@solver
def silent():
    async def solve(state, generate):
        return state

    return solve


@task
def unasked():
    return Task(dataset=[Sample(input="x")], solver=silent(), scorer=includes())
'''


def reply(task: str, code: str, answer: str) -> str:
    text = f"{code}\nscratchpad['answer'], scratchpad['outcome'] = {answer!r}, 'OUTCOME_OK'\n"
    text += "harness.answer(scratchpad, lambda sp: sp['outcome'] == 'OUTCOME_OK')"
    return f"[[reply]]\ntask = {json.dumps(task)}\ncode = {json.dumps(text)}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks.py").write_text(TASKS)
    keep = "try:\n    harness.remember('')\nexcept HarnessError as error:\n    print(error)\nharness.remember(word={!r})"
    replies = (
        reply("words.heron", keep.format("heron"), ""),
        reply("words.2", keep.format("heron"), "kept"),
        reply("choices.bird", "", "ANSWER: B"),
        reply("judged.one", "", "Good day."),
        "[[reply]]\nrole = 'grade'\ntext = 'It greets.\\n\\nGRADE: C'\n".replace(
            "'", '"'
        ),
    )
    (tmp_path / "replies.toml").write_text("".join(replies))
    return tmp_path


def test_tools_store_trace_choices_and_judges_count_as_in_inspect(folder: Path) -> None:
    words = "--model", "scripted:replies.toml", "--json"
    for name, scores, metrics in (
        ("words", [1.0, 0.0], {"kept": 0.5, "kept.traced": 2.0, "kept.refused": 1.0}),
        ("choices", [1.0], {"choice": 1.0, "includes": 1.0}),
        ("judged", [1.0], {"model_graded_qa": 1.0}),
    ):
        done = run_controlplane(
            "run", "--benchmark", f"inspect:tasks.py@{name}", *words, cwd=folder
        )
        assert [trial["score"] for trial in done.json["trials"]] == scores, done.err
        assert done.json["metrics"] == metrics

    assert done.json["roles"]["grade"]["replies"] == 1
    verified = run_controlplane("replay", "last", "--verify", cwd=folder)
    assert verified.code == 0, verified.err


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        (
            "words",
            "harness.remember('x', times=-1)",
            "the tool remember broke: ZeroDivisionError: no times at all",
        ),
        ("again", "", "again: its solvers call generate again"),
    ],
)
def test_what_breaks_in_inspect_is_a_fault_and_no_score(
    name: str, code: str, says: str, folder: Path
) -> None:
    (folder / "broken.toml").write_text(
        reply(f"{name}.{'heron' if code else 'one'}", code, "x")
    )
    words = (
        "--benchmark",
        f"inspect:tasks.py@{name}",
        "--limit",
        "1",
        "--model",
        "scripted:broken.toml",
        "--json",
    )
    (trial,) = run_controlplane("run", *words, cwd=folder).json["trials"]

    assert says in trial["reason"]


def test_arguments_of_a_task_are_given_by_an_option(folder: Path) -> None:
    words = "--model", "scripted:replies.toml", "--json", "--set", "args=limit=1"
    done = run_controlplane(
        "run", "--benchmark", "inspect:tasks.py@words", *words, cwd=folder
    )

    assert len(done.json["trials"]) == 1


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ("tasks.py@contained", "its sandbox is 'local'"),
        ("tasks.py@unasked", "its solvers never call generate"),
        ("nowhere.py", "no task of Inspect is there"),
        ("", "which task? Name it as inspect:FILE.py@TASK"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_word(
    task: str, says: str, folder: Path
) -> None:
    done = run_controlplane(
        "run",
        "--benchmark",
        f"inspect:{task}",
        "--model",
        "scripted:replies.toml",
        cwd=folder,
    )

    assert done.code == 2
    assert says in done.err


@pytest.mark.skipif(not SAMPLE.exists(), reason="the public material is not at hand")
def test_public_tasks_are_played(tmp_path: Path) -> None:
    replies = (
        reply(
            "words.heron",
            "print(harness.lookup(word='heron').value)",
            "It is a grey bird.",
        ),
        reply("words.sum", "", "5"),
        reply("choices.bird", "", "ANSWER: B"),
    )
    (tmp_path / "replies.toml").write_text("".join(replies))
    words = "--model", "scripted:replies.toml", "--json"
    done = run_controlplane(
        "run", "--benchmark", f"inspect:{SAMPLE}", *words, cwd=tmp_path
    )

    assert {trial["task_id"]: trial["score"] for trial in done.json["trials"]} == {
        "words.heron": 1.0,
        "words.sum": 0.0,
        "choices.bird": 1.0,
    }, done.err


MIXED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

@task
def mixed():
    contained = Sample(input="x", id="contained", sandbox="local")
    return Task(dataset=[Sample(input="Greet.", target="day", id="one"), contained], scorer=includes())
"""


def test_a_sample_whose_sandbox_is_not_supported_is_left_out_and_named(
    folder: Path,
) -> None:
    (folder / "mixed.py").write_text(MIXED)
    (folder / "mixed.toml").write_text(reply("mixed.one", "", "Good day."))
    command = (
        "run",
        "--benchmark",
        "inspect:mixed.py@mixed",
        "--model",
        "scripted:mixed.toml",
    )
    done = run_controlplane(*command, "--json", cwd=folder)

    assert [trial["task_id"] for trial in done.json["trials"]] == ["mixed.one"], (
        done.err
    )
    assert "mixed.contained" in (folder / done.json["journal"]).read_text()
    strict = run_controlplane(*command, "--set", "strict=yes", cwd=folder)
    assert strict.code == 2
    assert "mixed.contained" in strict.err
