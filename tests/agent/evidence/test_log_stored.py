"""What the evidence log keeps of the texts that a trial has read, and for what they may be cited.

A file is evidence of what the environment has shown of it. Texts that the script has written,
stored, passed on or moved prove nothing where they are read again, unless they were shown before.
A file that was not shown, a folder, and the output of a failed call cannot be cited. Long texts
are kept in part.
"""

import pytest

from controlplane.agent.evidence.citations import CitedPlace
from controlplane.gates.trial import SeenText
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
)
from tests.agent.evidence.citing_trial import CitingTrial
from tests.gates.judged_scratchpads import (
    TOOL_SCHEMA,
    CallsOfTrial,
    judge_scratchpad,
    valid_scratchpad,
)
from tests.support.ended_calls import add_call

# A trial in an environment with a call that moves files and folders.
#
#     trial = MovingTrial()
#     trial.write("/drafts/own.md", "the request is\napproved by the board")
#     trial.move("/drafts", "/docs")
#     trial.read_second_line("/docs/own.md", "approved by the board")
#     trial.counts_as_read("/docs/own.md")   # -> False: the text may be the script's own
#
# Only a part of the file is read, so what the script wrote does not equal what it reads.

MOVE = Operation(
    name="move",
    parameters=(Parameter("path", "str"), Parameter("to", "str")),
    fields=(),
    summary="moves a file or a folder",
    effect=Effect.MOVES,
    target="to",
)


class MovingTrial(CallsOfTrial):
    """The calls of a trial in an environment with the call `move`."""

    def __init__(self) -> None:
        super().__init__(ToolSchema((*TOOL_SCHEMA.operations, MOVE)))

    def move(self, path: str, to: str) -> None:
        """Move a file or a folder."""
        arguments = {"path": path, "to": to}
        add_call(self.evidence_log, "move", arguments, result={}, error=None)

    def move_with_timeout(self, path: str, to: str) -> None:
        """Call `move` and get no reply in time: the file may have been moved, or not."""
        arguments = {"path": path, "to": to}
        timeout = CallError("deadline_exceeded", "late")
        add_call(self.evidence_log, "move", arguments, result=None, error=timeout)

    def read_second_line(self, path: str, line: str) -> None:
        """Read the second line of a file, and no other."""
        result = {"path": path, "content": line}
        self.record("read", {"path": path, "start_line": 2}, result)

    def counts_as_read(self, path: str) -> bool:
        """Return True if an answer may say that the trial has read the file at this path."""
        return "read" in self.access_to(path).actions

    def has_proof(self, path: str) -> bool:
        """Return True if an answer may cite the file for a text that was read at this path."""
        return any(text.is_proof for text in self.access_to(path).seen)


# A trial that stores a note on a server, and gets it back in a list with notes of others.
#
#     trial = NotesTrial("the vault opens at noon")
#     path = trial.list_notes("2 notes: the vault opens at noon. The archive opens at seven.")
#     trial.has_shown(path, reason='it "opens at seven"')   # -> True
#
# The script's own note, "the vault opens at noon", is no such reason to cite the list.

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


# After a script has moved a file that it has not read before, reading the file proves nothing.
#
# The text may be the script's own: a script could write a file, move it to `/docs`, and cite it there as
# if it were the environment's. So the file does not count as read either.


def test_a_moved_file_that_was_not_read_before_proves_nothing() -> None:
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_text("/out/a.md", "approved by the board")

    assert not trial.has_proof("/out/a.md")


def test_a_moved_file_that_was_not_read_before_does_not_count_as_read() -> None:
    """The only actions of the two paths are those of the move: no path has the action `read`."""
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_text("/out/a.md", "approved by the board")

    assert trial.access_to("/in/a.md").actions == {"delete"}
    assert trial.access_to("/out/a.md").actions == {"write"}


def test_a_part_of_a_moved_file_that_was_not_read_before_proves_nothing() -> None:
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_second_line("/out/a.md", "approved by the board")

    assert not trial.has_proof("/out/a.md")
    assert trial.access_to("/out/a.md").actions == {"write"}


def test_a_written_file_proves_nothing_after_its_folder_was_moved() -> None:
    """The file `/drafts/own.md`, which the script wrote, is now `/docs/own.md`."""
    trial = MovingTrial()
    trial.write("/drafts/own.md", "the request is\napproved by the board")
    trial.move("/drafts", "/docs")

    trial.read_second_line("/docs/own.md", "approved by the board")

    assert not trial.has_proof("/docs/own.md")
    assert not trial.counts_as_read("/docs/own.md")


# A move of a file is recorded as the deletion of one path, and the writing of another.
#
# Some environments have a call `move(path, to)` for files and folders. An answer may later claim these
# changes: `move("/in/a.md", "/out/a.md")` -> delete `/in/a.md`, write `/out/a.md`.


def test_a_move_is_recorded_as_two_changes() -> None:
    """It deletes the file at one path, and writes it at the other."""
    trial = MovingTrial()

    trial.move("/in/a.md", "/out/a.md")

    deletion, writing = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/in/a.md", "delete")
    assert (writing.path, writing.action) == ("/out/a.md", "write")


def test_a_move_of_a_folder_is_recorded_as_two_changes_of_the_folder() -> None:
    """Which files are in it is not known, so their paths are not recorded."""
    trial = MovingTrial()

    trial.move("/drafts", "/docs")

    deletion, writing = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/drafts", "delete")
    assert (writing.path, writing.action) == ("/docs", "write")


def test_moves_are_recorded_in_their_order() -> None:
    trial = MovingTrial()

    trial.move("/drafts", "/docs")
    trial.move("/in/a.md", "/out/a.md")

    changed_paths = [change.path for change in trial.evidence.changes]
    assert changed_paths == ["/drafts", "/docs", "/in/a.md", "/out/a.md"]


def test_a_move_without_a_target_is_recorded_as_a_deletion() -> None:
    """The environment may fill in the target itself, so the call does not say where the file
    is."""
    trial = MovingTrial()

    arguments = {"path": "/in/a.md"}
    add_call(trial.evidence_log, "move", arguments, result={}, error=None)

    (deletion,) = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/in/a.md", "delete")


# A file may have been moved although the call failed, or named the file in another case.
#
# A move that timed out may have been made. In many environments, `/Drafts` and `/drafts` are the same
# folder. In both cases, the new path may have a text that the script wrote before the move, so the file
# there does not count as read.


def test_a_file_does_not_count_as_read_after_a_move_that_may_have_been_made() -> None:
    """The move has timed out. If it was made, `/out/b.md` has the text of `/in/b.md`, which nobody
    has read before."""
    trial = MovingTrial()
    trial.move_with_timeout("/in/b.md", "/out/b.md")

    trial.read_text("/out/b.md", "approved by the board")

    assert not trial.counts_as_read("/out/b.md")


def test_a_written_file_does_not_count_as_read_if_another_spelling_was_moved() -> None:
    """The script writes into `/Drafts/Old`, and moves `/drafts/old`. In many environments, this
    is the same folder."""
    trial = MovingTrial()
    trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
    trial.move("/drafts/old", "/moved")

    trial.read_second_line("/moved/c.md", "approved by the board")

    assert not trial.counts_as_read("/moved/c.md")


@pytest.mark.parametrize(
    "path_of_file",
    [
        pytest.param("/moved/c.md", id="moved by a name in another case"),
        pytest.param("/late/c.md", id="moved by a call that may have been made"),
    ],
)
def test_a_written_file_does_not_count_as_read_wherever_it_may_be(
    path_of_file: str,
) -> None:
    """The script moves the folder twice. The first call spells its path in lower case, and the
    second one times out. So the file that it wrote may be at either place."""
    trial = MovingTrial()
    trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
    trial.move("/drafts/old", "/moved")
    trial.move_with_timeout("/Drafts/Old", "/late")

    trial.read_second_line(path_of_file, "approved by the board")

    assert not trial.counts_as_read(path_of_file)


# A list of notes proves something (`is_proof`) if not all of it comes from the script itself.
#
#     its own note: "the vault opens at noon"        the script has stored this note on a server
#     another note: "The archive opens at seven."    was there before
#
# `list_notes(text)` gets a list from the server, and returns its path. `NOTE_FORMS` are values in which
# the script may store its note: as a text, in a list or in a mapping.


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


# A quotation from a list of notes must be of a note that the script has not stored itself.
#
# A citation may quote a result, word by word. The script has stored "the vault opens at noon" on a server,
# as a text, or within a list or a mapping (`NOTE_FORMS`). A note of somebody else is "The archive opens at
# seven.".

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


# A list of notes can be cited for another's note, and not for the note that the script stored.
#
#     its own note: "the vault opens at noon"        the script has stored this note on a server
#     another note: "The archive opens at seven."    was there before
#
# `list_notes(text)` gets a list from the server, and returns the path by which the list is cited.
# `NOTE_FORMS` are values in which the script may store its note: as a text, in a list or in a mapping.


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_the_list_cannot_be_cited_for_its_own_note(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "2 notes: the vault opens at noon. The archive opens at seven."
    )

    assert not trial.has_shown(path, reason='"the vault opens at noon"')


@pytest.mark.parametrize("note", NOTE_FORMS)
def test_the_list_can_be_cited_for_another_note(note: Plain) -> None:
    trial = NotesTrial(note)
    path = trial.list_notes(
        "2 notes: the vault opens at noon. The archive opens at seven."
    )

    assert trial.has_shown(path, reason='it "opens at seven"')


# The evidence log has room for 12 characters, and a trial reads longer texts.
#
# The log keeps what calls have shown, to check the reasons for which files are cited. Of the first text,
# "fees: twenty euros", it keeps "fees: twenty", and nothing of the second one.


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> CallsOfTrial:
    monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", 12)
    calls = CallsOfTrial()
    calls.read_text("/fees.md", "fees: twenty euros")
    calls.read_text("/late.md", "late: twenty euros")
    return calls


def test_the_beginning_of_a_text_is_kept_and_marked_as_cut(calls: CallsOfTrial) -> None:
    (seen,) = calls.access_to("/fees.md").seen

    assert seen.text == "fees: twenty"
    assert seen.is_cut


def test_that_a_text_was_read_is_kept_without_the_text(calls: CallsOfTrial) -> None:
    (seen,) = calls.access_to("/late.md").seen

    assert seen.text == ""
    assert seen.is_cut


@pytest.mark.parametrize(
    ("path", "reason", "is_accepted"),
    [
        pytest.param("/fees.md", 'holds "twenty"', True, id="word of the kept text"),
        pytest.param("/fees.md", 'holds "moon"', False, id="word of no text"),
        pytest.param("/late.md", 'holds "twenty"', False, id="word of a lost text"),
    ],
)
def test_only_a_word_of_the_kept_text_justifies_a_citation(
    calls: CallsOfTrial, path: str, reason: str, is_accepted: bool
) -> None:
    scratchpad = valid_scratchpad(refs_why={path: reason})

    judgement = judge_scratchpad(scratchpad, calls)

    assert judgement.accepted is is_accepted


# A call that reads a file may return rows of values instead of a text. The values are then what it has shown.
#
# A script may cite the file for such a value. Values of the fields `path` and `name` are left out, since
# they describe a file.


def test_a_result_without_a_text_shows_the_values_of_its_fields() -> None:
    calls = CallsOfTrial()
    result = {
        "path": "/docs/a.md",
        "rows": [
            {"name": "bookkeeping", "pages": 7, "parts": ["one", {"is_whole": True}]},
            {"title": "Opening hours"},
        ],
    }

    calls.record("read", {"path": "/docs/a.md"}, result)

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text.splitlines() == ["7", "one", "True", "Opening hours"]


# A text that a trial has read is a *proof* if its words are the environment's, and not the script's.
#
# The trial may cite a file for a proof. A path has the action `read` only if a proof was read there. The
# evidence log keeps each text that a call has shown, as `seen`.


def test_a_text_of_a_file_is_proof() -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/a.md", "Refunds over EUR 50 need two signatures.")

    access = calls.access_to("/docs/a.md")

    (seen,) = access.seen
    assert seen.shows_whole_file
    assert seen.is_proof
    assert "read" in access.actions


def test_a_sentence_that_was_shown_before_the_script_wrote_it_is_proof() -> None:
    """`/docs/copy.md` may be a copy of `/tmp/own.md`, which the script wrote. Still, the environment
    showed the sentence first."""
    calls = CallsOfTrial()
    calls.read_text("/docs/a.md", "Refunds over EUR 50 need two signatures.")
    calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
    calls.read_text("/docs/copy.md", "Refunds over EUR 50 need two signatures.")

    access = calls.access_to("/docs/copy.md")

    (seen,) = access.seen
    assert seen.is_proof
    assert "read" in access.actions


def test_a_sentence_that_the_script_made_of_shown_words_is_its_own() -> None:
    """Files have shown each word of the sentence, but not the sentence."""
    calls = CallsOfTrial()
    calls.read_text("/docs/a.md", "two signatures need over 50 EUR")
    calls.read_text("/docs/b.md", "Refunds")
    calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
    calls.read_text("/docs/copy.md", "Refunds over EUR 50 need two signatures.")

    access = calls.access_to("/docs/copy.md")

    (seen,) = access.seen
    assert not seen.is_proof
    assert "read" not in access.actions


# Words that a program may put together from a script's pieces prove nothing where they are read.
#
# `/bin/ship` is declared to change something, so it may write what it is given into any file. The script
# passes halves of words, a number in another format, or more words than the log can keep.


def test_a_word_that_was_stored_in_two_halves_proves_nothing() -> None:
    """The program could put the pieces together again. `va` and `ult` are passed in two runs,
    `no` and `on` in two arguments of one run."""
    trial = CitingTrial()
    trial.run("/bin/ship", "the va")
    trial.run("/bin/ship", "ult opens at no", "on")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_stored_number_in_another_format_proves_nothing() -> None:
    """`4471.00`, which the script passed, and `4,471.00` in the file are the same number."""
    trial = CitingTrial()
    trial.run("/bin/ship", "4471.00")
    trial.read("/docs/Secret.md", "4,471.00")

    assert not trial.can_cite("/docs/Secret.md", reason="4,471 were counted")


def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept() -> None:
    """The log keeps at most `MOST_OWN_WORDS` words that the script passed. Beyond that, every
    text may be the script's own, so it proves nothing."""
    trial = CitingTrial()
    too_many_words = " ".join(
        f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
    )
    trial.run("/bin/ship", stdin=too_many_words)
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A text that a program may have stored proves nothing where it is read later.
#
#     /bin/ship    changes something, so it may write what it is given into any file
#     /bin/odd     of unknown kind, so it may store what it is given, too
#
# The script passes "the vault opens at noon" to one of them, as an argument or by `stdin`. Then it reads
# this text, and cites the place for it, which must be refused.


def test_a_stored_text_that_a_file_shows_later_proves_nothing() -> None:
    trial = CitingTrial()
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_stored_text_with_escaped_letters_proves_nothing() -> None:
    """In the JSON that the script passes, `\\u0076` is a v, `\\u0070` a p and `\\u006F` an
    o."""
    trial = CitingTrial()
    trial.run(
        "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_stored_text_that_is_shown_as_json_proves_nothing() -> None:
    """JSON spells a tab `\\t`, and a line break `\\n`. So the words `the` and `noon` can be read in
    the file, though the script has passed neither of them."""
    tab = "\t"
    line_break = "\n"
    trial = CitingTrial()
    trial.run("/bin/ship", f"{tab}he{line_break}vault opens {line_break}oon")
    trial.read("/docs/Secret.md", r'{"kept": true, "note": "\the\nvault opens \noon"}')

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing() -> None:
    trial = CitingTrial()
    trial.run("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_quote("/bin/odd", quotation="the vault opens at noon")


def test_the_text_of_a_run_that_failed_may_have_been_stored() -> None:
    """The error `unknown` does not tell whether the program has stored its argument."""
    trial = CitingTrial()
    trial.fail(
        "exec",
        {"path": "/bin/ship", "args": ["the vault opens at noon"], "stdin": ""},
        code="unknown",
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# Words that the script writes are not its own if the environment has shown them before.
#
# A script may have its own words shown by a file, and cite the file for them. To prevent that, words that
# the script has written, or passed to a program, count for no citation. But if a call has shown them
# first, the environment has them without the script, and a file with them may be cited.


def test_a_file_is_citable_for_a_text_that_was_read_before_it_was_overwritten() -> None:
    """The answer may be about the old text, which is why the script replaced it."""
    trial = CitingTrial()
    trial.read("/docs/Secret.md", content="The archive opens at seven.")
    trial.write("/docs/Secret.md", content="the vault opens at noon")
    trial.read("/docs/Secret.md", content="the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_file_is_citable_for_a_text_that_was_read_elsewhere_and_written() -> None:
    """`/docs/Secret.md` may be a copy of `/tmp/x`, which the script wrote."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", content="The archive opens at seven.")
    trial.write("/tmp/x", content="The archive opens at seven.")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_file_is_citable_for_a_text_that_was_read_elsewhere_and_passed_on() -> None:
    """`/bin/ship` may write its argument into any file, also into `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", content="The archive opens at seven.")
    trial.run("/bin/ship", "The archive opens at seven.")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_file_is_citable_for_a_sentence_about_an_id_that_was_passed_on() -> None:
    """The script has passed the id `b-104`, and not that it was shipped."""
    trial = CitingTrial()
    trial.run("/bin/ship", "b-104", "3")
    trial.read("/docs/Secret.md", content="b-104 was shipped")

    assert trial.can_cite("/docs/Secret.md", reason="b-104 was shipped")


def test_a_file_is_citable_if_a_name_in_another_case_was_written() -> None:
    """`/docs/SECRET.md` and `/docs/Secret.md` may be two files here. A search has found the second
    one, which the script has not written."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.write("/docs/SECRET.md", content="the vault opens at noon")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


# Reading a path that does not exist may count as reading the only file with the same name.
#
# Some environments correct a wrong path: a model reads `/tmp/Secret.md`, where no file is, and gets the
# text of `/docs/Secret.md`, the only file with this name. The text then counts for `/docs/Secret.md`, unless
# the script may have written it at the wrong path.


def test_reading_a_namesake_that_nobody_wrote_counts_for_the_found_file() -> None:
    """The list of `/tmp` has only `/tmp/x`. So the environment must have corrected the path."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing() -> None:
    """The error `unknown` does not tell if the file was written. It may have the script's words."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")
    arguments = {"path": "/tmp/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_reading_a_written_namesake_proves_nothing_if_the_log_is_full_of_names() -> (
    None
):
    """The log notes the names of existing files, up to a limit. It has no room for the file that
    the script writes. All the same, it must not take `/tmp/Secret.md` for a wrong path."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp")
    many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
    trial.list("/many", *many_paths)
    trial.write("/tmp/Secret.md", "the vault opens at noon")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A file that the script wrote proves nothing by its own words, however they are read again.
#
# A citation has a reason, and is accepted if a call has shown what the reason names.


def test_a_file_that_the_script_did_not_write_proves_what_it_says() -> None:
    trial = CitingTrial()
    trial.read("/tmp/x", "the vault opens at noon")

    assert trial.can_cite("/tmp/x", reason='"the vault opens at noon"')


def test_a_written_file_that_is_read_back_proves_nothing() -> None:
    """The words in the file are those that the script has written."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.read("/tmp/x", "the vault opens at noon")

    assert not trial.can_quote("/tmp/x", quotation="the vault opens at noon")


def test_a_written_file_that_a_program_prints_proves_nothing() -> None:
    """`/bin/show` prints the file that the script has written."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/show", "/tmp/x", stdout="the vault opens at noon")

    assert not trial.can_quote("/tmp/x", quotation="the vault opens at noon")


def test_a_written_file_that_is_read_decoded_proves_nothing() -> None:
    """The script hides that it reads its own file. It has written `\\u0076` for the letter v,
    which the environment decodes, and it reads the file by the same path in capitals."""
    trial = CitingTrial()
    trial.write("/tmp/x.json", '{"note": "the \\u0076ault opens at noon"}')
    trial.read("/TMP/X.json", '{"note": "the vault opens at noon"}')

    assert not trial.can_quote("/tmp/x.json", quotation="the vault opens at noon")


def test_a_written_file_whose_name_imitates_a_row_proves_nothing() -> None:
    """The script writes a file whose name is `/docs/Loans.md#row=1`. In a citation, this also
    means row 1 of the file `/docs/Loans.md`, which the script did not write."""
    trial = CitingTrial()
    path_like_a_row = "/docs/Loans.md#row=1"
    trial.write(path_like_a_row, "the vault opens at noon")
    trial.read(path_like_a_row, "the vault opens at noon")

    assert not trial.can_cite(path_like_a_row, reason='"the vault opens at noon"')


def test_the_output_of_a_written_program_proves_nothing() -> None:
    """The script has written the program itself, so it decides what it prints."""
    trial = CitingTrial()
    trial.write("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_quote("/bin/odd", quotation="the vault opens at noon")


# A call that failed, or found nothing, has not shown its file, so the file cannot be cited.
#
# A call fails with an error or with an exit code other than 0. One that found nothing returns an empty
# text.


def test_a_program_that_failed_has_not_shown_its_file() -> None:
    """With an exit code of 1, what it printed may be an error message."""
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        stdout="The archive opens at seven.",
        exit_code=1,
    )

    assert not trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_file_that_could_not_be_executed_is_not_citable_as_run() -> None:
    """126 is the exit code of a shell for a file that is not a program."""
    trial = CitingTrial()
    trial.run("/docs/Secret.md", exit_code=126)

    assert not trial.can_cite("/docs/Secret.md", reason="the command was called")


def test_a_file_whose_reading_failed_is_not_citable() -> None:
    """The call was made, but it returned an error instead of the text."""
    trial = CitingTrial()
    trial.fail("read", {"path": "/docs/Secret.md"}, code="internal")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_read_behind_the_end_of_a_file_shows_nothing() -> None:
    """Reading from line 1,000,000 on succeeds, and returns an empty text."""
    trial = CitingTrial()
    trial.call(
        "read",
        {"path": "/docs/Secret.md", "start_line": 1_000_000, "end_line": 0},
        {"path": "/docs/Secret.md", "content": "", "truncated": False},
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_match_of_a_search_without_text_shows_nothing() -> None:
    """The search names the file but shows only blanks."""
    trial = CitingTrial()
    match = {"path": "/docs/Secret.md", "line": 1, "text": "  "}
    trial.call("search", {"pattern": ".", "root": "/"}, {"matches": [match]})

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A folder, or a file that does not exist, cannot be cited, whatever a program prints.
#
# A citation has a path and a reason. `/bin/show FILE` prints files; but that a file does not exist was
# shown by a listing of its folder, or by an error.


def test_a_folder_is_not_citable() -> None:
    """The listing has shown that `/docs` is a folder."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs", reason='"the vault opens at noon"')


def test_a_file_that_its_folder_does_not_list_is_not_citable() -> None:
    """The listing of `/docs` shows that the file does not exist, whatever the program
    prints."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_file_that_was_not_found_is_not_citable() -> None:
    """The error `not_found` shows that the file does not exist, whatever the program prints."""
    trial = CitingTrial()
    trial.fail("read", {"path": "/docs/Secret.md"}, code="not_found")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A file cannot be cited for a text that the model was not shown, or that another file has.
#
# The first message to the model shows the results of some calls, each cut to its first
# `shown_chars` characters.


def test_a_text_of_which_only_a_line_break_was_shown_is_not_citable() -> None:
    trial = CitingTrial()
    trial.calls.record(
        "read",
        {"path": "/docs/Secret.md", "start_line": 0, "end_line": 0},  # all lines
        {"content": "\nThe archive opens at seven.", "truncated": False},
        shown_chars=1,  # the line break
    )

    assert not trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')
    # Nor can the file be cited for words that it does not have.
    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_an_output_of_which_nothing_was_shown_is_not_citable() -> None:
    """The first message had no room for the output of this call."""
    trial = CitingTrial()
    trial.calls.record(
        "exec",
        {"path": "/bin/show", "args": ["/docs/Secret.md"], "stdin": ""},
        {"stdout": "The archive opens at seven.", "stderr": "", "exit_code": 0},
        shown_chars=0,
    )

    assert not trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_text_in_a_listing_shows_nothing_of_the_file() -> None:
    """A listing names files. A field `text` in it is not the text of a file."""
    trial = CitingTrial()
    trial.call(
        "list",
        {"path": "/"},
        {"entries": [{"path": "docs/Secret.md", "text": "the vault opens at noon"}]},
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_words_of_another_file_do_not_justify_a_citation() -> None:
    """The script has read both files, and cites one of them for what the other one says."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "Books marked reserved cannot be renewed.")
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert not trial.can_cite(
        "/docs/Secret.md", reason='"books marked reserved cannot be renewed"'
    )
