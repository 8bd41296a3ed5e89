"""Tools that repeat their arguments, whose words are the script's own.

The result of such a tool has words of both: "You asked whether the vault opens at noon. It opens at
seven." An answer may cite it for what the tool adds, "it opens at seven", and not for the script's
own words, "the vault opens at noon".
"""

from __future__ import annotations

from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)
from tests.agent.evidence.log.citing_trial import CitingTrial

ASK = Operation(
    name="ask",
    parameters=(Parameter("page", "str"), Parameter("question", "str")),
    fields=(ResultField("reply"),),
    summary="what a page says to a question",
    effect=Effect.READS,
    subject="page",
)
"""`ask(page, question)` reads a page, and repeats the question in its reply."""


def trial_with_question() -> CitingTrial:
    """Return a trial that has asked the page `/faq` whether the vault opens at noon."""
    trial = CitingTrial(ToolSchema(operations=(ASK,)))
    trial.call(
        "ask",
        {"page": "/faq", "question": "the vault opens at noon"},
        {"reply": "You asked whether the vault opens at noon. It opens at seven."},
    )
    return trial


class TestRepeatedQuestions:
    """A reply can be cited for what it adds to the question, and not for the question.

    `ask(page, question)` is declared to read a page. The script has asked `/faq` whether the vault
    opens at noon.
    """

    def test_a_question_that_a_reply_repeats_is_not_a_reason(self) -> None:
        trial = trial_with_question()

        assert not trial.has_shown("/faq", reason="the vault opens at noon")

    def test_what_a_reply_adds_to_the_question_is_a_reason(self) -> None:
        trial = trial_with_question()

        assert trial.has_shown("/faq", reason="it opens at seven")


SAY = Operation(
    name="notes.say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="says a text",
    effect=Effect.RETURNS,
    subject="",
)
"""`notes.say(text)` returns its argument as JSON. The result is cited by its `call_path`."""


def trial_with_said_text() -> CitingTrial:
    """Return a trial that has passed `the`, a line break and `oon` to `notes.say`.

    JSON writes the line break as `\\n`, so the result has `the\\noon`.
    """
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    trial.call(
        "notes.say",
        {"text": "the\noon"},
        {"call_path": "/said/1", "text": '{"said": "the\\noon", "by": 4471}'},
    )
    return trial


class TestRepeatedJson:
    """A tool may repeat its argument as JSON, which spells a line break as a backslash and an n.

    `notes.say(text)` does so. Its result is cited by the path in its field `call_path`.
    """

    def test_an_argument_that_a_tool_repeats_as_json_is_not_a_reason(self) -> None:
        """In `the\\noon`, the word `noon` could be found, although nobody has passed it."""
        trial = trial_with_said_text()

        assert not trial.has_shown("/said/1", reason="the vault opens at noon")

    def test_what_a_tool_adds_to_a_repeated_argument_is_a_reason(self) -> None:
        """The number 4471 was not in the argument."""
        trial = trial_with_said_text()

        assert trial.has_shown("/said/1", reason="4471 said so")
