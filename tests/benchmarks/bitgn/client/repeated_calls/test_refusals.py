"""Calls that the platform (BitGN) refuses: they did not happen, and are repeated if that may help.

The platform is a server that offers tasks to agents. `refusal(503, "unavailable", "later")` is a
refusal for now, and the client repeats the call for `retry_s` seconds. `not_found` is one for
good.
"""

from tests.benchmarks.bitgn.client.platform_calls import call_platform, error_of_call
from tests.benchmarks.bitgn.client.stub_platform import SUCCESS, RepliesInTurn, refusal


def test_a_call_that_is_refused_for_good_is_not_repeated() -> None:
    replies = RepliesInTurn(refusal(404, "not_found", "none"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 1
    assert error.code == "not_found"
    assert not error.in_doubt


def test_a_call_that_is_refused_for_now_is_repeated() -> None:
    """The policy for calls in doubt does not matter."""
    replies = RepliesInTurn(refusal(503, "unavailable", "later"), SUCCESS)

    result = call_platform(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert result == {"done": True}
    assert replies.calls == 2


def test_what_was_already_done_by_another_call_is_an_error() -> None:
    replies = RepliesInTurn(refusal(409, "already_exists", "already answered"))

    error = error_of_call(replies, retry_s=5.0, accepts_already_done=True)

    assert replies.calls == 1
    assert error.code == "already_exists"
    assert not error.in_doubt
