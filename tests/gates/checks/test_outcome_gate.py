"""Gate 6: the answer can be sent, and fits its outcome.

A script submits an answer, which the user reads, and an outcome: `OUTCOME_OK`, a refusal such as
`OUTCOME_DENIED_SECURITY`, a question to the user, or a failure of the environment. Two rules of the
gate object to answers that do not fit their outcome (`6/wording`) and to giving up too early
(`6/internal-error`). What the gate says of declared changes is in `test_declared_changes.py`.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial

OUTCOME_GATE = 6


class TestSendableAnswers:
    """An answer is a text of bounded length that UTF-8 can encode."""

    @pytest.mark.parametrize(
        ("answer", "objection"),
        [
            pytest.param(21, "the number `21`", id="number"),
            pytest.param(None, "missing", id="None"),
            pytest.param(["21"], "a list of 1", id="list"),
            pytest.param(object(), "missing", id="object"),
            pytest.param("", "is empty", id="empty"),
            pytest.param(" \n", "is empty", id="blank"),
            pytest.param(
                "a\ud800b", "lone surrogate at character 1", id="not encodable as UTF-8"
            ),
            pytest.param("x" * 10_000_000, "10000000 characters", id="too long"),
        ],
    )
    def test_an_answer_that_cannot_be_sent_is_rejected(
        self, answer: object, objection: str
    ) -> None:
        judgement = judge_scratchpad(valid_scratchpad(answer=answer))

        assert objection in objection_of(judgement, OUTCOME_GATE)


def objection_to_wording(
    outcome: str, answer: str, instruction: str = "Which book?"
) -> str:
    """Return what rule `6/wording` objects to; an empty string if it does not."""
    scratchpad = valid_scratchpad(outcome=outcome, answer=answer)
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, "6/wording")


class TestNamesOfOutcomes:
    """Rule `6/wording`: an answer does not consist of names of outcomes.

    A script submits its outcome, such as `OUTCOME_OK`, in a field of its own. The answer is what
    the user reads.
    """

    @pytest.mark.parametrize(
        ("outcome", "answer"),
        [
            ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"),
            ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK"),
        ],
    )
    def test_an_answer_that_names_an_outcome_is_objected_to(
        self, outcome: str, answer: str
    ) -> None:
        assert "names an outcome class" in objection_to_wording(outcome, answer)

    def test_a_refusal_may_name_its_outcome(self) -> None:
        """Some tasks want nothing but the name of the outcome as the answer to a forbidden
        request."""
        outcome = "OUTCOME_DENIED_SECURITY"

        assert not objection_to_wording(outcome, answer=outcome)

    def test_an_answer_may_name_an_outcome_that_the_request_names(self) -> None:
        objection = objection_to_wording(
            "OUTCOME_OK",
            answer="It is OUTCOME_OK.",
            instruction="Say whether OUTCOME_OK is a class.",
        )

        assert not objection


class TestClarifications:
    """Rule `6/wording`: a clarification asks the user something.

    A submission with the outcome `OUTCOME_NONE_CLARIFICATION` has a question to the user for its
    answer, such as "b-104 or b-105?".
    """

    def test_a_clarification_of_one_word_is_objected_to(self) -> None:
        """An answer with this outcome asks the user to clarify the request, and `b-104` asks
        nothing."""
        objection = objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")

        assert "asks nothing" in objection

    @pytest.mark.parametrize(
        "answer",
        [
            "b-104 or b-105?",
            "Which?",
            # Chinese has no blanks: each of these is a whole sentence.
            "您要借b-104还是b-105？",
            "请说明是哪一本书：b-104，b-105。",
        ],
    )
    def test_a_clarification_that_asks_something_passes(self, answer: str) -> None:
        objection = objection_to_wording(
            "OUTCOME_NONE_CLARIFICATION", answer, instruction="Lend me the book."
        )

        assert not objection

    def test_a_refusal_that_is_not_a_clarification_may_be_one_word(self) -> None:
        """Only a clarification has to ask something."""
        assert not objection_to_wording("OUTCOME_NONE_UNSUPPORTED", answer="b-104")


GIVING_UP = valid_scratchpad(
    outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
)


def calls_with_outage() -> CallsOfTrial:
    """Return the calls of a trial in which the environment failed: a file could not be read."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")
    return calls


class TestGivingUp:
    """Rule `6/internal-error`: a trial gives up only if the environment has failed.

    `GIVING_UP` is a scratchpad with the outcome `OUTCOME_ERR_INTERNAL`. In
    `calls_with_outage()`, a file could not be read, because the environment was out of order.
    """

    def test_giving_up_after_a_failed_call_is_objected_to_once(self) -> None:
        """The failed call may succeed if it is made again. So the first objection asks for that,
        and if the model gives up again, it may."""
        calls = calls_with_outage()

        first_judgement = judge_scratchpad(GIVING_UP, calls)
        second_judgement = judge_scratchpad(GIVING_UP, calls, internal_errors_before=1)

        first_objection = objection_of(first_judgement, "6/internal-error")
        assert "for failed tooling alone" in first_objection
        assert not objection_of(second_judgement, "6/internal-error")

    def test_giving_up_while_no_call_has_failed_is_always_objected_to(self) -> None:
        """The rule objects for the fourth time, after the model has given up three times before."""
        calls = CallsOfTrial()
        # The environment works: the script asked for a file that does not exist.
        calls.fail("read", "/nowhere.md", code="not_found")

        judgement = judge_scratchpad(GIVING_UP, calls, internal_errors_before=3)

        objection = objection_of(judgement, "6/internal-error")
        assert "No call of the environment has failed" in objection

    def test_the_rule_on_giving_up_does_not_apply_to_another_outcome(self) -> None:
        """The environment has failed, but the trial answers with `OUTCOME_OK`."""
        scratchpad = valid_scratchpad(outcome="OUTCOME_OK")

        judgement = judge_scratchpad(scratchpad, calls_with_outage())

        assert verdict_of(judgement, "6/internal-error").result == "not_applicable"
