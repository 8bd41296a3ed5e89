"""How much memory and work it takes to read journals, measured in a process of its own.

    measured_readings([folder / "deep_list.jsonl"])

reads the journal in two ways, and returns

    [
        Reading("show", "deep_list.jsonl", 4.5, 1200),
        Reading("read_every_event", "deep_list.jsonl", 6.0, 3400),
    ]
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.command import ROOT

PROGRAM = "tests.controlplane.journal.foreign.costly.measured_reading"
"""Prints a line for each reading: `measured show deep_list.jsonl 4.5 1200`."""


class Reading(NamedTuple):
    """What it took to read a journal in one way."""

    way: str
    """`show` reads only what the command `show` prints, `read_every_event` the whole journal."""
    journal_name: str
    growth_mib: float
    """By how much the memory of the process has grown."""
    executed_lines: int
    """How many lines of Python were executed to read the journal."""


def measured_readings(journals: list[Path]) -> list[Reading]:
    """Read each journal in both ways, so that there are two readings of each."""
    finished = subprocess.run(
        [sys.executable, "-m", PROGRAM, *journals],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2_000:]
    readings: list[Reading] = []
    for line in finished.stdout.splitlines():
        if line.startswith("measured "):
            _, way, name, growth_mib, executed_lines = line.split()
            readings.append(Reading(way, name, float(growth_mib), int(executed_lines)))
    return readings
