"""A stranger's journal of a run that was interrupted in its last trial.

    path = foreign_journal_of_open_run(unmarked, own_journal, folder)

A command that continues the run would change the file, of which a test keeps the bytes.
"""

from pathlib import Path

from tests.controlplane.journal.foreign.forgeries import Forge, events_of


def journal_up_to_last_trial(journal: bytes) -> bytes:
    """Return the lines of a journal up to the start of its last trial, which is then open."""
    before_start, start_of_last_trial, _ = journal.rpartition(b'"type":"trial_started"')
    whole_lines = len(before_start.splitlines())
    assert start_of_last_trial
    return b"".join(journal.splitlines(keepends=True)[:whole_lines])


def foreign_journal_of_open_run(forge: Forge, own_journal: Path, folder: Path) -> Path:
    """Write a foreign journal of a run that was interrupted in its last trial.

    Behind its whole lines stands `{"prev":"09af...","at_ms":`, half of a line, as after a crash. A
    command that continues the run first cuts the half line off. So the file is the same afterwards
    only if the command has left it alone.
    """
    forged = forge(journal_up_to_last_trial(own_journal.read_bytes()))
    last_hash = events_of(forged)[-1]["hash"]
    half_line = f'{{"prev":"{last_hash}","at_ms":'
    path = folder / "foreign.jsonl"
    path.write_bytes(forged + half_line.encode())
    return path
