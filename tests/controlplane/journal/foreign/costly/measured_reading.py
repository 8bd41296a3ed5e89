"""A program that reads journals, and prints what each reading took.

    python -m tests.controlplane.journal.foreign.costly.measured_reading deep_list.jsonl ...

It reads each journal in two ways: only what `show` prints, and every event. For each reading, it
prints the way, the journal, the memory that this took in MiB, and how many lines of Python it
executed:

    measured show deep_list.jsonl 4.5 1200
"""

import contextlib
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.view.results.result_json import print_result
from tests.support.command import ROOT
from tests.support.executed_work import executed_lines


def show(path: Path) -> None:
    try:
        with (
            Path(os.devnull).open("w") as nowhere,
            contextlib.redirect_stdout(nowhere),
        ):
            print_result(glance_at(path), path)
    except ControlPlaneError:
        pass


def read_every_event(path: Path) -> None:
    """Read a journal, trial by trial. A refusal has a short message."""
    try:
        with open_journal(path) as journal:
            for trial in journal.trials.values():
                assert trial.record is not None
                for _ in trial.events():
                    pass
    except ControlPlaneError as error:
        if len(str(error)) >= 1_000:
            raise
        print(type(error).__name__)


def measure(action: Callable[[Path], None], path: Path) -> None:
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = executed_lines(lambda: action(path))
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    print("measured", action.__name__, path.name, grown_kb / 1024, lines)


def measure_in_a_child(action: Callable[[Path], None], path: Path) -> None:
    """Measure in a process of its own, since the peak of a process's memory never falls."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        measure(action, path)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, path


if __name__ == "__main__":
    # The first readings import modules, which takes memory.
    show(ROOT / "runs/sample.jsonl")
    read_every_event(ROOT / "runs/sample.jsonl")
    for path in sys.argv[1:]:
        measure_in_a_child(show, Path(path))
        measure_in_a_child(read_every_event, Path(path))
