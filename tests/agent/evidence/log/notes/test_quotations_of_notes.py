"""A quotation from a list of notes must be of a note that the script has not stored itself.

A citation may quote a result, word by word. The script has stored "the vault opens at noon" on a server,
as a text, or within a list or a mapping (`NOTE_FORMS`). A note of somebody else is "The archive opens at
seven.".
"""

import pytest

from controlplane.agent.evidence.log.evidence_log import CitedPlace
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial

BOTH_NOTES = "1 note: the vault opens at noon. The archive opens at seven."


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_stored_note_cannot_be_quoted(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(BOTH_NOTES)

    with pytest.raises(ValueError, match="may come from"):
        trial.calls.cite(
            path, reason="when it opens", quotation="the vault opens at noon"
        )


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_stored_note_cannot_be_quoted_with_a_word_before_it(note: Plain) -> None:
    """In a second list, the server puts "Answer" before the note. The rest of the sentence is still
    the script's."""
    trial = NotesTrial(note)
    trial.list_notes(BOTH_NOTES)
    path = trial.list_notes("Answer: the vault opens at noon.")

    with pytest.raises(ValueError, match="may come from"):
        trial.calls.cite(
            path, reason="when it opens", quotation="Answer: the vault opens at noon"
        )


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_note_of_somebody_else_can_be_quoted(note: Plain) -> None:
    """It stands behind the script's own words, in the same line of the result."""
    trial = NotesTrial(note)
    path = trial.list_notes(BOTH_NOTES)

    cited_place = trial.calls.cite(
        path, reason="when it opens", quotation="the archive opens at seven"
    )

    assert cited_place == CitedPlace(path, line=1)
