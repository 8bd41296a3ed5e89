"""`record` reads the journal of a run, and writes the model's replies and scores into a recording.

The model "recorded" repeats them in later runs. The journal here is that of a run of all recorded
tasks, so that the same recording comes out.
"""

from collections import Counter
from pathlib import Path

import pytest

import controlplane
from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane.benchmarks.ecom.record import record
from controlplane.errors import UsageError
from controlplane.library.run_report import RunReport
from tests.benchmarks.ecom.recorded_model.recording import RECORDED_SCORES

# The recording shows a newcomer right answers of many kinds, and two failures.
#
# `controlplane run ecom --model recorded` plays tasks of the shop with replies that a model once
# gave, without a model and at no cost. The recording is a file with the replies and the scores.


def test_the_recorded_replies_get_the_recorded_scores(recorded_run: RunReport) -> None:
    scores = {trial.task_id: trial.score for trial in recorded_run.trials}

    assert scores == RECORDED_SCORES
    for trial in recorded_run.trials:
        assert trial.state == "answered"


def test_the_recording_solves_tasks_of_many_families_and_fails_two() -> None:
    """The task `stock-count.1` is of the family `stock-count`."""
    families = {task_id.rpartition(".")[0] for task_id in RECORDED_SCORES}
    tasks_by_score = Counter(RECORDED_SCORES.values())

    assert len(families) >= 16
    assert set(tasks_by_score) == {0.0, 1.0}
    assert tasks_by_score[0.0] == 2


# The recorded model refuses what it has no replies for, before the run begins.
#
# `controlplane run ecom --model recorded` repeats what a model once replied to some tasks of the shop,
# each in one generated world. No journal is written for a run that cannot begin.


def test_a_task_that_was_not_recorded_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the recorded model played no 'crosslist'"):
        controlplane.run("ecom", "crosslist", model="recorded", runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_worlds_that_were_not_recorded_are_refused_before_the_run(
    tmp_path: Path,
) -> None:
    """`--worlds 2` plays each task in two worlds; the recording has only one of each."""
    with pytest.raises(UsageError, match="leave out --worlds"):
        controlplane.run("ecom", model="recorded", worlds=2, runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_a_recording_made_from_a_run_of_itself_is_the_same(
    recorded_run: RunReport, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "recorded.toml"
    recording.write_bytes(RECORDING.read_bytes())

    record([str(recorded_run.journal), str(recording)], standalone_mode=False)

    assert recording.read_bytes() == RECORDING.read_bytes()
    assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"


def test_recording_again_prints_what_has_changed(
    recorded_run: RunReport, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
