"""Tasks of Inspect as a benchmark: `controlplane run --benchmark inspect:tasks.py@words`.

Inspect is a framework for evaluations of models. A task has samples (questions with a right
answer), solvers (steps such as `generate`, which asks the model), tools and scorers. We play each
sample as a trial: our own agent answers in place of `generate`, with Inspect's tools and scores.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.benchmarks.inspect.task_files import TASKS, UNSUPPORTED_TASKS
from tests.support.command import ROOT, CommandResult, run_controlplane

pytest.importorskip("inspect_ai")


def scripted_reply(trial: str, *, answer: str, code: str = "") -> str:
    """Return an entry of a file of replies: what the model replies in a trial.

    It replies with a script that runs `code` and then gives the answer. A trial is, for example,
    `words.heron`: the sample `heron` of the task `words`.
    """
    script = f"""{code}
scratchpad["answer"] = {answer!r}
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
"""
    return f"[[reply]]\ntask = {json.dumps(trial)}\ncode = {json.dumps(script)}\n"


KEEP_HERON = """\
try:
    harness.remember('')
except HarnessError as error:
    print(error)
harness.remember(word='heron')
"""
"""Code that makes two calls of the tool: one that it refuses, and one that keeps "heron"."""

VERDICT_OF_JUDGE = """\
[[reply]]
role = "grade"
text = "It greets.\\n\\nGRADE: C"
"""
"""The reply of the model that the scorer of `judged` asks. The grade C means correct."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of tasks, and the model's replies for those that can be played."""
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "unsupported.py").write_text(UNSUPPORTED_TASKS)
    replies = [
        scripted_reply("words.heron", code=KEEP_HERON, answer=""),
        # This is wrong: the second sample, which has no id but its number, asks to keep "otter".
        scripted_reply("words.2", code=KEEP_HERON, answer="kept"),
        scripted_reply("choices.bird", answer="ANSWER: B"),
        scripted_reply("judged.one", answer="Good day."),
        VERDICT_OF_JUDGE,
    ]
    (tmp_path / "replies.toml").write_text("".join(replies))
    return tmp_path


def run_task(
    folder: Path, task: str, *flags: str, replies: str = "replies.toml"
) -> CommandResult:
    """Run a task with scripted replies: `run_task(folder, "tasks.py@words")`.

    `replies` is the name of the file of replies.
    """
    return run_controlplane(
        "run",
        *("--benchmark", f"inspect:{task}"),
        *("--model", f"scripted:{replies}"),
        "--json",
        *flags,
        cwd=folder,
    )


def scores_of(run: CommandResult) -> dict[str, float]:
    """Return the score of each trial by its task: `{"words.heron": 1.0, "words.2": 0.0}`."""
    assert run.out, run.err
    return {trial["task_id"]: trial["score"] for trial in run.json["trials"]}


class PlayedTask(NamedTuple):
    """A task with the results of its run."""

    task: str
    scores: dict[str, float]
    """The score of each sample: `{"words.heron": 1.0}`."""
    metrics: dict[str, float]
    """The means over the samples of what the task's scorers measure."""


class TestPlayedTasks:
    """The samples of a task are scored as in Inspect, on its own state.

    Inspect's scorers see its store, its messages and the answer. Of the task `words`, the
    reply to the sample `heron` is right. The reply to the sample 2 keeps "heron" as well,
    where "otter" is asked for.
    """

    @pytest.mark.parametrize(
        "played",
        [
            pytest.param(
                PlayedTask(
                    "tasks.py@words",
                    scores={"words.heron": 1.0, "words.2": 0.0},
                    # One of the two words was kept. Each sample has two calls, one of them refused.
                    metrics={"kept": 0.5, "kept.calls": 2.0, "kept.refused": 1.0},
                ),
                id="tools, store and messages",
            ),
            pytest.param(
                PlayedTask(
                    "tasks.py@choices",
                    scores={"choices.bird": 1.0},
                    metrics={"choice": 1.0, "includes": 1.0},
                ),
                id="a multiple choice with two scorers",
            ),
            pytest.param(
                PlayedTask(
                    "tasks.py@judged",
                    scores={"judged.one": 1.0},
                    metrics={"model_graded_qa": 1.0},
                ),
                id="a model as judge",
            ),
        ],
    )
    def test_samples_are_scored_as_in_inspect(
        self, folder: Path, played: PlayedTask
    ) -> None:
        run = run_task(folder, played.task)

        assert scores_of(run) == played.scores
        assert run.json["metrics"] == played.metrics

    def test_the_replies_of_a_judging_model_are_counted_and_replayed(
        self, folder: Path
    ) -> None:
        """A replay asks no model: the judge's reply is in the journal."""
        run = run_task(folder, "tasks.py@judged")
        assert run.json["roles"]["grade"]["replies"] == 1

        replay = run_controlplane("replay", "last", "--verify", cwd=folder)

        assert replay.code == 0, replay.err

    def test_an_option_gives_the_arguments_of_a_task(self, folder: Path) -> None:
        """`--set args=limit=1` calls the task as `words(limit=1)`, which has one sample."""
        run = run_task(folder, "tasks.py@words", "--set", "args=limit=1")

        assert len(run.json["trials"]) == 1


def reason_of_first_trial(folder: Path, task: str, reply: str) -> Any:
    """Play the first sample of a task with this reply, and return why the sample has no score."""
    (folder / "broken.toml").write_text(reply)
    run = run_task(folder, task, "--limit", "1", replies="broken.toml")
    (trial,) = run.json["trials"]
    return trial["reason"]


class TestBrokenTrials:
    """A trial that breaks off has no score, and the reason is said.

    The tool `remember` of the task `words` raises a `ZeroDivisionError` for `times=-1`. The solvers
    of the task `generates_twice` ask the model twice.
    """

    def test_a_tool_that_breaks_is_the_reason_for_no_score(self, folder: Path) -> None:
        """A `ToolError` is shown to the model. Any other error is a fault of the tool."""
        reason = reason_of_first_trial(
            folder,
            "tasks.py@words",
            scripted_reply(
                "words.heron", code="harness.remember('x', times=-1)", answer="x"
            ),
        )

        assert "the tool remember broke: ZeroDivisionError: no times at all" in reason

    def test_a_second_call_of_generate_is_the_reason_for_no_score(
        self, folder: Path
    ) -> None:
        """The agent has answered in place of the first call, and has ended its trial by that."""
        reason = reason_of_first_trial(
            folder,
            "unsupported.py@generates_twice",
            scripted_reply("generates_twice.one", answer="x"),
        )

        assert "generates_twice: its solvers call generate again" in reason


USAGE_ERROR = 2
"""The exit code of a command with wrong options or arguments."""


class TestRefusedTasks:
    """A task that cannot be played is refused with the reason, before a trial begins.

    The solvers of the task `never_generates` do not ask the model, so our agent could not answer.
    """

    @pytest.mark.parametrize(
        ("task", "refusal"),
        [
            pytest.param(
                "unsupported.py@in_local_sandbox",
                "its sandbox is 'local'",
                id="a local sandbox",
            ),
            pytest.param(
                "unsupported.py@never_generates",
                "its solvers never call generate",
                id="no call of generate",
            ),
            pytest.param(
                "nowhere.py",
                "no task of Inspect is there",
                id="a file that does not exist",
            ),
            pytest.param(
                "", "which task? Name it as inspect:FILE.py@TASK", id="no file is named"
            ),
        ],
    )
    def test_a_task_that_cannot_be_played_is_refused_with_the_reason(
        self, task: str, refusal: str, folder: Path
    ) -> None:
        """It is refused before a trial begins."""
        run = run_task(folder, task)

        assert run.code == USAGE_ERROR
        assert refusal in run.err


TASK_WITH_TWO_SANDBOXES = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

@task
def mixed():
    samples = [
        Sample(input="Greet.", target="day", id="one"),
        Sample(input="x", id="contained", sandbox="local"),
    ]
    return Task(dataset=samples, scorer=includes())
"""
"""A task whose second sample cannot be played: a local sandbox is not supported."""


@pytest.fixture
def mixed_folder(tmp_path: Path) -> Path:
    """A folder with the task `mixed`, whose sample `contained` cannot be played, and replies."""
    (tmp_path / "mixed.py").write_text(TASK_WITH_TWO_SANDBOXES)
    reply = scripted_reply("mixed.one", answer="Good day.")
    (tmp_path / "replies.toml").write_text(reply)
    return tmp_path


class TestLeftOutSamples:
    """A sample in an unsupported sandbox is left out, unless all must be played.

    The task `mixed` has the sample `one`, and the sample `contained`, whose local
    sandbox is not supported.
    """

    def test_a_sample_in_an_unsupported_sandbox_is_left_out_and_named_in_the_journal(
        self, mixed_folder: Path
    ) -> None:
        """Only the sample `one` is played. The journal says that the other was left out."""
        run = run_task(mixed_folder, "mixed.py@mixed")

        assert list(scores_of(run)) == ["mixed.one"]
        journal = (mixed_folder / run.json["journal"]).read_text()
        assert "mixed.contained" in journal

    def test_a_strict_run_refuses_a_sample_in_an_unsupported_sandbox(
        self, mixed_folder: Path
    ) -> None:
        """`--set strict=yes` is for users who want to play all of a task or nothing."""
        run = run_task(mixed_folder, "mixed.py@mixed", "--set", "strict=yes")

        assert run.code == USAGE_ERROR
        assert "mixed.contained" in run.err


PUBLIC_TASKS = ROOT.parent / "shared/public/inspect_sample.py"
"""Tasks that others wrote, in a folder beside the repository. They have three samples:

- `words.heron`: "What is a heron?" The right answer includes "a grey bird", as `lookup` returns it.
- `words.sum`: "2+2?"
- `choices.bird`: "Which is a bird?" The right answer is B.
"""


class TestPublicTasks:
    """Tasks that others wrote are played, from a folder beside the repository."""

    @pytest.mark.skipif(
        not PUBLIC_TASKS.exists(), reason="the public material is not at hand"
    )
    def test_public_tasks_are_played(self, tmp_path: Path) -> None:
        """Inspect's scorers find that the second reply is wrong, and the others are right."""
        replies = [
            scripted_reply(
                "words.heron",
                code="print(harness.lookup(word='heron').value)",
                answer="It is a grey bird.",
            ),
            scripted_reply("words.sum", answer="5"),  # This is wrong.
            scripted_reply("choices.bird", answer="ANSWER: B"),
        ]
        (tmp_path / "replies.toml").write_text("".join(replies))

        run = run_task(tmp_path, str(PUBLIC_TASKS))

        assert scores_of(run) == {
            "words.heron": 1.0,
            "words.sum": 0.0,
            "choices.bird": 1.0,
        }
