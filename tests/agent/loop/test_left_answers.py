"""What happens to an answer that a script does not submit, or whose rejection it ignores.

A script submits its answer by `harness.answer(scratchpad, verify)`. The gates, which are checks of
answers, may reject it by an exception. Some scripts swallow the exception. Others only set
`scratchpad["answer"]`: at the end of the trial, this answer is submitted for them.
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Noticed
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.single_trial import step_reply


class TestSwallowedRejections:
    """A script that ignores a rejection does not hide it from the model."""

    def test_the_model_is_told_of_a_rejection_that_its_script_swallowed(
        self, server: ForkServer
    ) -> None:
        """The script catches the exception of the rejection and prints nothing."""
        # A script whose answer gate 6 rejects, because it has the outcome in its text.
        swallows_rejection = step_reply(
            'scratchpad["answer"] = "OUTCOME_OK: " + scratchpad["n"]\n'
            'scratchpad["outcome"] = "OUTCOME_OK"\n'
            "try:\n"
            "    harness.answer(scratchpad, lambda sp: '17' in sp['answer'])\n"
            "except GateRejection:\n"
            "    pass"
        )
        solved = solve_for_ada(server, LOOK_UP, swallows_rejection, ANSWER)

        assert solved.reason == ""
        third_request = solved.model.requests[2]
        feedback = third_request[-1]["content"]
        assert "<gates>" in feedback
        assert "gate 6" in feedback


ONE_STEP = BudgetLimits(max_steps=1, extra_steps=0)
SETS_ANSWER = step_reply(
    'scratchpad["answer"] = harness.lookup("ada").number\nscratchpad["outcome"] = "OUTCOME_OK"'
)
"""A script that sets the right answer, and does not submit it."""


class TestUnsubmittedAnswers:
    """An answer that scripts have only set is submitted at the end of the trial.

    The question is Ada's number, 17. A trial of `ONE_STEP` ends after its first script.
    """

    def test_an_unsubmitted_answer_is_submitted_at_the_end_of_the_trial(
        self, server: ForkServer
    ) -> None:
        """The trial has one step, whose script only sets the answer."""
        solved = solve_for_ada(server, SETS_ANSWER, budget=ONE_STEP)

        assert solved.session.is_over
        (answer,) = [event for event in solved.events if isinstance(event, AnswerSent)]
        assert answer.message == "17"
        assert not answer.fallback

    def test_an_unsubmitted_answer_that_the_gates_reject_is_not_sent(
        self, server: ForkServer
    ) -> None:
        """The trial has one step, whose script sets an answer with an outcome in its text."""
        sets_wrong_answer = step_reply(
            'scratchpad["answer"] = "OUTCOME_OK: 17"\nscratchpad["outcome"] = "OUTCOME_OK"'
        )

        solved = solve_for_ada(server, sets_wrong_answer, budget=ONE_STEP)

        assert not solved.session.is_over
        assert not [event for event in solved.events if isinstance(event, AnswerSent)]
        (step,) = solved.steps
        assert not step.verdicts[0].accepted

    def test_an_unsubmitted_answer_is_not_judged_before_the_last_step(
        self, server: ForkServer
    ) -> None:
        """The script may set an answer that a later one corrects."""
        solved = solve_for_ada(server, SETS_ANSWER, LOOK_UP, ANSWER)

        assert solved.steps[0].verdicts == ()
        assert solved.reason == ""

    def test_the_user_is_not_told_that_an_answer_was_judged_if_it_was_not(
        self, server: ForkServer
    ) -> None:
        """The script uses up its three submissions, and only then sets an answer."""
        script = step_reply(
            "for _ in range(3):\n"
            "    try:\n"
            "        harness.answer(scratchpad, lambda sp: True)\n"
            "    except GateRejection:\n"
            "        pass\n"
            'scratchpad["answer"] = "17"\n'
            'scratchpad["outcome"] = "OUTCOME_OK"'
        )

        solved = solve_for_ada(server, script, budget=ONE_STEP)

        assert len(solved.steps[0].verdicts) == 3
        for event in solved.events:
            if isinstance(event, Noticed):
                assert "the gates judged it" not in event.text
