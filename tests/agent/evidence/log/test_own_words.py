"""A script's own words prove nothing, wherever the environment shows them later.

A script may write the words `INVENTED`, "the vault opens at noon", into a file, or hand them to a
tool that stores them, and then read them somewhere else as if they were the environment's. A
citation for such words is rejected. Words that the environment showed first stay citable.
"""

from __future__ import annotations

import pytest

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
    INVENTED,
    CitingTrial,
)

LOANS = "/docs/Loans.md"
SECRET = "/docs/Secret.md"
"""A file that exists, and by which the script wants to prove its own words."""
OWN_FILE = "/tmp/x"
"""A file that the script writes. By default, `trial.write` writes the words `INVENTED`."""
REASON_GATE = 5


@pytest.fixture
def trial() -> CitingTrial:
    """Return a trial that has made no call yet. `can_cite(path, reason)` says if a citation is
    accepted."""
    return CitingTrial()


# Words that the script wrote into a file
# --------------------------------------------------------------------------------------------------------------


def test_a_written_file_that_is_read_back_proves_nothing(trial: CitingTrial) -> None:
    """The script has written the words `INVENTED` into the file."""
    trial.write(OWN_FILE)
    trial.read(OWN_FILE, INVENTED)

    assert not trial.can_cite(OWN_FILE, INVENTED)


def test_a_written_file_that_a_program_prints_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The script has written the words `INVENTED` into the file."""
    trial.write(OWN_FILE)
    trial.run("/bin/show", OWN_FILE, stdout=INVENTED)

    assert not trial.can_cite(OWN_FILE, INVENTED)


def test_a_file_that_was_deleted_and_made_anew_proves_nothing(
    trial: CitingTrial,
) -> None:
    """Nothing of the first file was read, and the second one may have the script's words."""
    trial.delete(SECRET)
    trial.run("/bin/ship", SECRET)  # a program that may have written the file
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_file_whose_writing_seemed_to_fail_proves_nothing(trial: CitingTrial) -> None:
    """With an unknown error, the words may have been written."""
    trial.fail("write", {"path": SECRET, "content": INVENTED}, code="unknown")
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_written_file_that_is_shown_under_another_name_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The environment reports another path for the same file, such as a link."""
    trial.write(OWN_FILE)
    trial.call("read", {"path": OWN_FILE}, {"path": SECRET, "content": INVENTED})

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_copy_of_a_written_file_proves_nothing(trial: CitingTrial) -> None:
    """A program has copied the script's own file to the path of another one."""
    trial.write(OWN_FILE)
    trial.run("/bin/ship", OWN_FILE, SECRET)
    trial.read(SECRET, INVENTED + "\n")

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing(
    trial: CitingTrial,
) -> None:
    """A program has copied the script's own file and put a line before its text."""
    trial.write(OWN_FILE)
    trial.run("/bin/ship", OWN_FILE)
    trial.read(SECRET, f"page 1\n{INVENTED}\n")

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_written_file_that_is_read_decoded_proves_nothing(trial: CitingTrial) -> None:
    """The script tries to hide that the file is its own: it writes an escape for the letter v, so
    that the environment shows another text, and reads the file by a name in capitals."""
    trial.write("/tmp/x.json", '{"a": "\\u0076ault"}')
    trial.read("/TMP/X.json", '{"a": "vault"}')

    assert not trial.can_cite("/tmp/x.json", INVENTED)


def test_the_output_of_a_written_program_proves_nothing(trial: CitingTrial) -> None:
    """The script has written the program itself, so it decides what it prints."""
    trial.write("/bin/odd")
    trial.run("/bin/odd", stdout=INVENTED)

    assert not trial.can_cite("/bin/odd", INVENTED)


def test_a_written_file_whose_name_imitates_a_row_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The file is called `/docs/Loans.md#row=1`. A citation of this path could also mean row 1 of
    `/docs/Loans.md`, which the script did not write."""
    trial.write(LOANS + "#row=1")
    trial.read(LOANS + "#row=1", INVENTED)

    assert not trial.can_cite(LOANS + "#row=1", INVENTED)


def test_a_file_proves_nothing_once_more_was_written_than_is_kept(
    trial: CitingTrial,
) -> None:
    """The evidence log keeps a limited number of the script's words. Beyond the limit, any text
    may be the script's own."""
    for number in range(10):
        trial.write(f"/tmp/{number}", str(number) * 400_000)
    trial.read(SECRET)

    assert not trial.can_cite(SECRET, INVENTED)


# Names of written files that imitate another file
# --------------------------------------------------------------------------------------------------------------


def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable(
    trial: CitingTrial,
) -> None:
    """The written file looks like row 7 of the file that is cited."""
    trial.write(SECRET + "#row=7")

    assert not trial.can_cite(SECRET, INVENTED)


@pytest.mark.parametrize(
    ("listed_path", "written_path"),
    [
        pytest.param(SECRET, SECRET + " ", id="a blank at the end"),
        pytest.param(SECRET, "/docs/secret.md", id="another case"),
        pytest.param("/docs/k.md", "/docs/\u212a.md", id="the Kelvin sign for a k"),
        pytest.param(SECRET, "/tmp/Secret.md", id="the same name in another folder"),
    ],
)
def test_writing_a_similar_name_does_not_make_a_listed_file_citable(
    trial: CitingTrial, listed_path: str, written_path: str
) -> None:
    """The trial has written a file, but not the one that the listing shows and that is cited."""
    trial.find(listed_path)
    trial.write(written_path)

    assert not trial.can_cite(listed_path, INVENTED)


def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """The names look the same and are not."""
    trial.write("/docs/Sec\u200bret.md")

    assert not trial.can_cite(SECRET, INVENTED)


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing(
    trial: CitingTrial,
) -> None:
    """A file of the same name in another folder may have been written, and shows the words."""
    trial.find(SECRET)
    trial.list("/tmp", OWN_FILE)
    trial.fail("write", {"path": "/tmp/Secret.md", "content": INVENTED}, code="unknown")
    trial.read("/tmp/Secret.md", INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_reading_a_written_namesake_proves_nothing_even_with_too_many_names(
    trial: CitingTrial,
) -> None:
    """The log learns a limited number of names from listings."""
    trial.find(SECRET)
    trial.list("/tmp")
    trial.list(
        "/many",
        *(f"/many/folder{number}" for number in range(bounds.MOST_LISTED_PATHS)),
    )
    trial.write("/tmp/Secret.md")
    trial.read("/tmp/Secret.md", INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


# Words that the script handed to a program, which stores them
# --------------------------------------------------------------------------------------------------------------


def test_a_stored_text_that_a_file_shows_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """`/bin/ship` changes something. It may have stored its argument in the file."""
    trial.run("/bin/ship", INVENTED)
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_stored_text_with_escaped_letters_proves_nothing(trial: CitingTrial) -> None:
    """The script hands the words over as JSON with some letters as escapes."""
    trial.run(
        "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
    )
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_stored_text_that_is_shown_as_json_proves_nothing(trial: CitingTrial) -> None:
    """The script's text has a tab and line breaks, so that JSON writes `\\t` and `\\n` for them,
    beside which the letters read `the` and `noon`."""
    trial.run("/bin/ship", "\the\nvault opens \noon")
    trial.read(SECRET, '{"kept": true, "note": "\\the\\nvault opens \\noon"}')

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing(
    trial: CitingTrial,
) -> None:
    """Nobody knows whether `/bin/odd` stores what it is given."""
    trial.run("/bin/odd", INVENTED)
    trial.run("/bin/odd", stdout=INVENTED)

    assert not trial.can_cite("/bin/odd", INVENTED)


def test_the_text_of_a_run_that_failed_may_have_been_stored(trial: CitingTrial) -> None:
    """With an unknown error, the program may have done its work."""
    trial.fail(
        "exec",
        {"path": "/bin/ship", "args": [INVENTED], "stdin": ""},
        code="unknown",
    )
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_word_that_was_stored_in_two_halves_proves_nothing(
    trial: CitingTrial,
) -> None:
    """The word `vault` comes from two runs of the program, and `noon` from two arguments."""
    trial.run("/bin/ship", "the va")
    trial.run("/bin/ship", "ult opens at no", "on")
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_stored_number_in_another_format_proves_nothing(trial: CitingTrial) -> None:
    """The script stored `4471.00`, and the file shows `4,471.00`."""
    trial.run("/bin/ship", "4471.00")
    trial.read(SECRET, "4,471.00")

    assert not trial.can_cite(SECRET, "4,471 were counted")


def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept(
    trial: CitingTrial,
) -> None:
    """The log can't keep all words that the script passed. From then on, any text may be its own."""
    too_many_words = " ".join(
        f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
    )
    trial.run("/bin/ship", stdin=too_many_words)
    trial.run("/bin/ship", INVENTED)
    trial.read(SECRET, INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


# Words that the environment has, too
#
# `FILE_REASON`, "it opens at seven", names something of `FILE_TEXT`, the text of the environment.
# --------------------------------------------------------------------------------------------------------------


def test_a_file_that_was_read_before_it_was_written_is_citable(
    trial: CitingTrial,
) -> None:
    """The reason names what the environment's own text said."""
    trial.read(SECRET)
    trial.write(SECRET)
    trial.read(SECRET, INVENTED)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_a_file_of_which_the_script_wrote_a_copy_is_citable(trial: CitingTrial) -> None:
    """The text was seen before the script wrote it."""
    trial.read(LOANS)
    trial.write(OWN_FILE, FILE_TEXT)
    trial.read(SECRET)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_a_sentence_about_an_id_that_the_script_passed_is_citable(
    trial: CitingTrial,
) -> None:
    """An id is no secret. What the file says of it is new."""
    trial.run("/bin/ship", "b-104", "3")
    trial.read(SECRET, "b-104 was shipped")

    assert trial.can_cite(SECRET, "b-104 was shipped")


def test_a_stored_text_that_was_seen_before_is_citable(trial: CitingTrial) -> None:
    """The script stored what it had read in another file, so the words are not its own."""
    trial.read(LOANS, FILE_TEXT)
    trial.run("/bin/ship", FILE_TEXT)
    trial.read(SECRET, FILE_TEXT)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_a_listed_file_is_citable_if_a_name_in_another_case_was_written(
    trial: CitingTrial,
) -> None:
    """If case matters, the written file is another one. The listed one was read."""
    trial.find(SECRET)
    trial.write("/docs/SECRET.md")
    trial.read(SECRET)

    assert trial.can_cite(SECRET, FILE_REASON)


# Tools of servers that repeat or store their arguments
# --------------------------------------------------------------------------------------------------------------

ASK_PAGE = Operation(
    "ask",
    (Parameter("page", "str"), Parameter("question", "str")),
    (ResultField("reply"),),
    "what a page says to a question",
    Effect.READS,
    "page",
)
"""An operation that reads the file `page`, and repeats the question in its reply."""


@pytest.mark.parametrize(
    ("reason", "is_justified"), [(INVENTED, False), (FILE_REASON, True)]
)
def test_a_question_that_a_reply_repeats_is_not_a_reason(
    reason: str, is_justified: bool
) -> None:
    """The reply has the script's own words (`INVENTED`), and words of the page."""
    trial = CitingTrial(ToolSchema(operations=(ASK_PAGE,)))
    trial.call(
        "ask",
        {"page": "/faq", "question": INVENTED},
        {"reply": f"You asked whether {INVENTED}. {FILE_TEXT}"},
    )

    rejecting = trial.gates_that_reject("/faq", reason)

    assert (REASON_GATE not in rejecting) is is_justified


KEEP_NOTE = Operation(
    "notes.keep",
    (Parameter("name", "any"),),
    (ResultField("text"),),
    "keeps a note",
    Effect.ACTS,
    "",
)
KEPT_NOTES = Operation(
    "notes.kept",
    (),
    (ResultField("call_path"), ResultField("text")),
    "the notes",
    Effect.RETURNS,
    "",
)
"""An operation whose result has a path by which it can be cited."""
NOTES = "/mcp/notes/calls/kept/1"
MORE_NOTES = "/mcp/notes/calls/kept/2"


@pytest.fixture(
    params=[
        pytest.param(INVENTED, id="text"),
        pytest.param([INVENTED], id="list"),
        pytest.param({"note": [INVENTED]}, id="mapping"),
        pytest.param({INVENTED: True}, id="name"),
    ]
)
def trial_with_note(request: pytest.FixtureRequest) -> CitingTrial:
    """Return a trial that stored its own words by a tool, and got them back beside a text that
    was there before. The words were passed as a text, or within a list or a mapping."""
    argument: Plain = request.param
    trial = CitingTrial(ToolSchema(operations=(KEEP_NOTE, KEPT_NOTES)))
    trial.call("notes.keep", {"name": argument}, {"text": "kept"})
    trial.call(
        "notes.kept",
        {},
        {"call_path": NOTES, "text": f"1 note: {INVENTED}. {FILE_TEXT}"},
    )
    return trial


def test_only_the_environment_s_part_of_a_result_is_a_reason(
    trial_with_note: CitingTrial,
) -> None:
    """The result has the stored words, and a text that was there before."""
    assert REASON_GATE in trial_with_note.gates_that_reject(NOTES, INVENTED)
    assert REASON_GATE not in trial_with_note.gates_that_reject(NOTES, FILE_REASON)


def test_a_result_of_stored_words_alone_is_not_evidence(
    trial_with_note: CitingTrial,
) -> None:
    """A second call shows nothing but the stored words, in capitals."""
    trial_with_note.call(
        "notes.kept", {}, {"call_path": MORE_NOTES, "text": f"- {INVENTED.title()}."}
    )

    accesses = trial_with_note.calls.evidence.accesses

    assert [text.is_proof for text in accesses[NOTES].seen] == [True]
    assert [text.is_proof for text in accesses[MORE_NOTES].seen] == [False]


def test_stored_words_cannot_be_quoted(trial_with_note: CitingTrial) -> None:
    """A quotation must be the environment's own text."""
    citations = trial_with_note.calls.evidence_log.citations

    with pytest.raises(ValueError, match="may come from"):
        citations.check(NOTES, INVENTED, INVENTED)


def test_stored_words_cannot_be_quoted_with_a_word_before_them(
    trial_with_note: CitingTrial,
) -> None:
    """One new word does not make the sentence the environment's."""
    trial_with_note.call(
        "notes.kept", {}, {"call_path": MORE_NOTES, "text": f"Answer: {INVENTED}."}
    )
    citations = trial_with_note.calls.evidence_log.citations

    with pytest.raises(ValueError, match="may come from"):
        citations.check(MORE_NOTES, INVENTED, f"Answer: {INVENTED}")


def test_the_environment_s_part_of_a_result_can_be_quoted(
    trial_with_note: CitingTrial,
) -> None:
    """The result says "The archive opens at seven with code 4471." behind the stored words."""
    citations = trial_with_note.calls.evidence_log.citations

    citation = citations.check(NOTES, FILE_REASON, "the archive opens at seven")

    assert citation == (NOTES, 1)  # path and line


SAY = Operation(
    "notes.say",
    (Parameter("text", "str"),),
    KEPT_NOTES.fields,
    "says a text",
    Effect.RETURNS,
    "",
)


def test_an_argument_that_a_tool_repeats_as_json_is_not_a_reason() -> None:
    """JSON writes the line break of the argument as `\\n`, beside which `noon` can be read."""
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    path = "/mcp/notes/calls/say/1"
    trial.call(
        "notes.say",
        {"text": "the\noon"},
        {"call_path": path, "text": '{"said": "the\\noon", "by": 4471}'},
    )

    assert REASON_GATE in trial.gates_that_reject(path, "the vault opens at noon")
    assert REASON_GATE not in trial.gates_that_reject(path, "4471 said so")
