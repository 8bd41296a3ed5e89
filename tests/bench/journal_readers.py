"""Measures the memory and time that commands take to read journals of 25, 50 and 100 MB.

    python tests/bench/journal_readers.py [--megabytes 25 50 100] [--trial-megabytes 4]

A *journal* is the file with all events of a run, a JSON object a line. The commands, such as
`show` and `export`, must need no more memory for a long journal than for three of its trials, and
no more CPU for a megabyte.
"""

# Each command runs in a process of its own. Its memory for a journal of one small trial is mostly
# imported modules, so the bench prints how much more than that ("beyond") it takes for a long one.

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.journals.reader_table import MEGABYTE, print_measurements, record_trial
from tests.bench.repeated_journal import write_journal

ALLOWED_TRIALS = 3
"""How many times its largest trial a command may take in memory."""

COMMANDS = (
    "show {journal}",
    "show {journal} --json",
    "runs --runs-dir {folder}",
    "replay {journal}",
    "replay {journal} --trial {trial}",
    "judge {journal}",
    "compare {journal} {journal}",
    "report {journal} -o {folder}/report.html",
    "export {journal} --to {folder}/trials.csv",
    "export {journal} --to {folder}/calls.csv",
    "export {journal} --to {folder}/spans-otel.jsonl",
)
"""The commands that read a journal; {trial} is the id of its first trial."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[25, 50, 100])
    parser.add_argument("--trial-megabytes", type=float, default=4)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        small_journal = folder / "small" / "small.jsonl"
        write_journal(small_journal, record_trial(folder, megabytes=0), trials=1)
        recorded = record_trial(folder, options.trial_megabytes)
        trial_bytes = recorded.stat().st_size

        journals = []
        for megabytes in options.megabytes:
            journal = folder / f"{megabytes:g}" / "run.jsonl"
            trials = int(megabytes * MEGABYTE / trial_bytes)
            write_journal(journal, recorded, trials)
            journals.append(journal)

        allowed_mb = ALLOWED_TRIALS * trial_bytes / MEGABYTE
        print(
            f"a trial has {trial_bytes / MEGABYTE:.1f} MB; allowed: {allowed_mb:.0f} MB beyond"
        )
        for command in COMMANDS:
            print_measurements(
                command,
                small_journal=small_journal,
                journals=journals,
                allowed_mb=allowed_mb,
            )


if __name__ == "__main__":
    main()
