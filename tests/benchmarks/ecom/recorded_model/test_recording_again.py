"""`record` reads the journal of a run, and writes the model's replies and scores into a recording.

The model "recorded" repeats them in later runs. The journal here is that of a run of all recorded
tasks, so that the same recording comes out.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane.benchmarks.ecom.record import record
from controlplane.library.run_report import RunReport


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
