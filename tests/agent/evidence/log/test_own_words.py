"""A script's own words prove nothing, wherever the environment shows them later.

A script may write the words `OWN_WORDS`, "the vault opens at noon", into a file, or hand them to a
tool that stores them, and then read them somewhere else as if they were the environment's. A
citation for such words is rejected. Words that the environment showed first can still be cited.
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
from tests.agent.evidence.log.citing_trial import (
    FILE_REASON,
    FILE_TEXT,
    OWN_WORDS,
    CitingTrial,
)

LOANS_FILE = "/docs/Loans.md"
SECRET_FILE = "/docs/Secret.md"
"""A file that exists, and by which the script wants to prove its own words."""
OWN_FILE = "/tmp/x"
"""A file that the script writes."""
REASON_GATE = 5
"""The gate that rejects a citation if the file does not show what the reason names."""


@pytest.fixture
def trial() -> CitingTrial:
    """Return a trial that has made no call yet. `can_cite(path, reason)` says if a citation is
    accepted."""
    return CitingTrial()


# Words that the script wrote into a file
# --------------------------------------------------------------------------------------------------------------


def test_a_written_file_that_is_read_back_proves_nothing(trial: CitingTrial) -> None:
    """The words in the file are those that the script has written."""
    trial.write(OWN_FILE, OWN_WORDS)
    trial.read(OWN_FILE, OWN_WORDS)

    assert not trial.can_cite(OWN_FILE, OWN_WORDS)


def test_a_written_file_that_a_program_prints_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/show` prints the file that the script has written."""
    trial.write(OWN_FILE, OWN_WORDS)
    trial.run("/bin/show", OWN_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(OWN_FILE, OWN_WORDS)


def test_a_file_that_was_deleted_and_made_anew_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` may have made a new file at this path, with the script's words in it."""
    trial.delete(SECRET_FILE)
    trial.run("/bin/ship", SECRET_FILE)
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_file_whose_writing_seemed_to_fail_proves_nothing(trial: CitingTrial) -> None:
    """The error `unknown` does not tell whether the words were written."""
    trial.fail("write", {"path": SECRET_FILE, "content": OWN_WORDS}, code="unknown")
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_written_file_that_is_shown_under_another_name_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script reads its own file, and the environment says that it is another one, for
    example because one path is a link to the other."""
    trial.write(OWN_FILE, OWN_WORDS)
    trial.call("read", {"path": OWN_FILE}, {"path": SECRET_FILE, "content": OWN_WORDS})

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_copy_of_a_written_file_proves_nothing(trial: CitingTrial) -> None:
    """`/bin/ship` has copied the script's own file over another one. The copy ends with a line
    break, so the two texts are not the same."""
    trial.write(OWN_FILE, OWN_WORDS)
    trial.run("/bin/ship", OWN_FILE, SECRET_FILE)
    trial.read(SECRET_FILE, f"{OWN_WORDS}\n")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` has put a line of its own, "page 1", before the script's words."""
    trial.write(OWN_FILE, OWN_WORDS)
    trial.run("/bin/ship", OWN_FILE)
    trial.read(SECRET_FILE, f"page 1\n{OWN_WORDS}\n")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_written_file_that_is_read_decoded_proves_nothing(trial: CitingTrial) -> None:
    """The script hides that it reads its own file. It has written `\\u0076` for the letter v, which
    the environment decodes, and it reads the file by the same path in capitals."""
    trial.write("/tmp/x.json", '{"note": "the \\u0076ault opens at noon"}')
    trial.read("/TMP/X.json", '{"note": "the vault opens at noon"}')

    assert not trial.can_cite("/tmp/x.json", OWN_WORDS)


def test_the_output_of_a_written_program_proves_nothing(trial: CitingTrial) -> None:
    """The script has written the program itself, so it decides what it prints."""
    trial.write("/bin/odd", OWN_WORDS)
    trial.run("/bin/odd", stdout=OWN_WORDS)

    assert not trial.can_cite("/bin/odd", OWN_WORDS)


def test_a_written_file_whose_name_imitates_a_row_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script writes a file whose name is `/docs/Loans.md#row=1`. In a citation, this also means
    row 1 of the file `/docs/Loans.md`, which the script did not write."""
    path_like_a_row = "/docs/Loans.md#row=1"
    trial.write(path_like_a_row, OWN_WORDS)
    trial.read(path_like_a_row, OWN_WORDS)

    assert not trial.can_cite(path_like_a_row, OWN_WORDS)


def test_a_file_proves_nothing_once_more_was_written_than_is_kept(
    trial: CitingTrial,
) -> None:
    """The log keeps the texts that the script wrote up to a limit, to recognise them later. What it
    has not kept could be any text, so it accepts none."""
    file_count = 10
    file_chars = bounds.MOST_EVIDENCE_BYTES // file_count
    for digit in range(file_count):
        trial.write(f"/tmp/{digit}", str(digit) * file_chars)
    trial.read(SECRET_FILE, FILE_TEXT)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)
    assert not trial.can_cite(SECRET_FILE, FILE_REASON)


# Names of written files that imitate another file
#
# The script writes its words into one file, and cites another one with a similar name.
# --------------------------------------------------------------------------------------------------------------


def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable(
    trial: CitingTrial,
) -> None:
    """The written file is not row 7 of the cited file, but its name looks like it."""
    trial.write("/docs/Secret.md#row=7", OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


@pytest.mark.parametrize(
    ("listed_path", "written_path"),
    [
        pytest.param(SECRET_FILE, SECRET_FILE + " ", id="a blank at the end"),
        pytest.param(SECRET_FILE, "/docs/secret.md", id="another case"),
        pytest.param("/docs/k.md", "/docs/\u212a.md", id="the Kelvin sign for a k"),
        pytest.param(
            SECRET_FILE, "/tmp/Secret.md", id="the same name in another folder"
        ),
    ],
)
def test_writing_a_similar_name_does_not_make_a_listed_file_citable(
    trial: CitingTrial, listed_path: str, written_path: str
) -> None:
    """A search has shown that the cited file exists. The script writes a file with another name,
    and must not be taken to have written the cited one."""
    trial.find(listed_path)
    trial.write(written_path, OWN_WORDS)

    assert not trial.can_cite(listed_path, OWN_WORDS)


def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """On a screen, the written path looks like the cited one: U+200B is a space without width."""
    trial.write("/docs/Sec\u200bret.md", OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script reads its own `/tmp/Secret.md`, which it may have written by a call that failed. The
    listing of `/tmp` does not have this file, so the log could take the path for a short spelling of
    `/docs/Secret.md`, the only listed file of this name."""
    namesake = "/tmp/Secret.md"
    trial.find(SECRET_FILE)
    trial.list("/tmp", OWN_FILE)
    trial.fail("write", {"path": namesake, "content": OWN_WORDS}, code="unknown")
    trial.read(namesake, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_reading_a_written_namesake_proves_nothing_even_with_too_many_names(
    trial: CitingTrial,
) -> None:
    """The log has no room for a further name when the script writes `/tmp/Secret.md`. Even then, it
    must not take this path for a short spelling of `/docs/Secret.md`."""
    namesake = "/tmp/Secret.md"
    too_many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
    trial.find(SECRET_FILE)
    trial.list("/tmp")
    trial.list("/many", *too_many_paths)
    trial.write(namesake, OWN_WORDS)
    trial.read(namesake, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


# Words that the script handed to a program, which stores them
#
# `/bin/ship` is declared as a program that changes something. So it may have written its arguments
# or its standard input into any file, which the script then reads.
# --------------------------------------------------------------------------------------------------------------


def test_a_stored_text_that_a_file_shows_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` may have written its argument into the file."""
    trial.run("/bin/ship", OWN_WORDS)
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_stored_text_with_escaped_letters_proves_nothing(trial: CitingTrial) -> None:
    """In the JSON that the script passes, `\\u0076` is a v, `\\u0070` a p and `\\u006F` an o."""
    trial.run(
        "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
    )
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_stored_text_that_is_shown_as_json_proves_nothing(trial: CitingTrial) -> None:
    """JSON writes `\\t` for a tab and `\\n` for a line break. So a tab before `he` becomes `\\the`, and
    a line break before `oon` becomes `\\noon`: words that the script did not pass."""
    trial.run("/bin/ship", "\the\nvault opens \noon")
    trial.read(SECRET_FILE, '{"kept": true, "note": "\\the\\nvault opens \\noon"}')

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """Nobody knows whether `/bin/odd` stores what it is given."""
    trial.run("/bin/odd", OWN_WORDS)
    trial.run("/bin/odd", stdout=OWN_WORDS)

    assert not trial.can_cite("/bin/odd", OWN_WORDS)


def test_the_text_of_a_run_that_failed_may_have_been_stored(trial: CitingTrial) -> None:
    """The error `unknown` does not tell whether the program has stored its argument."""
    trial.fail(
        "exec",
        {"path": "/bin/ship", "args": [OWN_WORDS], "stdin": ""},
        code="unknown",
    )
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_word_that_was_stored_in_two_halves_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The program could put the pieces together again. `va` and `ult` are passed in two runs, `no`
    and `on` in two arguments of one run."""
    trial.run("/bin/ship", "the va")
    trial.run("/bin/ship", "ult opens at no", "on")
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_stored_number_in_another_format_proves_nothing(trial: CitingTrial) -> None:
    """`4471.00`, which the script passed, and `4,471.00` in the file are the same number."""
    trial.run("/bin/ship", "4471.00")
    trial.read(SECRET_FILE, "4,471.00")

    assert not trial.can_cite(SECRET_FILE, "4,471 were counted")


def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept(
    trial: CitingTrial,
) -> None:
    """The log keeps at most `MOST_OWN_WORDS` words that the script passed. Beyond that, every text may
    be the script's own, so it proves nothing."""
    too_many_words = " ".join(
        f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
    )
    trial.run("/bin/ship", stdin=too_many_words)
    trial.run("/bin/ship", OWN_WORDS)
    trial.read(SECRET_FILE, OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


# Words that the script passes on, and that the environment has shown before or adds to
#
# The script cites a file for `FILE_REASON`, "it opens at seven". This is justified by `FILE_TEXT`,
# "The archive opens at seven with code 4471.", which the environment showed.
# --------------------------------------------------------------------------------------------------------------


def test_a_file_that_was_read_before_it_was_written_is_citable(
    trial: CitingTrial,
) -> None:
    """The reason names something of the text that stood in the file before the script wrote it."""
    trial.read(SECRET_FILE, FILE_TEXT)
    trial.write(SECRET_FILE, OWN_WORDS)
    trial.read(SECRET_FILE, OWN_WORDS)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_file_of_which_the_script_wrote_a_copy_is_citable(trial: CitingTrial) -> None:
    """The script copies the text of one file, and then reads a second file with the same text. The
    environment showed the text first."""
    trial.read(LOANS_FILE, FILE_TEXT)
    trial.write(OWN_FILE, FILE_TEXT)
    trial.read(SECRET_FILE, FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_sentence_about_an_id_that_the_script_passed_is_citable(
    trial: CitingTrial,
) -> None:
    """Only the id `b-104` is the script's own. That it was shipped is said by the file alone."""
    trial.run("/bin/ship", "b-104", "3")
    trial.read(SECRET_FILE, "b-104 was shipped")

    assert trial.can_cite(SECRET_FILE, "b-104 was shipped")


def test_a_stored_text_that_was_seen_before_is_citable(trial: CitingTrial) -> None:
    """The script has read the words in one file before it passed them on, so they are not its own."""
    trial.read(LOANS_FILE, FILE_TEXT)
    trial.run("/bin/ship", FILE_TEXT)
    trial.read(SECRET_FILE, FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_listed_file_is_citable_if_a_name_in_another_case_was_written(
    trial: CitingTrial,
) -> None:
    """In this environment, `/docs/SECRET.md` and `/docs/Secret.md` may be two files. The script wrote
    the first one, and read and cites the second one."""
    trial.find(SECRET_FILE)
    trial.write("/docs/SECRET.md", OWN_WORDS)
    trial.read(SECRET_FILE, FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


# Tools of servers that repeat or store their arguments
# --------------------------------------------------------------------------------------------------------------

ASK_PAGE = Operation(
    name="ask",
    parameters=(Parameter("page", "str"), Parameter("question", "str")),
    fields=(ResultField("reply"),),
    summary="what a page says to a question",
    effect=Effect.READS,
    subject="page",
)
"""`ask(page, question)` reads the file `page`, and repeats the question in its reply."""


def test_a_question_that_a_reply_repeats_is_not_a_reason() -> None:
    """The reply first repeats the question, which has the script's own words. Behind it stands what
    the page says, which may be cited."""
    trial = CitingTrial(ToolSchema(operations=(ASK_PAGE,)))
    trial.call(
        "ask",
        {"page": "/faq", "question": OWN_WORDS},
        {"reply": f"You asked whether {OWN_WORDS}. {FILE_TEXT}"},
    )

    assert REASON_GATE in trial.gates_that_reject("/faq", OWN_WORDS)
    assert REASON_GATE not in trial.gates_that_reject("/faq", FILE_REASON)


KEEP_NOTE = Operation(
    name="notes.keep",
    parameters=(Parameter("note", "any"),),
    fields=(ResultField("text"),),
    summary="keeps a note",
    effect=Effect.ACTS,
    subject="",
)
"""`notes.keep(note)` stores a note on a server."""
KEPT_NOTES = Operation(
    name="notes.kept",
    parameters=(),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="the notes",
    effect=Effect.RETURNS,
    subject="",
)
"""`notes.kept()` returns all notes. They are not in a file, so the result has a path of its own,
`call_path`, by which it can be cited."""
FIRST_RESULT = "/mcp/notes/calls/kept/1"
SECOND_RESULT = "/mcp/notes/calls/kept/2"
"""The paths of the first and the second result of `notes.kept`."""


def show_notes(trial: CitingTrial, call_path: str, text: str) -> None:
    """Call `notes.kept`, which returns this text. Its result is cited by `call_path`."""
    trial.call("notes.kept", {}, {"call_path": call_path, "text": text})


@pytest.fixture(
    params=[
        pytest.param(OWN_WORDS, id="text"),
        pytest.param([OWN_WORDS], id="in a list"),
        pytest.param({"lines": [OWN_WORDS]}, id="in a mapping"),
        pytest.param({OWN_WORDS: True}, id="key of a mapping"),
    ]
)
def trial_with_note(request: pytest.FixtureRequest) -> CitingTrial:
    """Return a trial that stored a note with its own words, and got all notes back: its own words,
    and `FILE_TEXT`, a note that was there before."""
    note: Plain = request.param
    trial = CitingTrial(ToolSchema(operations=(KEEP_NOTE, KEPT_NOTES)))
    trial.call("notes.keep", {"note": note}, {"text": "kept"})
    show_notes(trial, FIRST_RESULT, f"1 note: {OWN_WORDS}. {FILE_TEXT}")
    return trial


def test_only_the_environment_s_part_of_a_result_is_a_reason(
    trial_with_note: CitingTrial,
) -> None:
    """The result has the script's own words, and a note that was there before."""
    assert REASON_GATE in trial_with_note.gates_that_reject(FIRST_RESULT, OWN_WORDS)
    assert REASON_GATE not in trial_with_note.gates_that_reject(
        FIRST_RESULT, FILE_REASON
    )


def test_a_result_of_stored_words_alone_is_not_evidence(
    trial_with_note: CitingTrial,
) -> None:
    """The second result has only the script's own words, in capitals: "The Vault Opens At Noon"."""
    show_notes(trial_with_note, SECOND_RESULT, f"- {OWN_WORDS.title()}.")

    (first_text,) = trial_with_note.calls.access_to(FIRST_RESULT).seen
    (second_text,) = trial_with_note.calls.access_to(SECOND_RESULT).seen
    assert first_text.is_proof
    assert not second_text.is_proof


def test_stored_words_cannot_be_quoted(trial_with_note: CitingTrial) -> None:
    """The citation quotes the script's own words, which the result shows."""
    with pytest.raises(ValueError, match="may come from"):
        trial_with_note.calls.cite(FIRST_RESULT, reason=OWN_WORDS, quotation=OWN_WORDS)


def test_stored_words_cannot_be_quoted_with_a_word_before_them(
    trial_with_note: CitingTrial,
) -> None:
    """One new word does not make the sentence the environment's."""
    show_notes(trial_with_note, SECOND_RESULT, f"Answer: {OWN_WORDS}.")
    with pytest.raises(ValueError, match="may come from"):
        trial_with_note.calls.cite(
            SECOND_RESULT, reason=OWN_WORDS, quotation=f"Answer: {OWN_WORDS}"
        )


def test_the_environment_s_part_of_a_result_can_be_quoted(
    trial_with_note: CitingTrial,
) -> None:
    """Behind the script's own words, the result says "The archive opens at seven with code 4471."."""
    cited_place = trial_with_note.calls.cite(
        FIRST_RESULT, reason=FILE_REASON, quotation="the archive opens at seven"
    )

    assert cited_place == CitedPlace(FIRST_RESULT, line=1)


SAY = Operation(
    name="notes.say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="says a text",
    effect=Effect.RETURNS,
    subject="",
)
"""`notes.say(text)` returns JSON with its own argument in it, and `4471`, which is new."""


def test_an_argument_that_a_tool_repeats_as_json_is_not_a_reason() -> None:
    """The argument is `the`, a line break and `oon`. JSON writes the line break as `\\n`, so the result
    has `the\\noon`, in which the word `noon` could be found."""
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    path = "/mcp/notes/calls/say/1"
    trial.call(
        "notes.say",
        {"text": "the\noon"},
        {"call_path": path, "text": '{"said": "the\\noon", "by": 4471}'},
    )

    assert REASON_GATE in trial.gates_that_reject(path, "the vault opens at noon")
    assert REASON_GATE not in trial.gates_that_reject(path, "4471 said so")
