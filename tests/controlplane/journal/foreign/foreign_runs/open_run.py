"""A stranger's journal of a run that was interrupted in its last trial.

    path = foreign_journal_of_open_run(unmarked, own_journal, folder)

A command that continues the run changes the file. A command that refuses the journal has to leave
the file as it is.
"""

from pathlib import Path

from tests.controlplane.journal.foreign.forgeries import Forge, events_of


def journal_up_to_last_trial(journal: bytes) -> bytes:
    """Return the lines of a journal up to the start of its last trial, which is then open."""
    lines = journal.splitlines(keepends=True)
    types = [event["type"] for event in events_of(journal)]
    starts = [place for place, name in enumerate(types) if name == "trial_started"]
    return b"".join(lines[: starts[-1] + 1])


def foreign_journal_of_open_run(forge: Forge, own_journal: Path, folder: Path) -> Path:
    """Write a foreign journal of a run that was interrupted in its last trial.

    The file ends with half of a line, as after a crash: `{"prev":"09af...","at_ms":`. A command
    that continues the run would first cut the half line off.
    """
    forged = forge(journal_up_to_last_trial(own_journal.read_bytes()))
    last_hash = events_of(forged)[-1]["hash"]
    half_line = f'{{"prev":"{last_hash}","at_ms":'
    path = folder / "foreign.jsonl"
    path.write_bytes(forged + half_line.encode())
    return path
