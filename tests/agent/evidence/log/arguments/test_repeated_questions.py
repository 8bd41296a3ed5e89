"""A tool that repeats its question in its reply: the words of the question prove nothing.

`ask(page, question)` reads a page. "You asked whether the vault opens at noon. It opens at seven." can
be cited for what the page adds, "it opens at seven", and not for the script's own words.
"""

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


def test_a_question_that_a_reply_repeats_is_not_a_reason() -> None:
    trial = trial_with_question()

    assert not trial.has_shown("/faq", reason="the vault opens at noon")


def test_what_a_reply_adds_to_the_question_is_a_reason() -> None:
    trial = trial_with_question()

    assert trial.has_shown("/faq", reason="it opens at seven")
