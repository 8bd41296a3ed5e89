"""Fuzzer targets: the commands that read the journal of a run, on journals that were damaged.

A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`. Users send
each other journals. Showing, replaying or exporting one must not fail with anything but an error
that is meant for users.
"""

import contextlib
import io
import json
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from controlplane.command_line import cli
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import open_journal
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs.damaged_journal import damage_one_place
from tests.fuzz.target import Target
from tests.support.command import ROOT
from tests.support.journals.chained_lines import chained_lines


class Journals(Target):
    """Reads a damaged journal, and runs a command that shows, replays or compares it.

    Both may only fail with an error for users, which is ignored. Any other exception escapes, and
    is a failure of the input.
    """

    # {journal} is the damaged journal, {folder} its folder, {trial} the id of one of its trials,
    # and {sample} the undamaged journal.
    commands: tuple[str, ...] = (
        "show {journal}",
        "show {journal} --json",
        "show {journal} --follow",
        "show {journal} --follow --json",
        "replay {journal} --trial {trial}",
        "replay {journal} --trial {trial} --json",
        "compare {journal} {sample} --json",
        "runs --runs-dir {folder} --json",
    )

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._folder = Path(self._resources.enter_context(TemporaryDirectory()))
        self._sample = ROOT / "runs/sample.jsonl"
        self._sample_lines = self._sample.read_bytes().splitlines()

    def play_one(self, rng: Random) -> None:
        """Damage the sample journal, read it, and run one of the commands on it."""
        journal = self._write_damaged_journal(rng)

        trial_ids = self.meter.call("read", lambda: self._read_trials(journal))

        command = rng.choice(self.commands)
        trial_id = "no-such-trial"
        if trial_ids:
            trial_id = trial_ids[0]
        words: list[str] = []
        for word in command.split():
            words.append(
                word.format(
                    journal=journal,
                    folder=self._folder,
                    trial=trial_id,
                    sample=self._sample,
                )
            )
        self.meter.call(command, lambda: self._run(words))

    def _write_damaged_journal(self, rng: Random) -> Path:
        """Write the sample journal with damage at up to 5 places, mostly at one."""
        events = [json.loads(line) for line in self._sample_lines]
        damage_count = rng.choice([1, 1, 1, 2, 5])
        for _ in range(damage_count):
            damage_one_place(rng, events)
        journal = self._folder / "damaged.jsonl"
        # Each line of a journal has a hash of the line before it. These are computed anew:
        # a reader would refuse the journal at once if they were wrong.
        journal.write_bytes(chained_lines(events))
        return journal

    def _read_trials(self, path: Path) -> list[str]:
        """Read all steps of a journal, and return the ids of its trials; none if it is refused."""
        trial_ids: list[str] = []
        with suppress(ControlPlaneError), open_journal(path) as journal:
            trial_ids = list(journal.trials)
            for trial in journal.trials.values():
                for _ in trial.steps:  # reads each step
                    pass
        return trial_ids

    def _run(self, words: list[str]) -> None:
        """Run `controlplane` with these words, whose output and errors for users are ignored."""
        with (
            suppress(ControlPlaneError, SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            cli.main(words, "controlplane", standalone_mode=False)


class Reports(Journals):
    """Writes an HTML page about a damaged journal."""

    commands = ("report {journal} -o {folder}/out.html",)


class Exports(Journals):
    """Writes a damaged journal as a table, or as OpenTelemetry traces."""

    commands = (
        "export {journal} --to {folder}/out.trials.csv",
        "export {journal} --to {folder}/out.otel.jsonl",
    )
