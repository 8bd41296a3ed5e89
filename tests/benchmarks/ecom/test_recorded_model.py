"""The recorded model, which repeats the replies that a model once gave to tasks of the shop.

`controlplane run ecom --model recorded` shows a newcomer runs with real answers, without a model
and at no cost. The recording is a file with the replies and the score of each task:

    [scores]
    "stock-count.1" = 1.0

    [[reply]]
    task = "stock-count.1"
    code = '''harness.tools.stock_at(...)'''
"""

from collections import Counter

import pytest

import controlplane
from controlplane.agent.model import ScriptedModel
from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane.benchmarks.ecom.record import record
from controlplane.errors import UsageError
from tests.support.command import run_in_process

RECORDED = ScriptedModel.from_file(RECORDING)
"""The model that repeats the recording: `RECORDED.scores` is `{"stock-count.1": 1.0, ...}`."""


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory):
    """A run of all recorded tasks with the recorded replies."""
    return controlplane.run(
        "ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs"))
    )


class TestRecording:
    """The recording shows a newcomer right answers of many kinds, and two failures."""

    def test_the_recorded_replies_get_the_recorded_scores(self, recorded_run):
        """`--model recorded` repeats what a model once replied, so it must score the same."""
        scores = {trial.task_id: trial.score for trial in recorded_run.trials}

        assert scores == RECORDED.scores
        for trial in recorded_run.trials:
            assert trial.state == "answered"

    def test_the_recording_solves_tasks_of_many_families_and_fails_two(self):
        """It shows a newcomer right answers of many kinds, and what a failure looks like.

        The task `stock-count.1` is of the family `stock-count`.
        """
        families = {task_id.rpartition(".")[0] for task_id in RECORDED.scores}
        tasks_by_score = Counter(RECORDED.scores.values())

        assert len(families) >= 16
        assert set(tasks_by_score) == {0.0, 1.0}
        assert tasks_by_score[0.0] == 2


class TestChecksOfRecording:
    """The recording shows what the two checks do: gates look at answers, the pre-call check at calls.

    - stock-count.1: a gate sends the first answer back, and the second is right.
    - discount-limit.1: the pre-call check holds a discount before it is given. The model then does
      without it, which is right.
    """

    def test_without_gates_and_pre_call_check_two_tasks_fail(self, tmp_path):
        """With both checks, the same replies get the full score: it is recorded."""
        tasks = ("stock-count.1", "discount-limit.1")

        run_without_gates = controlplane.run(
            "ecom", *tasks, model="recorded", gates="none", runs_dir=str(tmp_path)
        )

        scores = {trial.task_id: trial.score for trial in run_without_gates.trials}
        for task in tasks:
            assert RECORDED.scores[task] == 1
            assert scores[task] == 0

    def test_replay_of_a_step_shows_the_held_call_and_its_end(
        self, recorded_run, tmp_path
    ):
        """`replay` plays a run again from its journal. A step is one script of the model."""
        replay = run_in_process(
            "replay",
            str(recorded_run.journal),
            "--trial",
            "discount-limit.1",
            "--step",
            "1",
            cwd=tmp_path,
        )

        held_discount_of_8_percent = (
            "held by the pre-call check, then not done: `/bin/discount basket-0829 8"
        )
        assert f"\n{held_discount_of_8_percent}" in replay.out


class TestUnrecordedTasks:
    """What the recording does not have is refused before the run, and no journal is written."""

    def test_a_task_that_was_not_recorded_is_refused_before_the_run(self, tmp_path):
        """No journal is written for a run that cannot begin."""
        with pytest.raises(
            UsageError, match="the recorded model played no 'crosslist'"
        ):
            controlplane.run(
                "ecom", "crosslist", model="recorded", runs_dir=str(tmp_path)
            )

        assert list(tmp_path.iterdir()) == []

    def test_worlds_that_were_not_recorded_are_refused_before_the_run(self, tmp_path):
        """`--worlds 2` plays each task in two worlds; the recording has only one of each."""
        with pytest.raises(UsageError, match="leave out --worlds"):
            controlplane.run("ecom", model="recorded", worlds=2, runs_dir=str(tmp_path))

        assert list(tmp_path.iterdir()) == []


class TestRecordingAgain:
    """`record` reads the journal of a run, and writes its replies and scores into a recording.

    The recording is a file with the replies and the score of each task. The journal is that of a
    run of all recorded tasks.
    """

    def test_a_recording_made_from_a_run_of_itself_is_the_same(
        self, recorded_run, tmp_path, capsys
    ):
        """`record` reads the journal of a run, and writes its replies and scores into a file."""
        recording = tmp_path / "recorded.toml"
        recording.write_bytes(RECORDING.read_bytes())

        record([str(recorded_run.journal), str(recording)], standalone_mode=False)

        assert recording.read_bytes() == RECORDING.read_bytes()
        assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"

    def test_recording_again_prints_what_has_changed(
        self, recorded_run, tmp_path, capsys
    ):
        """The older recording has another score of one task, and another reply to a second."""
        text = RECORDING.read_text()
        text = text.replace('"open-branches.1" = 0.0', '"open-branches.1" = 1.0')
        # Only the reply to the task `calendar-date.1` has the word "tomorrow".
        text = text.replace("tomorrow", "then")
        recording = tmp_path / "recorded.toml"
        recording.write_text(text)

        record([str(recorded_run.journal), str(recording)], standalone_mode=False)

        changed_replies, changed_score, *_ = capsys.readouterr().out.splitlines()
        assert changed_replies == "calendar-date.1: other replies, score 1.0"
        assert changed_score == "open-branches.1: 1.0 -> 0.0"
