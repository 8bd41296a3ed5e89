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
from tests.fuzz.damaged_journal import damage_one_place
from tests.fuzz.target import Target
from tests.support.command import ROOT
from tests.support.scored_journal import chained_lines


class Journals(Target):
    """Reads a damaged journal, and runs a command that shows, replays or compares it.

    The command may only fail with an error for users. In its words, {journal} is the damaged
    journal, {sample} the undamaged one, {trial} a trial in the damaged one, and {folder} the
    folder of the damaged one.
    """

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
        """Damage the sample journal at up to 5 places, read it, and run one of the commands."""
        events = [json.loads(line) for line in self._sample_lines]
        damage_count = rng.choice([1, 1, 1, 2, 5])
        for _ in range(damage_count):
            damage_one_place(rng, events)
        journal = self._folder / "damaged.jsonl"
        # Each line gets the hash of the line before it, so that nothing else seems wrong.
        journal.write_bytes(chained_lines(events))

        trial_ids = self.meter.call("read", lambda: self._read(journal))

        command = rng.choice(self.commands)
        values_by_name = {
            "journal": str(journal),
            "sample": str(self._sample),
            "trial": trial_ids[0] if trial_ids else "t",
            "folder": str(self._folder),
        }
        words = [word.format(**values_by_name) for word in command.split()]
        self.meter.call(command, lambda: self._run(words))

    def _read(self, path: Path) -> list[str]:
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
