"""Fuzzer targets: the commands that read the journal of a run, on journals that were damaged.

A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`. Users send
each other journals. Showing, replaying or exporting one must not fail with anything but an error
that is meant for users.
"""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.damaged_journals import (
    SAMPLE,
    read_trials,
    run_command,
    write_damaged_journal,
)
from tests.fuzz.target import Target


class Journals(Target):
    """Reads a damaged journal, and runs a command that shows, replays or compares it.

    Any exception but an error for users escapes, and is a failure of the input.
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

    def play_one(self, rng: Random) -> None:
        """Damage the sample journal, read it, and run one of the commands on it."""
        journal = self._folder / "damaged.jsonl"
        write_damaged_journal(rng, journal)

        trial_ids = self.meter.call("read", lambda: read_trials(journal))

        command = rng.choice(self.commands)
        values = {
            "journal": journal,
            "folder": self._folder,
            "trial": trial_ids[0] if trial_ids else "no-such-trial",
            "sample": SAMPLE,
        }
        words = [word.format(**values) for word in command.split()]
        self.meter.call(command, lambda: run_command(words))


class Reports(Journals):
    """Writes an HTML page about a damaged journal."""

    commands = ("report {journal} -o {folder}/out.html",)


class Exports(Journals):
    """Writes a damaged journal as a table, or as OpenTelemetry traces."""

    commands = (
        "export {journal} --to {folder}/out.trials.csv",
        "export {journal} --to {folder}/out.otel.jsonl",
    )
