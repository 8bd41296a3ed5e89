"""A list of notes can be cited for what others wrote, and not for the note that the script stored.

The script has stored "the vault opens at noon" on a server, as a text or in another value. "The archive
opens at seven." was there before. `list_notes(text)` gets this list of notes, and returns the path by
which it is cited.
"""

import pytest

from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_stored_note_is_not_a_reason(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "1 note: the vault opens at noon. The archive opens at seven."
    )

    assert not trial.has_shown(path, reason="the vault opens at noon")


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_note_that_was_there_before_is_a_reason(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "1 note: the vault opens at noon. The archive opens at seven."
    )

    assert trial.has_shown(path, reason="it opens at seven")
