"""An edit of any byte of a journal is found: the journal is damaged, or not the user's own any more.

A journal is a file of JSON lines, one for each event of a run. Each line has the hash of the line
before it. At the end of a line may be a *mark*, a signature that only this user can make.
"""

from pathlib import Path

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.tried_positions import tried_positions
from tests.support.journals.read_events import read_events
from tests.support.journals.sample_events import TWO_TRIALS_EVENTS, write_journal


def test_an_edit_of_any_byte_is_found(tmp_path: Path, heavy: bool) -> None:
    """One byte is changed: some in turn, in the heavy form every one."""
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    journal_bytes = path.read_bytes()
    # The last byte is left out: without its line feed, a journal is right, too.
    edited_positions = tried_positions(journal_bytes[:-1], heavy)
    edited_path = tmp_path / "edited.jsonl"

    for position in edited_positions:
        edited_bytes = bytearray(journal_bytes)
        edited_bytes[position] ^= 1
        edited_path.write_bytes(edited_bytes)

        try:
            with open_journal(edited_path) as journal:
                is_own = journal.is_own
            events = list(read_events(edited_path))
        except (JournalDamaged, NotAJournal):
            continue

        # The byte was in a mark. So the events are the same, but the journal is not the user's.
        assert not is_own, position
        assert events == TWO_TRIALS_EVENTS, position
