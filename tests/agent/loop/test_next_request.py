"""What the model is asked next, after its script has run.

request 1    the system prompt, and the user's task
request 2    the same, the model's first reply, and what its script printed
request 3    the same as in request 2, the second reply, and so on

The trial asks for Ada's phone number: `LOOK_UP` is a reply that looks it up, and `ANSWER` one that
submits it.
"""

import itertools

from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.single_trial import step_reply


def test_every_request_begins_with_the_whole_one_before(
    server: ForkServer,
) -> None:
    """Endpoints cache the beginning of a conversation, so nothing in it may change later. The trial
    ends at its limit of steps, 35 and some more."""
    mistakes = [
        step_reply("print(1"),
        step_reply("import os"),
        "not JSON at all",
        step_reply("raise ValueError('no')"),
    ]
    scripts = [step_reply(f"print({number})") for number in range(40)]

    requests = solve_for_ada(server, *mistakes, *scripts).model.requests

    assert len(requests) >= 35
    for earlier, later in itertools.pairwise(requests):
        assert later[: len(earlier)] == earlier


def test_after_a_repeated_failure_one_request_has_a_higher_temperature(
    server: ForkServer,
) -> None:
    """A higher temperature lets the model try something else. The third request, which comes after
    the second failure, has it."""
    failing = step_reply("print(1 / 0)")

    solved = solve_for_ada(server, failing, failing, LOOK_UP, ANSWER)

    assert solved.model.temperatures == [None, None, 1.2, None]


def test_a_script_that_fails_like_the_one_before_comes_in_no_request(
    server: ForkServer,
) -> None:
    """A model that sees the same failure twice is tempted to repeat it."""
    first_failure = step_reply("print(1 / 0)")
    same_failure = step_reply("value = 1 / 0")

    solved = solve_for_ada(server, first_failure, same_failure, LOOK_UP, ANSWER)

    for request in solved.model.requests:
        assert same_failure not in [message["content"] for message in request]
    last_request = [message["content"] for message in solved.model.requests[-1]]
    assert first_failure in last_request
    assert LOOK_UP in last_request
