"""A journal of an older version is refused, and the message names the version.

The first event of a journal has the version of its form, `schema_version`. The product reads its
present version only.
"""

from pathlib import Path

from controlplane.errors import NotAJournal
from controlplane.journal.journal_reader import Journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION
from tests.support.command import ROOT, run_in_process


def test_a_journal_of_an_older_version_is_refused_with_its_version(
    tmp_path: Path,
) -> None:
    older_version = SCHEMA_VERSION - 1
    first_event, *_ = Journal(ROOT / "runs/sample.jsonl").read_on()
    older_event = first_event.model_copy(update={"schema_version": older_version})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older_event)

    shown = run_in_process("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == NotAJournal.exit_code
    assert f"schema version {older_version}" in shown.err
