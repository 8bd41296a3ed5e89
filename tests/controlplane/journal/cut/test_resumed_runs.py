"""A run goes on from a journal that breaks off anywhere, as after a kill.

A journal is a file of JSON lines, one for each event. The run looks up three numbers in a phone book,
one trial after the other. The scores of the whole run are known, since its model replies from a file.
"""

import json
import shutil
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import open_journal
from tests.support.command import ROOT, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


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


def test_a_run_whose_journal_breaks_off_anywhere_is_resumed_to_the_same_end(
    finished_run: Path, tmp_path: Path, heavy: bool
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
        for trial_id, trial in cut_journal.trials.items():
            steps = resumed_journal.trials[trial_id].steps
            assert steps[: len(trial.steps)] == trial.steps
