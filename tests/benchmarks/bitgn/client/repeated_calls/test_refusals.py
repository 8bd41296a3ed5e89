"""A call that the server refuses has not happened. The client repeats the call if that may help.

`refusal(503, "unavailable", "later")` may help to repeat, and the client does so for `retry_s`
seconds. After `not_found`, no repeat can help. A call is *in doubt* if its reply is lost: a refused
call is not.
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
    """The call must not be repeated in doubt. A refusal leaves no doubt."""
    replies = RepliesInTurn(refusal(503, "unavailable", "later"), SUCCESS)

    result = call_platform(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert result == {"done": True}
    assert replies.calls == 2


def test_a_first_call_that_is_refused_as_already_done_is_an_error() -> None:
    """With `accepts_already_done`, such a refusal of a *repeat* is a success: the call was done.

    Here, the first call itself is refused, so it was another one that did it.
    """
    replies = RepliesInTurn(refusal(409, "already_exists", "already answered"))

    error = error_of_call(replies, retry_s=5.0, accepts_already_done=True)

    assert replies.calls == 1
    assert error.code == "already_exists"
    assert not error.in_doubt
