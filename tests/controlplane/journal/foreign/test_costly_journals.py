"""Journals that a stranger wrote so that reading them takes long, or much memory.

Anybody may send a journal, a file of JSON lines. One of a megabyte is read with little memory and
work, whatever it repeats, or refused in one line: `r.jsonl is damaged at line 4: ...`.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.controlplane.journal.foreign import costly_lines, costly_results
from tests.controlplane.journal.foreign.journal_bytes import MB
from tests.support.command import ROOT

COSTLY_JOURNALS: list[Callable[[], bytes]] = [
    costly_results.deep_list,
    costly_results.deep_list_beside_a_surrogate,
    costly_results.many_empty_objects,
    costly_results.many_objects,
    costly_results.many_numbers,
    costly_results.long_numbers,
    costly_lines.one_text_often_in_a_line,
    costly_lines.one_text_in_many_lines,
    costly_lines.one_call_often_in_a_step,
    costly_lines.many_short_lines,
    costly_lines.many_trials,
    costly_lines.long_trial_id,
    costly_lines.many_steps,
    costly_lines.line_without_end,
]
"""Functions that return the bytes of a journal each."""


def write_costly_journals(folder: Path) -> list[Path]:
    """Write the journals into files named after their functions: `deep_list.jsonl`."""
    paths: list[Path] = []
    for content in COSTLY_JOURNALS:
        path = folder / f"{content.__name__}.jsonl"
        path.write_bytes(content())
        assert path.stat().st_size < 1.1 * MB
        paths.append(path)
    return paths


MAX_GROWTH_MIB = 64
MAX_LINES = 50_000_000
"""What reading one of the journals may cost. An honest one of a megabyte costs far less."""


@pytest.mark.second_tier
def test_a_megabyte_of_any_content_takes_little_memory_and_work(tmp_path: Path) -> None:
    """The program `measured_reading` reads each journal in two ways, only for what `show` prints
    and whole, and prints a line for each reading: `measured deep_list.jsonl 4.5 1200`.

    The numbers are the memory in MiB and the executed lines of Python.
    """
    program = "tests.controlplane.journal.foreign.measured_reading"
    sample = ROOT / "runs/sample.jsonl"
    paths = write_costly_journals(tmp_path)

    finished = subprocess.run(
        [sys.executable, "-m", program, sample, *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert finished.returncode == 0, finished.stderr[-2_000:]
    measurements: list[str] = []
    for line in finished.stdout.splitlines():
        if line.startswith("measured "):
            measurements.append(line)
    readings_of_a_journal = 2
    assert len(measurements) == readings_of_a_journal * len(COSTLY_JOURNALS)
    for measurement in measurements:
        _, name, growth_mib, executed_lines = measurement.split()
        assert float(growth_mib) <= MAX_GROWTH_MIB, name
        assert int(executed_lines) <= MAX_LINES, name
