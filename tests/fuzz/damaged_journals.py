"""Damaged copies of a sample journal, and what reads them, for the fuzzer.

A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`.

    write_damaged_journal(rng, path)
    read_trials(path)                # ["stock-count.1", ...], or [] if it is refused
    run_command(["show", str(path)])
"""

import contextlib
import io
import json
from contextlib import suppress
from pathlib import Path
from random import Random

from controlplane.command_line import cli
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import open_journal
from tests.fuzz.inputs.damaged_journal import damage_one_place
from tests.support.command import ROOT
from tests.support.journals.chained_lines import chained_lines

SAMPLE = ROOT / "runs/sample.jsonl"
"""An undamaged journal."""


def write_damaged_journal(rng: Random, path: Path) -> None:
    """Write the sample journal with damage at up to 5 places, mostly at one."""
    events = [json.loads(line) for line in SAMPLE.read_bytes().splitlines()]
    damage_count = rng.choice([1, 1, 1, 2, 5])
    for _ in range(damage_count):
        damage_one_place(rng, events)
    # Each line of a journal has a hash of the line before it. These are computed anew:
    # a reader would refuse the journal at once if they were wrong.
    path.write_bytes(chained_lines(events))


def read_trials(path: Path) -> list[str]:
    """Read all steps of a journal, and return the ids of its trials; none if it is refused."""
    trial_ids: list[str] = []
    with suppress(ControlPlaneError), open_journal(path) as journal:
        trial_ids = list(journal.trials)
        for trial in journal.trials.values():
            for _ in trial.steps:  # reads each step
                pass
    return trial_ids


def run_command(words: list[str]) -> None:
    """Run `controlplane` with these words, whose output and errors for users are ignored."""
    with (
        suppress(ControlPlaneError, SystemExit),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        cli.main(words, "controlplane", standalone_mode=False)
