"""A conversation may have as many tokens as the context of the model.

How many tokens a text has is estimated: by what the endpoint has counted so far, or before that, with
three characters for a token.
"""

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.loop.loop_limits import ContextLimit
from controlplane.agent.model import Usage
from controlplane.agent.record.trial_step import TrialStep


def step_with_counted_tokens(prompt_tokens: int) -> TrialStep:
    """Return a step whose request had so many tokens, as the endpoint has counted."""
    usage = Usage(prompt_tokens=prompt_tokens)
    replied = ModelReplied(trial_id="t", step=1, reply="", usage=usage)
    return TrialStep(1, replies=[replied], done=StepDone(trial_id="t", step=1))


def test_there_is_no_warning_while_the_context_has_room() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    assert context.warning == ""
    assert context.reason == ""


def test_the_model_is_warned_before_its_context_is_full() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    context.add("x" * 140)  # 70 tokens more, which leave 230

    assert "200 tokens" in context.warning  # rounded down
    assert context.reason == ""


def test_a_trial_ends_when_its_context_is_full() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    context.add("x" * 740)  # 370 tokens more: 1,070

    assert "1,000 tokens (--max-context-tokens)" in context.reason


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    """The endpoint has not counted anything yet."""
    context = ContextLimit(1000)

    context.add("x" * 9000)  # 3 characters a token

    assert "about 3,000; lower --initial-prompt-chars" in context.reason
