"""Fuzzer targets: the commands that read the journal of a run, on journals that were damaged.

A journal is a file with a JSON object a line, such as `{"type": "run_opened", ...}`. Users send
each other journals. Showing, replaying or exporting one must not fail with anything but an error
that is meant for users.
"""

import contextlib
import copy
import io
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from controlplane.command_line import cli
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import open_journal
from tests.fuzz import generators
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.target import Target
from tests.support.command import ROOT
from tests.support.scored_journal import chained_lines

UNEXPECTED_VALUES: list[Any] = [
    # Other types than expected
    None,
    True,
    [],
    {},
    [[]],
    [{}],
    {"": None},
    [0],
    [0, 0],
    ["a"],
    # Numbers at and beyond the limits of floats, timestamps and 64 bits
    0,
    -1,
    2**53,
    10**15,
    -(10**15),
    10**40,
    0.5,
    1e308,
    -0.0,
    # Texts: empty, long, with half of a surrogate pair, with control characters or markup
    "",
    "a" * 500,
    "\ud800",
    "\u202e\x1b[2J",
    "<b>&",
    # Texts with a meaning: a reference to another line, a wrong date, an outcome, a path
    "@text:",
    "1970-13-45T99:99",
    "OUTCOME_OK",
    "/proc",
]
"""What a damaged journal may have in place of any value."""

KeyPath = tuple[Any, ...]
"""The keys that lead to a value: ("usage", "costs", 0) is `event["usage"]["costs"][0]`."""


def _key_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Return the paths of a value and of all values inside it; `path` is that of the value.

    For `{"a": [5]}` these are `()`, `("a",)` and `("a", 0)`.
    """
    items: Sequence[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    paths = [path]
    for key, inner_value in items:
        paths += _key_paths(inner_value, (*path, key))
    return paths


def damage(rng: Random, events: list[Any]) -> None:
    """Change a journal in place: repeat or remove an event, or remove or replace a value of one.

    An *event* is the JSON object of one line.
    """
    position = rng.randrange(len(events))
    event = events[position]
    kind = generators.chosen_kind(
        rng,
        {"repeat event": 8, "remove event": 8, "remove value": 6, "replace value": 78},
    )
    if kind == "repeat event":
        events.insert(rng.randrange(len(events) + 1), copy.deepcopy(event))
        return
    if kind == "remove event":
        del events[position]
        return

    _path_of_event, *paths_of_values = _key_paths(event)
    # The value at ("usage", "costs", 0) is an item of the container at ("usage", "costs").
    *keys_of_container, last_key = rng.choice(paths_of_values)
    container = event
    for key in keys_of_container:
        container = container[key]
    if kind == "remove value":
        del container[last_key]
        return
    replacements = [*UNEXPECTED_VALUES, generators.data(rng), generators.text(rng)]
    container[last_key] = copy.deepcopy(rng.choice(replacements))


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
            damage(rng, events)
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
