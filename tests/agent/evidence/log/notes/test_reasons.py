"""A list of notes can be cited for another's note, and not for the note that the script stored.

    its own note: "the vault opens at noon"        the script has stored this note on a server
    another note: "The archive opens at seven."    was there before

`list_notes(text)` gets a list from the server, and returns the path by which the list is cited.
`NOTE_FORMS` are values in which the script may store its note: as a text, in a list or in a mapping.
"""

import pytest

from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_the_list_cannot_be_cited_for_its_own_note(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "2 notes: the vault opens at noon. The archive opens at seven."
    )

    assert not trial.has_shown(path, reason="the vault opens at noon")


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_the_list_can_be_cited_for_another_note(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "2 notes: the vault opens at noon. The archive opens at seven."
    )

    assert trial.has_shown(path, reason="it opens at seven")
