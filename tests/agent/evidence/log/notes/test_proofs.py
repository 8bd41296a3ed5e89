"""A list of notes proves something (`is_proof`) if not all of it comes from the script itself.

    its own note: "the vault opens at noon"        the script has stored this note on a server
    another note: "The archive opens at seven."    was there before

`list_notes(text)` gets a list from the server, and returns its path. `NOTE_FORMS` are values in which
the script may store its note: as a text, in a list or in a mapping.
"""

import pytest

from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_list_with_its_own_and_another_note_is_a_proof(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "2 notes: the vault opens at noon. The archive opens at seven."
    )

    assert trial.text_at(path).is_proof


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_list_with_its_own_note_alone_is_not_a_proof(note: Plain) -> None:
    """Neither another spelling of the note nor an earlier list with another note makes it one."""
    trial = NotesTrial(note)
    trial.list_notes("2 notes: the vault opens at noon. The archive opens at seven.")
    path = trial.list_notes("- The Vault Opens At Noon.")

    assert not trial.text_at(path).is_proof
