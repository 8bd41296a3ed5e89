"""The limits of a trial: its steps, the tokens of its context, and its calls.

Before a limit is reached, the model is warned in the message after its step, so that it can still
answer. Some steps do not count ("are refunded"): scripts that were refused before they ran, and
replies without a script. A resumed trial counts what it did before the interruption.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.loop.limits.context_limit import ContextLimit
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.model import Usage
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import (
    feedback_of,
    record_after_steps,
    solve_for_ada,
)
from tests.support.single_trial import step_reply


class TestStepLimit:
    """A trial may take a number of steps, and a few more after it was told to answer.

    A step is a reply of the model with what its script did. Steps in which nothing ran are
    refunded: the first three whose script was refused, and the first two whose reply had no script.
    """

    @pytest.mark.parametrize(
        ("refused_scripts", "unusable_replies", "counted_steps"),
        [
            pytest.param(5, 0, 2, id="three scripts are refunded"),
            pytest.param(0, 5, 3, id="two replies are refunded"),
            pytest.param(5, 5, 5, id="three scripts and two replies are refunded"),
        ],
    )
    def test_the_first_steps_that_ran_nothing_do_not_count(
        self, refused_scripts: int, unusable_replies: int, counted_steps: int
    ) -> None:
        """Three scripts that were refused before they ran are refunded, and two replies without a
        script."""
        steps = StepLimit(BudgetLimits())

        for number in range(1, refused_scripts + 1):
            refunded = steps.refunds.can_refund_script
            done = StepDone(
                trial_id="t", step=number, code="import os", refunded=refunded
            )
            steps.count(TrialStep(number, done=done))
        for number in range(6, 6 + unusable_replies):
            refunded = steps.refunds.can_refund_reply
            done = StepDone(trial_id="t", step=number, code="", refunded=refunded)
            steps.count(TrialStep(number, done=done))

        assert steps.spent == counted_steps

    def test_a_trial_warns_asks_for_an_answer_and_ends(
        self, server: ForkServer
    ) -> None:
        """With 7 steps and 2 extra ones, the model is warned after step 5, and told to answer (the
        nudge) after step 7. The trial ends after step 9."""
        budget = BudgetLimits(max_steps=7, extra_steps=2, warn_before=2)
        idle_scripts = [step_reply(f"print({number})") for number in range(20)]

        solved = solve_for_ada(server, *idle_scripts, budget=budget)

        message_after_step: dict[int, str] = {}
        for step_number, request in enumerate(solved.model.requests):
            message_after_step[step_number] = request[-1]["content"]
        assert "Only 4 steps are left" in message_after_step[5]
        assert "used up" in message_after_step[7]
        assert len(solved.steps) == 9
        assert "7 steps, and 2 more after the nudge" in solved.reason


class TestContextLimit:
    """A conversation may have as many tokens as the context of the model.

    The limit of these tests is 1,000 tokens. How many tokens a text has is estimated by what the
    endpoint counted in earlier requests.
    """

    def test_the_model_is_warned_before_its_context_is_full_and_the_trial_ends_then(
        self,
    ) -> None:
        """The estimate follows what the endpoint has counted: here, three characters are one
        token."""
        context = ContextLimit(1000)
        # The endpoint counts 700 tokens for 2,100 characters: three characters are one token.
        context.add("x" * 2100)
        replied = ModelReplied(
            trial_id="t", step=1, reply="", usage=Usage(prompt_tokens=700)
        )
        done = StepDone(trial_id="t", step=1)
        context.count(TrialStep(1, replies=[replied], done=done))
        assert context.reason == ""
        assert context.warning == ""

        context.add("z" * 210)  # now 770 tokens, so that 230 are left
        assert "200 tokens" in context.warning  # rounded down

        context.add("z" * 900)  # now 1,070 tokens
        assert "1,000 tokens (--max-context-tokens)" in context.reason

    def test_a_first_request_that_is_too_long_says_what_helps(self) -> None:
        """The endpoint has not counted anything yet, so three characters are taken for a token."""
        context = ContextLimit(1000)

        context.add("x" * 9000)  # about 3,000 tokens

        assert "about 3,000; lower --initial-prompt-chars" in context.reason


LOOKS_UP_TWICE = step_reply("for number in range(2):\n    harness.lookup('ada')")
"""A script of two calls."""


class TestCallLimit:
    """A trial may make a number of calls to its environment, here five.

    The model replies three times with the same script, which makes two calls. So one call is left
    after the second script, and the last call of the third one is refused.
    """

    def test_a_trial_warns_before_its_last_call_and_ends_after_it(
        self, server: ForkServer
    ) -> None:
        solved = solve_for_ada(server, *[LOOKS_UP_TWICE] * 3, max_calls=5)

        first, second, third = [feedback_of(step) for step in solved.steps]
        warning = "may make 1 more calls"
        assert warning not in first
        assert warning in second
        assert warning not in third
        assert "at most 5 calls (--max-calls)" in third
        assert solved.reason.startswith("no answer within 5 calls (--max-calls)")

    def test_a_resumed_trial_counts_the_calls_that_it_has_made(
        self, server: ForkServer
    ) -> None:
        """The trial is cut off after its second step, when one of five calls is left."""
        whole = solve_for_ada(server, *[LOOKS_UP_TWICE] * 3, max_calls=5)
        record = record_after_steps(2, whole)

        resumed = solve_for_ada(server, LOOKS_UP_TWICE, record=record, max_calls=5)

        (third_step,) = resumed.steps
        assert feedback_of(third_step) == feedback_of(whole.steps[2])
        assert resumed.reason == whole.reason
