"""Memory and time that a command takes to read a journal, in a process of its own.

`measure("show {journal}", path)` is, for example,
`Measurement(exit_code=0, peak_mb=64.2, cpu_s=0.9)`. A *journal* is the file with all events of a run.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import controlplane

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one command took for one journal."""

    exit_code: int
    peak_mb: float
    cpu_s: float


def measure(command: str, journal: Path) -> Measurement:
    """Run one command for a journal in a process of its own."""
    trial_id = controlplane.open_run(journal).trials[0].trial_id
    places = {"journal": journal, "folder": journal.parent, "trial": trial_id}
    words = [word.format(**places) for word in command.split()]
    report_file = journal.parent / "measured.json"
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.bench.reported_command",
            str(report_file),
            *words,
        ],
        cwd=journal.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if process.returncode:
        print(process.stderr[-300:])
    report = json.loads(report_file.read_text("utf-8"))
    return Measurement(
        exit_code=process.returncode,
        peak_mb=report["peak_kb"] / 1024,
        cpu_s=report["cpu_s"],
    )
