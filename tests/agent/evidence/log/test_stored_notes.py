"""Notes that a script stores on a server, and gets back in a list with notes of others.

`notes.keep(note)` stores "the vault opens at noon". Then `notes.kept()` returns "1 note: the vault
opens at noon. The archive opens at seven." The second sentence was there before, so an answer may
cite it and quote it. The first one is the script's own.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.log.citing.citations import CitedPlace
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
)
from tests.agent.evidence.log.citing_trial import CitingTrial

KEEP_NOTE = Operation(
    name="notes.keep",
    parameters=(Parameter("note", "any"),),
    fields=(ResultField("text"),),
    summary="keeps a note",
    effect=Effect.ACTS,
    subject="",
)
KEPT_NOTES = Operation(
    name="notes.kept",
    parameters=(),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="the notes",
    effect=Effect.RETURNS,
    subject="",
)


class NotesTrial(CitingTrial):
    """A trial that stores a note on the server, and gets all notes back."""

    def __init__(self, note: Plain) -> None:
        super().__init__(ToolSchema(operations=(KEEP_NOTE, KEPT_NOTES)))
        self.call("notes.keep", {"note": note}, {"text": "kept"})
        self._list_count = 0

    def list_notes(self, text: str) -> str:
        """Call `notes.kept`, which returns this text. Return the path by which it can be cited.

        Notes are not in a file, so each result has a path of its own.
        """
        self._list_count += 1
        path = f"/mcp/notes/calls/kept/{self._list_count}"
        self.call("notes.kept", {}, {"call_path": path, "text": text})
        return path

    def text_at(self, path: str) -> SeenText:
        """Return the text that the trial has seen at a path."""
        (text,) = self.calls.access_to(path).seen
        return text


for_each_form_of_a_note = pytest.mark.parametrize(
    "note",
    [
        pytest.param("the vault opens at noon", id="text"),
        pytest.param(["the vault opens at noon"], id="in a list"),
        pytest.param({"lines": ["the vault opens at noon"]}, id="in a mapping"),
        pytest.param({"the vault opens at noon": True}, id="key of a mapping"),
    ],
)


class TestReasons:
    """A list of notes can be cited for what others wrote, and not for the script's own note.

    The note, in one of four forms, says "the vault opens at noon". "The archive opens at seven."
    was there before. `trial.list_notes(text)` lists them, and returns the path by which the list is
    cited.
    """

    @for_each_form_of_a_note
    def test_a_stored_note_is_not_a_reason(self, note: Plain) -> None:
        trial = NotesTrial(note)
        path = trial.list_notes(
            "1 note: the vault opens at noon. The archive opens at seven."
        )

        assert not trial.has_shown(path, reason="the vault opens at noon")

    @for_each_form_of_a_note
    def test_a_note_that_was_there_before_is_a_reason(self, note: Plain) -> None:
        trial = NotesTrial(note)
        path = trial.list_notes(
            "1 note: the vault opens at noon. The archive opens at seven."
        )

        assert trial.has_shown(path, reason="it opens at seven")


class TestProofs:
    """A list of notes is a proof if it has something that is not the script's own.

    The script has stored the note "the vault opens at noon", in one of four forms.
    """

    @for_each_form_of_a_note
    def test_a_list_with_a_note_that_was_there_before_is_a_proof(
        self, note: Plain
    ) -> None:
        trial = NotesTrial(note)
        path = trial.list_notes(
            "1 note: the vault opens at noon. The archive opens at seven."
        )

        assert trial.text_at(path).is_proof

    @for_each_form_of_a_note
    def test_a_list_of_stored_notes_alone_is_not_a_proof(self, note: Plain) -> None:
        """It has the stored words in capitals. An earlier list had another note, too."""
        trial = NotesTrial(note)
        trial.list_notes("1 note: the vault opens at noon. The archive opens at seven.")
        path = trial.list_notes("- The Vault Opens At Noon.")

        assert not trial.text_at(path).is_proof


class TestQuotations:
    """A quotation from a list of notes must be of a note that others wrote.

    A citation may quote a result, word by word. The script has stored the note "the vault opens at
    noon", in one of four forms. "The archive opens at seven." was there before.
    """

    @for_each_form_of_a_note
    def test_a_stored_note_cannot_be_quoted(self, note: Plain) -> None:
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

    @for_each_form_of_a_note
    def test_a_stored_note_cannot_be_quoted_with_a_word_before_it(
        self, note: Plain
    ) -> None:
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

    @for_each_form_of_a_note
    def test_a_note_that_was_there_before_can_be_quoted(self, note: Plain) -> None:
        """It stands behind the script's own words, in the same line of the result."""
        trial = NotesTrial(note)
        path = trial.list_notes(
            "1 note: the vault opens at noon. The archive opens at seven."
        )

        cited_place = trial.calls.cite(
            path, reason="it opens at seven", quotation="the archive opens at seven"
        )

        assert cited_place == CitedPlace(path, line=1)
