"""Writes a journal as long as a reader is to be measured with, by repeating one recorded trial.

A *journal* is the file with all events of a run, a JSON object a line. The trial's script reads
files and prints them. Its lines are repeated under other ids and with other texts:

    recorded = record_trial(folder, megabytes=4)
    write_journal(folder / "long" / "run.jsonl", recorded, trials=25)   # about 100 MB
"""

import json
from pathlib import Path

from controlplane.journal.journal_lines import GENESIS, line_of
from tests.bench.journals.repeated_events import repeated_events


def write_journal(path: Path, recorded: Path, trials: int) -> None:
    """Write a journal with several copies of a recorded trial.

    Each line ends with its hash and that of the line before it, so these are computed anew.
    """
    path.parent.mkdir()
    previous_hash = GENESIS
    with path.open("wb") as file:
        for event in repeated_events(recorded, trials):
            for chain_field in ("prev", "hash", "mark"):
                event.pop(chain_field, None)
            body = json.dumps(event, separators=(",", ":")).encode()
            line, previous_hash = line_of(body, previous_hash)
            file.write(line)
