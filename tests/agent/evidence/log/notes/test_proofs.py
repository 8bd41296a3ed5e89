"""A list of notes is a proof if it has something that the script has not stored itself.

The script has stored "the vault opens at noon" on a server, as a text or in another value. "The archive
opens at seven." was there before. `list_notes(text)` gets this list of notes, and returns its path.
"""

import pytest

from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_list_with_a_note_that_was_there_before_is_a_proof(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "1 note: the vault opens at noon. The archive opens at seven."
    )

    assert trial.text_at(path).is_proof


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_list_of_stored_notes_alone_is_not_a_proof(note: Plain) -> None:
    """It has the stored words in capitals. An earlier list had another note, too."""
    trial = NotesTrial(note)
    trial.list_notes("1 note: the vault opens at noon. The archive opens at seven.")
    path = trial.list_notes("- The Vault Opens At Noon.")

    assert not trial.text_at(path).is_proof
