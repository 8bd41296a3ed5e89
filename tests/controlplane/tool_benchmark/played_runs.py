"""What tests look at in a run that `controlplane.run(tasks)` has played."""

import controlplane
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import run_in_process


def only_trial(run: controlplane.RunReport) -> RecordedTrial:
    """Return the one trial in the journal of a run."""
    (trial,) = open_journal(run.journal).trials.values()
    return trial


def check_replay_agrees(run: controlplane.RunReport) -> None:
    """Assert that running the scripts again gives what the journal of the run has."""
    replayed = run_in_process(
        "replay", str(run.journal), "--verify", cwd=run.journal.parent
    )
    assert replayed.code == 0, replayed.out + replayed.err
