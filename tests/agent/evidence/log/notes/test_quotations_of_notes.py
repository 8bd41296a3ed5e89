"""A quotation from a list of notes must be of a note that the script has not stored itself.

A citation may quote a result, word by word. The script has stored "the vault opens at noon" on a server,
as a text or in another value. "The archive opens at seven." was there before.
"""

import pytest

from controlplane.agent.evidence.log.citing.citations import CitedPlace
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.log.notes.notes_trial import NOTE_FORMS, NotesTrial


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_stored_note_cannot_be_quoted(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "1 note: the vault opens at noon. The archive opens at seven."
    )

    with pytest.raises(ValueError, match="may come from"):
        trial.calls.cite(
            path,
            reason="the vault opens at noon",
            quotation="the vault opens at noon",
        )


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_stored_note_cannot_be_quoted_with_a_word_before_it(note: Plain) -> None:
    """The new word "Answer" does not make the rest of the sentence the server's."""
    trial = NotesTrial(note)
    trial.list_notes("1 note: the vault opens at noon. The archive opens at seven.")
    path = trial.list_notes("Answer: the vault opens at noon.")

    with pytest.raises(ValueError, match="may come from"):
        trial.calls.cite(
            path,
            reason="the vault opens at noon",
            quotation="Answer: the vault opens at noon",
        )


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_a_note_that_was_there_before_can_be_quoted(note: Plain) -> None:
    """It stands behind the script's own words, in the same line of the result."""
    trial = NotesTrial(note)
    path = trial.list_notes(
        "1 note: the vault opens at noon. The archive opens at seven."
    )

    cited_place = trial.calls.cite(
        path, reason="it opens at seven", quotation="the archive opens at seven"
    )

    assert cited_place == CitedPlace(path, line=1)
