"""Prints what a command takes to read journals of several lengths, beyond what it takes for a small one.

    show {journal}: 43 MB for one small trial
        25 MB:    2 MB beyond,  31.0 ms a MB, exit 0

A *journal* is the file with all events of a run. Each command runs in a process of its own.
"""

from pathlib import Path

from tests.bench.journals.reader_costs import measure
from tests.bench.journals.recorded_trial import MEGABYTE


def print_measurements(
    command: str, *, small_journal: Path, journals: list[Path], allowed_mb: float
) -> None:
    """Print what a command takes for each journal beyond what it takes for the small one."""
    small = measure(command, small_journal)
    print(f"{command}: {small.peak_mb:.0f} MB for one small trial")
    for journal in journals:
        measured = measure(command, journal)
        megabytes = journal.stat().st_size / MEGABYTE
        beyond_mb = measured.peak_mb - small.peak_mb
        cpu_ms = (measured.cpu_s - small.cpu_s) * 1000 / megabytes
        verdict = "" if beyond_mb <= allowed_mb else "  TOO MUCH"
        print(
            f"  {megabytes:4.0f} MB: {beyond_mb:4.0f} MB beyond, {cpu_ms:5.1f} ms a MB, "
            f"exit {measured.exit_code}{verdict}",
            flush=True,
        )
