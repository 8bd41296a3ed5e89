"""A program that reads journals of strangers, and prints what each reading took.

    python -m tests.controlplane.journal.foreign.costly.measured_reading deep_list.jsonl ...
    measured show deep_list.jsonl 4.5 1200
    measured read_every_event deep_list.jsonl 6.0 3400

A journal of a megabyte may be made so that a reading takes gigabytes. So the program prints
by how many MiB the memory grew, and how many lines of Python were executed.
"""

import contextlib
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from controlplane.errors import ControlPlaneError
from controlplane.facts.run_facts import run_details
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.view.result_json import print_result
from tests.support.executed_work import executed_lines
from tests.support.product_files import ROOT


def show(path: Path) -> None:
    """Read what the command `show` prints, or refuse the journal."""
    with (
        contextlib.suppress(ControlPlaneError),
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
    ):
        print_result(run_details(glance_at(path), path))


def read_every_event(path: Path) -> None:
    """Read a journal, trial by trial, or refuse it with a short message."""
    try:
        with open_journal(path) as journal:
            for trial in journal.trials.values():
                assert trial.record is not None  # This reads the trial.
                for _ in trial.events():
                    pass
    except ControlPlaneError as error:
        if len(str(error)) >= 1_000:
            raise


def measure(read: Callable[[Path], None], path: Path) -> None:
    """Read a journal, and print by how much the peak of memory grew, and what was executed."""
    peak_before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = executed_lines(lambda: read(path))
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        "measured", read.__name__, path.name, (peak_kb - peak_before_kb) / 1024, lines
    )


def measure_in_a_child(read: Callable[[Path], None], path: Path) -> None:
    """Measure in a process of its own, since the peak of a process's memory never falls."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        measure(read, path)
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
