"""Calls of the platform (BitGN) of which one attempt is lost, and another is refused, or the reverse.

The platform is a server that offers tasks to agents. A lost call is *in doubt*: it may have
happened. A refusal of the second attempt says nothing about the first, and "already answered" says
that the first has happened.
"""

from controlplane.benchmarks.bitgn.client.connection import Message
from tests.benchmarks.bitgn.client.platform_calls import call_platform, error_of_call
from tests.benchmarks.bitgn.client.stub_platform import (
    SUCCESS,
    RepliesInTurn,
    lose_connection,
    refusal,
)


def test_a_call_that_is_lost_after_a_refusal_is_in_doubt() -> None:
    """The third reply would be a success, but the call must not be repeated any more."""
    replies = RepliesInTurn(
        refusal(503, "unavailable", "later"), lose_connection, SUCCESS
    )

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_call_that_is_refused_after_it_was_lost_stays_in_doubt() -> None:
    """The refusal says nothing about the first attempt."""
    replies = RepliesInTurn(lose_connection, refusal(404, "not_found", "none"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 2
    assert error.code == "not_found"
    assert error.in_doubt


def test_already_done_counts_as_success_after_a_lost_reply() -> None:
    """The first attempt did the work, and only its reply was lost."""
    replies = RepliesInTurn(
        lose_connection, refusal(409, "already_exists", "already answered")
    )

    result = call_platform(replies, retry_s=5.0, accepts_already_done=True)

    assert result == {}
    assert replies.calls == 2


def test_a_call_is_not_repeated_if_it_turns_out_to_have_happened() -> None:
    """After a lost reply to a write, for example, the file is read."""
    checks: list[str] = []

    def find_out() -> Message:
        checks.append("checked")
        return {"found": True}

    replies = RepliesInTurn(lose_connection, SUCCESS)

    result = call_platform(replies, retry_s=5.0, before_repeat=find_out)

    assert result == {"found": True}
    assert replies.calls == 1
    assert checks == ["checked"]
