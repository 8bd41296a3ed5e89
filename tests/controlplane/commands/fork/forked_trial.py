"""The trial of a fork, from its journal."""

from pathlib import Path

from controlplane import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import CommandResult


def only_trial(forked: CommandResult) -> RecordedTrial:
    """Return the trial of a fork that was called with `--json`, which names the journal."""
    (trial,) = open_journal(Path(forked.json["journal"])).trials.values()
    return trial
