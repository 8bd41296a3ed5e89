"""A call of the platform that fails is repeated as often as its policy allows, and not once more.

    the platform refuses the call ("later")     it did not happen
    its reply is lost                           it is *in doubt*: it may have happened

Reading a file may be repeated in any case, and placing an order may not: `max_repeats_in_doubt` says how often
a call in doubt may be.
"""

from controlplane.benchmarks.bitgn.client.connection.wire_errors import Message
from tests.benchmarks.bitgn.client.platform_calls import (
    SUCCESS,
    call_platform,
    error_of_call,
)
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    lose_connection,
    refusal,
)


class TestRefusals:
    """The platform says that it did not make the call."""

    def test_a_call_that_is_refused_for_good_is_not_repeated(self) -> None:
        replies = RepliesInTurn(refusal(404, "not_found", "none"))

        error = error_of_call(replies, retry_s=5.0)

        assert replies.calls == 1
        assert error.code == "not_found"
        assert not error.in_doubt

    def test_a_call_that_is_refused_for_now_is_repeated(self) -> None:
        """The policy for calls in doubt does not matter."""
        replies = RepliesInTurn(refusal(503, "unavailable", "later"), SUCCESS)

        result = call_platform(replies, retry_s=5.0, max_repeats_in_doubt=0)

        assert result == {"done": True}
        assert replies.calls == 2

    def test_what_was_already_done_by_another_call_is_an_error(self) -> None:
        replies = RepliesInTurn(refusal(409, "already_exists", "already answered"))

        error = error_of_call(replies, retry_s=5.0, accepts_already_done=True)

        assert replies.calls == 1
        assert error.code == "already_exists"
        assert not error.in_doubt


class TestLostReplies:
    """The connection is lost before the reply. Nobody knows whether the call has happened."""

    def test_a_lost_call_that_must_not_be_repeated_is_in_doubt(self) -> None:
        replies = RepliesInTurn(lose_connection)

        error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

        assert replies.calls == 1
        assert error.code == "unavailable"
        assert error.in_doubt

    def test_a_lost_call_is_repeated_as_often_as_its_policy_allows(self) -> None:
        replies = RepliesInTurn(lose_connection)

        error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

        assert replies.calls == 2
        assert error.code == "unavailable"
        assert error.in_doubt

    def test_a_page_of_a_proxy_is_like_a_lost_reply(self) -> None:
        """The proxy may have passed the call on."""
        page = http_reply(b"<h1>Down</h1>", status="503 X", content_type="text/html")
        replies = RepliesInTurn(page)

        error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

        assert replies.calls == 2
        assert error.code == "unavailable"
        assert error.in_doubt

    def test_a_call_that_is_lost_after_a_refusal_is_in_doubt(self) -> None:
        """The third reply would be a success, but the call must not be repeated any more."""
        replies = RepliesInTurn(
            refusal(503, "unavailable", "later"), lose_connection, SUCCESS
        )

        error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

        assert replies.calls == 2
        assert error.code == "unavailable"
        assert error.in_doubt

    def test_a_call_that_is_refused_after_it_was_lost_stays_in_doubt(self) -> None:
        """The refusal says nothing about the first attempt."""
        replies = RepliesInTurn(lose_connection, refusal(404, "not_found", "none"))

        error = error_of_call(replies, retry_s=5.0)

        assert replies.calls == 2
        assert error.code == "not_found"
        assert error.in_doubt

    def test_already_done_counts_as_success_after_a_lost_reply(self) -> None:
        """The first attempt did the work, and only its reply was lost."""
        replies = RepliesInTurn(
            lose_connection, refusal(409, "already_exists", "already answered")
        )

        result = call_platform(replies, retry_s=5.0, accepts_already_done=True)

        assert result == {}
        assert replies.calls == 2

    def test_a_call_is_not_repeated_if_it_turns_out_to_have_happened(self) -> None:
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


class TestFaultsOfTheServer:
    """A server that fails may have made the call before, so the call is in doubt.

    As the fault may come again, the call is made three times at most.
    """

    def test_a_call_that_meets_a_fault_is_made_three_times(self) -> None:
        replies = RepliesInTurn(refusal(500, "internal", "a fault"))

        error = error_of_call(replies, retry_s=5.0)

        assert replies.calls == 3
        assert error.code == "internal"
        assert error.in_doubt

    def test_a_call_that_the_server_gives_up_is_made_three_times(self) -> None:
        replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

        error = error_of_call(replies, retry_s=5.0)

        assert replies.calls == 3
        assert error.code == "canceled"
        assert error.in_doubt

    def test_a_call_that_the_server_gives_up_may_be_one_that_must_not_be_repeated(
        self,
    ) -> None:
        replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

        error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

        assert replies.calls == 1
        assert error.code == "canceled"
        assert error.in_doubt
