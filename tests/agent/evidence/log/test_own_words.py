"""A script's own words prove nothing, wherever the environment shows them later.

An answer cites files, each with a reason. The citation is accepted if a call has shown what the
reason names: `/docs/Secret.md` with "the archive opens at seven" -> "it opens at seven". But a
script may write words into a file, or pass them to a tool that stores them, and read them
somewhere else. In these tests its own words are "the vault opens at noon".
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.log.citations import CitedPlace
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
)
from tests.agent.evidence.log.citing_trial import CitingTrial


@pytest.fixture
def trial() -> CitingTrial:
    """Return a trial that has made no call yet.

    A test says what each call returns: `trial.read(path, "text of the file")`. Then it asks
    whether the trial may cite a file: `trial.can_cite(path, reason="...")`.
    """
    return CitingTrial()


# Words that the script wrote into a file
# --------------------------------------------------------------------------------------------------------------


def test_a_written_file_that_is_read_back_proves_nothing(trial: CitingTrial) -> None:
    """The words in the file are those that the script has written."""
    trial.write("/tmp/x", "the vault opens at noon")
    trial.read("/tmp/x", "the vault opens at noon")

    assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")


def test_a_written_file_that_a_program_prints_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/show` prints the file that the script has written."""
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/show", "/tmp/x", stdout="the vault opens at noon")

    assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")


def test_a_file_that_was_deleted_and_made_anew_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` may have made a new file at this path, with the script's words in it."""
    trial.delete("/docs/Secret.md")
    trial.run("/bin/ship", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_whose_writing_seemed_to_fail_proves_nothing(trial: CitingTrial) -> None:
    """The error `unknown` does not tell whether the words were written."""
    arguments = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_written_file_that_is_shown_under_another_name_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script reads its own file, and the environment says that it is another one, for
    example because one path is a link to the other."""
    trial.write("/tmp/x", "the vault opens at noon")
    result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.call("read", {"path": "/tmp/x"}, result)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_copy_of_a_written_file_proves_nothing(trial: CitingTrial) -> None:
    """`/bin/ship` has copied the script's own file over another one. The copy ends with a line
    break, so the two texts are not the same."""
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon\n")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` has put a line of its own, "page 1", before the script's words."""
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x")
    trial.read("/docs/Secret.md", "page 1\nthe vault opens at noon\n")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_written_file_that_is_read_decoded_proves_nothing(trial: CitingTrial) -> None:
    """The script hides that it reads its own file. It has written `\\u0076` for the letter v, which
    the environment decodes, and it reads the file by the same path in capitals."""
    trial.write("/tmp/x.json", '{"note": "the \\u0076ault opens at noon"}')
    trial.read("/TMP/X.json", '{"note": "the vault opens at noon"}')

    assert not trial.can_cite("/tmp/x.json", reason="the vault opens at noon")


def test_the_output_of_a_written_program_proves_nothing(trial: CitingTrial) -> None:
    """The script has written the program itself, so it decides what it prints."""
    trial.write("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")


def test_a_written_file_whose_name_imitates_a_row_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script writes a file whose name is `/docs/Loans.md#row=1`. In a citation, this also means
    row 1 of the file `/docs/Loans.md`, which the script did not write."""
    path_like_a_row = "/docs/Loans.md#row=1"
    trial.write(path_like_a_row, "the vault opens at noon")
    trial.read(path_like_a_row, "the vault opens at noon")

    assert not trial.can_cite(path_like_a_row, reason="the vault opens at noon")


def test_a_file_proves_nothing_once_more_was_written_than_is_kept(
    trial: CitingTrial,
) -> None:
    """The log keeps what the script wrote, to recognise it later, up to `MOST_EVIDENCE_BYTES`. Here
    ten files of a tenth each fill it, since a text also takes some bytes beside its characters. Any
    later text could be one that was written and not kept, so none is accepted."""
    chars_of_file = bounds.MOST_EVIDENCE_BYTES // 10
    for digit in "0123456789":
        trial.write(f"/tmp/{digit}", digit * chars_of_file)
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


# Names of written files that imitate another file
#
# The script writes its words into one file, and cites another one with a similar name.
# --------------------------------------------------------------------------------------------------------------


def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable(
    trial: CitingTrial,
) -> None:
    """The written file is not row 7 of the cited file, but its name looks like it."""
    trial.write("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


@pytest.mark.parametrize(
    ("listed_path", "written_path"),
    [
        pytest.param("/docs/Secret.md", "/docs/Secret.md ", id="a blank at the end"),
        pytest.param("/docs/Secret.md", "/docs/secret.md", id="another case"),
        pytest.param("/docs/k.md", "/docs/\u212a.md", id="the Kelvin sign for a k"),
        pytest.param(
            "/docs/Secret.md", "/tmp/Secret.md", id="the same name in another folder"
        ),
    ],
)
def test_writing_a_similar_name_does_not_make_a_listed_file_citable(
    trial: CitingTrial, listed_path: str, written_path: str
) -> None:
    """A search has shown that the cited file exists. The script writes a file with another name,
    and must not be taken to have written the cited one."""
    trial.find(listed_path)
    trial.write(written_path, "the vault opens at noon")

    assert not trial.can_cite(listed_path, reason="the vault opens at noon")


def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """On a screen, the written path looks like the cited one: U+200B is a space without width."""
    trial.write("/docs/Sec\u200bret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


# A path that is not listed may be a short spelling of the only listed file with its name: a model
# may read `/Loans.md` and mean `/docs/Loans.md`. So reading `/tmp/Secret.md` could count as reading
# `/docs/Secret.md`. It must not if the script may have written `/tmp/Secret.md` itself.


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing(
    trial: CitingTrial,
) -> None:
    """1. `/docs/Secret.md` is listed. `/tmp` is listed as well, and has no file of this name.
    2. The script writes `/tmp/Secret.md`. The call fails, but the file may be there all the same.
    3. The script reads its words at `/tmp/Secret.md`, and cites `/docs/Secret.md` for them."""
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")
    arguments = {"path": "/tmp/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_reading_a_written_namesake_proves_nothing_even_with_too_many_names(
    trial: CitingTrial,
) -> None:
    """The same, but the writing succeeds, and the log cannot note the new name: a folder with as many
    files as it can keep names (`MOST_LISTED_PATHS`) was listed before."""
    trial.find("/docs/Secret.md")
    trial.list("/tmp")
    many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
    trial.list("/many", *many_paths)
    trial.write("/tmp/Secret.md", "the vault opens at noon")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


# Words that the script handed to a program, which stores them
#
# `/bin/ship` is declared as a program that changes something. So it may have written its arguments
# or its standard input into any file, which the script then reads.
# --------------------------------------------------------------------------------------------------------------


def test_a_stored_text_that_a_file_shows_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` may have written its argument into the file."""
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_text_with_escaped_letters_proves_nothing(trial: CitingTrial) -> None:
    """In the JSON that the script passes, `\\u0076` is a v, `\\u0070` a p and `\\u006F` an o."""
    trial.run(
        "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_text_that_is_shown_as_json_proves_nothing(trial: CitingTrial) -> None:
    """The script passes a tab and `he`, `vault opens`, a line break and `oon`. A file shows this as
    JSON, which spells a tab `\\t` and a line break `\\n`. Now the words `the` and `noon` can be read
    in the file, though the script did not pass them."""
    trial.run("/bin/ship", "\the\nvault opens \noon")
    trial.read(
        "/docs/Secret.md", '{"kept": true, "note": "\\the\\nvault opens \\noon"}'
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """Nobody knows whether `/bin/odd` stores what it is given."""
    trial.run("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")


def test_the_text_of_a_run_that_failed_may_have_been_stored(trial: CitingTrial) -> None:
    """The error `unknown` does not tell whether the program has stored its argument."""
    trial.fail(
        "exec",
        {"path": "/bin/ship", "args": ["the vault opens at noon"], "stdin": ""},
        code="unknown",
    )
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_word_that_was_stored_in_two_halves_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The program could put the pieces together again. `va` and `ult` are passed in two runs, `no`
    and `on` in two arguments of one run."""
    trial.run("/bin/ship", "the va")
    trial.run("/bin/ship", "ult opens at no", "on")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_number_in_another_format_proves_nothing(trial: CitingTrial) -> None:
    """`4471.00`, which the script passed, and `4,471.00` in the file are the same number."""
    trial.run("/bin/ship", "4471.00")
    trial.read("/docs/Secret.md", "4,471.00")

    assert not trial.can_cite("/docs/Secret.md", reason="4,471 were counted")


def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept(
    trial: CitingTrial,
) -> None:
    """The log keeps at most `MOST_OWN_WORDS` words that the script passed. Beyond that, every text may
    be the script's own, so it proves nothing."""
    too_many_words = " ".join(
        f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
    )
    trial.run("/bin/ship", stdin=too_many_words)
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


# Words that the script passes on, and that the environment has shown before or adds to
#
# The script cites a file because "it opens at seven". It may, since the environment has shown "The
# archive opens at seven." before the script passed on any of these words.
# --------------------------------------------------------------------------------------------------------------


def test_a_file_that_was_read_before_it_was_written_is_citable(
    trial: CitingTrial,
) -> None:
    """The reason names something of the text that stood in the file before the script wrote it."""
    trial.read("/docs/Secret.md", "The archive opens at seven.")
    trial.write("/docs/Secret.md", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_of_which_the_script_wrote_a_copy_is_citable(trial: CitingTrial) -> None:
    """The script copies the text of one file, and then reads a second file with the same text. The
    environment showed the text first."""
    trial.read("/docs/Loans.md", "The archive opens at seven.")
    trial.write("/tmp/x", "The archive opens at seven.")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_sentence_about_an_id_that_the_script_passed_is_citable(
    trial: CitingTrial,
) -> None:
    """Only the id `b-104` is the script's own. That it was shipped is said by the file alone."""
    trial.run("/bin/ship", "b-104", "3")
    trial.read("/docs/Secret.md", "b-104 was shipped")

    assert trial.can_cite("/docs/Secret.md", reason="b-104 was shipped")


def test_a_stored_text_that_was_seen_before_is_citable(trial: CitingTrial) -> None:
    """The script has read the words in one file before it passed them on, so they are not its own."""
    trial.read("/docs/Loans.md", "The archive opens at seven.")
    trial.run("/bin/ship", "The archive opens at seven.")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_listed_file_is_citable_if_a_name_in_another_case_was_written(
    trial: CitingTrial,
) -> None:
    """In this environment, `/docs/SECRET.md` and `/docs/Secret.md` may be two files. The script wrote
    the first one, and read and cites the second one."""
    trial.find("/docs/Secret.md")
    trial.write("/docs/SECRET.md", "the vault opens at noon")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


# Tools of servers that repeat or store their arguments
# --------------------------------------------------------------------------------------------------------------

REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


def test_a_question_that_a_reply_repeats_is_not_a_reason() -> None:
    """The tool `ask(page, question)` reads a file, and repeats the question in its reply. The question
    has the script's own words. What the page says stands behind it, and may be a reason."""
    ask = Operation(
        name="ask",
        parameters=(Parameter("page", "str"), Parameter("question", "str")),
        fields=(ResultField("reply"),),
        summary="what a page says to a question",
        effect=Effect.READS,
        subject="page",
    )
    trial = CitingTrial(ToolSchema(operations=(ask,)))
    trial.call(
        "ask",
        {"page": "/faq", "question": "the vault opens at noon"},
        {"reply": "You asked whether the vault opens at noon. It opens at seven."},
    )

    gates_for_question = trial.gates_that_reject("/faq", "the vault opens at noon")
    gates_for_answer = trial.gates_that_reject("/faq", "it opens at seven")

    assert REASON_GATE in gates_for_question
    assert REASON_GATE not in gates_for_answer


# A server that keeps notes: `notes.keep(note)` stores one, and `notes.kept()` returns all of them.

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

FIRST_RESULT = "/mcp/notes/calls/kept/1"
SECOND_RESULT = "/mcp/notes/calls/kept/2"
"""Notes are not in a file. So each result of `notes.kept` has a path of its own, its `call_path`, by
which it can be cited."""


def show_notes(trial: CitingTrial, call_path: str, text: str) -> None:
    """Let the trial call `notes.kept`, which returns this text."""
    trial.call("notes.kept", {}, {"call_path": call_path, "text": text})


@pytest.fixture(
    params=[
        pytest.param("the vault opens at noon", id="text"),
        pytest.param(["the vault opens at noon"], id="in a list"),
        pytest.param({"lines": ["the vault opens at noon"]}, id="in a mapping"),
        pytest.param({"the vault opens at noon": True}, id="key of a mapping"),
    ]
)
def trial_with_note(request: pytest.FixtureRequest) -> CitingTrial:
    """Return a trial that has stored a note, in one of four forms, and then got all notes back.

    Its own note is "the vault opens at noon". Another one was there before, and so is the
    environment's: "The archive opens at seven".
    """
    note: Plain = request.param
    trial = CitingTrial(ToolSchema(operations=(KEEP_NOTE, KEPT_NOTES)))
    trial.call("notes.keep", {"note": note}, {"text": "kept"})
    show_notes(
        trial,
        FIRST_RESULT,
        "1 note: the vault opens at noon. The archive opens at seven.",
    )
    return trial


def test_a_stored_note_that_is_shown_again_is_not_a_reason(
    trial_with_note: CitingTrial,
) -> None:
    """The result shows "the vault opens at noon", which are the script's own words."""
    rejecting_gates = trial_with_note.gates_that_reject(
        FIRST_RESULT, reason="the vault opens at noon"
    )

    assert REASON_GATE in rejecting_gates


def test_a_note_that_was_there_before_is_a_reason(
    trial_with_note: CitingTrial,
) -> None:
    """The same result shows "The archive opens at seven", which the script has not stored."""
    rejecting_gates = trial_with_note.gates_that_reject(
        FIRST_RESULT, reason="it opens at seven"
    )

    assert REASON_GATE not in rejecting_gates


def test_a_result_of_stored_words_alone_is_not_evidence(
    trial_with_note: CitingTrial,
) -> None:
    """The first result also has a note that was there before. The second has only the script's own
    words, in capitals."""
    show_notes(trial_with_note, SECOND_RESULT, "- The Vault Opens At Noon.")

    (first_text,) = trial_with_note.calls.access_to(FIRST_RESULT).seen
    (second_text,) = trial_with_note.calls.access_to(SECOND_RESULT).seen
    assert first_text.is_proof
    assert not second_text.is_proof


# A citation may also quote a result, word by word. The quotation must be the environment's, too.


def test_stored_words_cannot_be_quoted(trial_with_note: CitingTrial) -> None:
    with pytest.raises(ValueError, match="may come from"):
        trial_with_note.calls.cite(
            FIRST_RESULT,
            reason="the vault opens at noon",
            quotation="the vault opens at noon",
        )


def test_stored_words_cannot_be_quoted_with_a_word_before_them(
    trial_with_note: CitingTrial,
) -> None:
    """The new word "Answer" does not make the rest of the sentence the environment's."""
    show_notes(trial_with_note, SECOND_RESULT, "Answer: the vault opens at noon.")

    with pytest.raises(ValueError, match="may come from"):
        trial_with_note.calls.cite(
            SECOND_RESULT,
            reason="the vault opens at noon",
            quotation="Answer: the vault opens at noon",
        )


def test_a_note_that_was_there_before_can_be_quoted(
    trial_with_note: CitingTrial,
) -> None:
    """It stands behind the script's own words, in the same line of the result."""
    cited_place = trial_with_note.calls.cite(
        FIRST_RESULT,
        reason="it opens at seven",
        quotation="the archive opens at seven",
    )

    assert cited_place == CitedPlace(FIRST_RESULT, line=1)


def test_an_argument_that_a_tool_repeats_as_json_is_not_a_reason() -> None:
    """The argument is `the`, a line break and `oon`. JSON writes the line break as `\\n`, so the result
    has `the\\noon`, in which the word `noon` could be found. The number 4471 is not the script's."""
    say = Operation(
        name="notes.say",
        parameters=(Parameter("text", "str"),),
        fields=(ResultField("call_path"), ResultField("text")),
        summary="says a text",
        effect=Effect.RETURNS,
        subject="",
    )
    trial = CitingTrial(ToolSchema(operations=(say,)))
    path = "/mcp/notes/calls/say/1"
    trial.call(
        "notes.say",
        {"text": "the\noon"},
        {"call_path": path, "text": '{"said": "the\\noon", "by": 4471}'},
    )

    gates_for_argument = trial.gates_that_reject(path, "the vault opens at noon")
    gates_for_number = trial.gates_that_reject(path, "4471 said so")

    assert REASON_GATE in gates_for_argument
    assert REASON_GATE not in gates_for_number
