"""A trial that stores a note on a server, and gets it back in a list with notes of others.

    trial = NotesTrial("the vault opens at noon")
    path = trial.list_notes("2 notes: the vault opens at noon. The archive opens at seven.")
    trial.has_shown(path, reason="it opens at seven")   # -> True

The script's own note, "the vault opens at noon", is no such reason to cite the list.
"""

import pytest

from controlplane.gates.trial import SeenText
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
        """Return the text that the trial has seen at a path.

        It `is_proof` if not all of it can be what the script has written itself.
        """
        (text,) = self.calls.access_to(path).seen
        return text


NOTE_FORMS = [
    pytest.param("the vault opens at noon", id="text"),
    pytest.param(["the vault opens at noon"], id="in a list"),
    pytest.param({"lines": ["the vault opens at noon"]}, id="in a mapping"),
    pytest.param({"the vault opens at noon": True}, id="key of a mapping"),
]
"""The script's own note "the vault opens at noon", as a text and in other values."""
