"""A trial may make a number of calls to its environment, here five.

The model replies three times with the same script of two calls. So one call is left after the second
script, and the last call of the third one is refused.
"""

from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import (
    feedback_of,
    record_after_steps,
    solve_for_ada,
)
from tests.support.single_trial import step_reply

TWO_CALLS = step_reply("for number in range(2):\n    harness.lookup('ada')")


def test_a_trial_warns_before_its_last_call_and_ends_after_it(
    server: ForkServer,
) -> None:
    solved = solve_for_ada(server, TWO_CALLS, TWO_CALLS, TWO_CALLS, max_calls=5)

    first, second, third = [feedback_of(step) for step in solved.steps]
    assert "may make 1 more calls" not in first
    assert "may make 1 more calls" in second
    assert "may make 1 more calls" not in third
    assert "at most 5 calls (--max-calls)" in third
    assert solved.reason.startswith("no answer within 5 calls (--max-calls)")


def test_a_resumed_trial_counts_the_calls_that_it_has_made(server: ForkServer) -> None:
    """The trial is cut off after its second step, when one of five calls is left."""
    whole = solve_for_ada(server, TWO_CALLS, TWO_CALLS, TWO_CALLS, max_calls=5)
    record = record_after_steps(2, whole)

    resumed = solve_for_ada(server, TWO_CALLS, record=record, max_calls=5)

    (third_step,) = resumed.steps
    assert feedback_of(third_step) == feedback_of(whole.steps[2])
    assert resumed.reason == whole.reason
