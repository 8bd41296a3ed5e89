"""How much memory and work it takes to read journals, measured in a process of its own.

For example:

    measured_readings([folder / "deep_list.jsonl"])    ->    [Reading("deep_list.jsonl", 4.5, 1200), ...]
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.command import ROOT


class Reading(NamedTuple):
    """What it took to read a journal in one of two ways: for what `show` prints, or whole."""

    name: str
    growth_mib: float
    """By how much the memory of the process has grown."""
    executed_lines: int
    """How many lines of Python were executed."""


def measured_readings(journals: list[Path]) -> list[Reading]:
    """Read each journal in both ways: `[Reading("deep_list.jsonl", 4.5, 1200), ...]`."""
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.controlplane.journal.foreign.costly.measured_reading",
            ROOT / "runs/sample.jsonl",
            *journals,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2_000:]
    readings: list[Reading] = []
    for line in finished.stdout.splitlines():
        # "measured deep_list.jsonl 4.5 1200"
        if line.startswith("measured "):
            _, name, growth_mib, executed_lines = line.split()
            readings.append(Reading(name, float(growth_mib), int(executed_lines)))
    return readings
