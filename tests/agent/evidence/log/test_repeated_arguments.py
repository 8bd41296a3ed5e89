"""Tools of servers that repeat or store their arguments, whose words are the script's own.

A result of such a tool has words of both: "You asked whether the vault opens at noon. It opens at
seven." A citation is accepted for what the tool adds, "it opens at seven", and not for the script's
own words, "the vault opens at noon".
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
)
from tests.agent.evidence.log.citing_trial import CitingTrial

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
