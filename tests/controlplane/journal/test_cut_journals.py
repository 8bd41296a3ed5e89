"""Journals that break off anywhere, as after a kill or on a full disk.

A journal is a file of JSON lines, and a kill may cut the line that is being written. The reader
returns the complete lines before it, and a run is resumed from them.
"""

import json
import shutil
from pathlib import Path

import pytest

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import Journal, open_journal
from tests.support.command import ROOT, run_in_process
from tests.support.journals.read_events import read_events
from tests.support.journals.sample_events import TWO_TRIALS_EVENTS, write_journal
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


def count_complete_events(journal_bytes: bytes) -> int:
    """Return how many events the complete lines have.

    A line of the type `text` is not an event: it stores a long text of a later line.
    """
    count = 0
    for line in journal_bytes.splitlines(keepends=True):
        if line.endswith(b"\n") and b'"type":"text"' not in line:
            count += 1
    return count


class TestCutJournals:
    """A journal of two trials is cut at every length.

    `TWO_TRIALS_EVENTS` are its events. Every seventh length is tried, in the heavy form each.
    """

    def test_a_journal_cut_anywhere_has_the_events_of_its_complete_lines(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """A kill or a full disk may cut the line that is being written. The journal is then "torn",
        and all lines before the cut are read. Every seventh length is tried, in the heavy form
        each."""
        journal_bytes = write_journal(
            tmp_path / "r.jsonl", TWO_TRIALS_EVENTS
        ).read_bytes()
        end_of_first_line = journal_bytes.index(b"\n") + 1
        cut_path = tmp_path / "cut.jsonl"

        for length in range(end_of_first_line, len(journal_bytes), 1 if heavy else 7):
            kept_bytes = journal_bytes[:length]
            cut_path.write_bytes(kept_bytes)

            events = list(read_events(cut_path))
            with open_journal(cut_path) as journal:
                is_torn = journal.is_torn

            assert len(events) == count_complete_events(kept_bytes)
            assert events == TWO_TRIALS_EVENTS[: len(events)]
            assert is_torn == (not kept_bytes.endswith(b"\n"))

    def test_a_journal_cut_in_its_first_line_is_refused(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """Without one complete line, nothing tells that the file is a journal."""
        journal_bytes = write_journal(
            tmp_path / "r.jsonl", TWO_TRIALS_EVENTS
        ).read_bytes()
        end_of_first_line = journal_bytes.index(b"\n") + 1
        cut_path = tmp_path / "cut.jsonl"

        for length in range(0, end_of_first_line, 1 if heavy else 7):
            cut_path.write_bytes(journal_bytes[:length])

            with pytest.raises(ControlPlaneError):
                list(read_events(cut_path))


@pytest.fixture
def finished_run(tmp_path: Path) -> Path:
    """The journal of a run of three trials, beside the replies of its model."""
    shutil.copy(ROOT / "tests/support/phonebook.toml", tmp_path)
    run = run_in_process(
        "run", *PHONEBOOK_WITH_PLAYER, "--concurrency", "1", cwd=tmp_path
    )
    assert run.code == 0, run.err
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    return path


def check_steps_are_kept(cut: Journal, resumed: Journal) -> None:
    """Assert that the steps of the cut journal are the first steps of the resumed one."""
    for trial_id, trial in cut.trials.items():
        steps = resumed.trials[trial_id].steps
        assert steps[: len(trial.steps)] == trial.steps


class TestResumedRuns:
    """A run of three trials goes on from a journal that breaks off anywhere.

    The run looks up three numbers in a phone book, one trial after the other. The scores of the
    whole run are known, since its model replies from a file.
    """

    def test_a_run_whose_journal_breaks_off_anywhere_is_resumed_to_the_same_end(
        self, finished_run: Path, tmp_path: Path, heavy: bool
    ) -> None:
        """1. The journal is cut: behind every twentieth line in turn, in the heavy form behind each
        line.
        2. The run is resumed from what is left.
        3. It has the scores of the uncut run, and the steps that were left are as they were."""
        expected_scores = open_journal(finished_run).summary.trials.scores
        lines = finished_run.read_bytes().splitlines(keepends=True)
        types = [json.loads(line)["type"] for line in lines]
        first_cut = types.index("run_started") + 1
        # The last two lines, `run_submitted` and `run_closed`, end the run. At least one more is
        # cut.
        last_cut = len(lines) - 3

        for cut in range(first_cut, last_cut + 1, 1 if heavy else 20):
            cut_path = tmp_path / f"cut-{cut}.jsonl"
            cut_path.write_bytes(b"".join(lines[:cut]))
            cut_journal = open_journal(cut_path)

            result = run_in_process("resume", cut_path, "--trust", cwd=tmp_path)
            replay = run_in_process("replay", cut_path, "--verify", cwd=tmp_path)

            assert result.code == 0, result.err
            assert replay.code == 0, replay.err
            resumed_journal = open_journal(cut_path)
            assert resumed_journal.summary.trials.scores == expected_scores, cut
            check_steps_are_kept(cut_journal, resumed_journal)
