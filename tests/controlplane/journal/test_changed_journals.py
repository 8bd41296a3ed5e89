"""Journals in which something was changed, or that have another version.

A journal is a file of JSON lines, one for each event of a run. Each line has the hash of the line
before it (a chain), so that a change is found: `... is damaged at line 6`.
"""

import json
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION
from tests.support.command import ROOT, run_in_process
from tests.support.journals.chained_lines import chained_lines
from tests.support.journals.read_events import read_events
from tests.support.journals.sample_events import TWO_TRIALS_EVENTS, write_journal


def test_an_edit_of_any_byte_is_found(tmp_path: Path, heavy: bool) -> None:
    """One byte is changed: every seventh in turn, in the heavy form every one. The journal is then
    refused, or the byte was in a mark, a user's signature at the end of a line: the events are as
    they were, but the journal is not this user's own any more."""
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    journal_bytes = path.read_bytes()
    last_line_feed = len(journal_bytes) - 1  # It may be missing, as after a kill.
    edited_path = tmp_path / "edited.jsonl"

    for position in range(0, last_line_feed, 1 if heavy else 7):
        edited_bytes = bytearray(journal_bytes)
        edited_bytes[position] ^= 1
        edited_path.write_bytes(edited_bytes)
        try:
            with open_journal(edited_path) as journal:
                is_own = journal.is_own
            events = list(read_events(edited_path))
        except (JournalDamaged, NotAJournal):
            continue  # The edit was found.
        # The edit was in a mark.
        assert not is_own, position
        assert events == TWO_TRIALS_EVENTS, position


def test_a_changed_text_with_a_new_chain_of_hashes_is_found(tmp_path: Path) -> None:
    """Anybody can write a chain of hashes. A long text is stored in a line of its own, under the
    hash of the text, which other lines refer to; this hash does not fit any more."""
    sample_journal = ROOT / "runs/sample.jsonl"
    events = [json.loads(line) for line in sample_journal.read_bytes().splitlines()]
    for event in events:
        if event["type"] == "text":
            event["text"] += " and more"
    forged_path = tmp_path / "forged.jsonl"
    forged_path.write_bytes(chained_lines(events))

    with pytest.raises(JournalDamaged, match="does not match its key"):
        open_journal(forged_path)


def test_a_journal_of_an_older_version_is_refused_with_its_version(
    tmp_path: Path,
) -> None:
    """There is one version of journals. An older one is not guessed at."""
    older_version = SCHEMA_VERSION - 1
    first_event = next(Journal(ROOT / "runs/sample.jsonl").read_on())
    older_event = first_event.model_copy(update={"schema_version": older_version})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older_event)

    shown = run_in_process("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == NotAJournal.exit_code
    assert f"schema version {older_version}" in shown.err
