"""One call of the platform: when it is repeated, and when it waits.

A call whose reply was lost is *in doubt*: it may have happened. Its policy says how often
it may then be repeated: reading a file may, and placing an order may not. The tests let a
stand-in for the platform lose, refuse and delay replies.
"""

import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_call import Call
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    lose_connection,
    refusal,
)
from tests.support.byte_server import Behaviour, ByteServer
from tests.support.command import wait_until

CANARY_KEY = "canary-key-77aa"
"""A key that must never be shown."""


def new_call(
    url: str,
    client: PlatformClient,
    message: dict[str, Any] | None = None,
    *,
    before_repeat: Callable[[], Message | None] | None = None,
    deadline_s: float = 5.0,
    retry_s: float = 0.0,
    **policy: Any,
) -> Call[Message]:
    """Return a call of the method `Do`, which has not been made yet.

    `new_call(platform.url, client, {"path": "/a.txt"}, retry_s=5.0).finish()` makes it, again and
    again for 5 seconds if it fails; by default only once. `before_repeat` may find out that the
    call has happened, and return its result. `policy` has further fields of `CallPolicy`.
    """
    request = PlatformRequest(Service(client, url, "a.Service"), "Do", message or {})
    call_policy = CallPolicy(deadline_s=deadline_s, retry_s=retry_s, **policy)
    return Call(
        request,
        call_policy,
        parse_reply=lambda reply: reply,
        before_repeat=before_repeat,
    )


def call_platform(
    behaviour: Behaviour, message: dict[str, Any] | None = None, **options: Any
) -> Message:
    """Make one call, to which the platform replies in this way, and return the reply's message.

    `call_platform(lose_connection)` raises the error of a call whose connection is lost. `options`
    are those of `new_call`.
    """
    with (
        ByteServer(behaviour) as platform,
        closing(PlatformClient(connections=2, secrets=(CANARY_KEY,))) as client,
    ):
        return new_call(platform.url, client, message, **options).finish()


# Replies of the stand-in for the platform.
SUCCESS = http_reply(b'{"done": true}')
ALREADY_EXISTS = refusal(409, "already_exists", "already answered")
UNAVAILABLE = refusal(503, "unavailable", "later")
CANCELED = refusal(499, "canceled", "the server stops")
INTERNAL_ERROR = refusal(500, "internal", "a fault")
NOT_FOUND = refusal(404, "not_found", "none")
PAGE_OF_A_PROXY = http_reply(b"<h1>Down</h1>", status="503 X", content_type="text/html")


@dataclass(frozen=True)
class FailedCall:
    """A call that fails: the replies to its attempts, and the error at the end."""

    replies: tuple[Behaviour, ...]
    """The last of them is given to all further attempts."""
    attempts: int
    """How often the call is made."""
    code: str
    """The code of the error: `unavailable`."""
    in_doubt: bool
    """Whether the call may have happened, as nothing says the opposite."""
    policy: dict[str, Any] = field(default_factory=dict)
    """Fields of `CallPolicy`: `{"max_repeats_in_doubt": 1}`."""


class TestFailedCalls:
    """A call that fails is repeated as often as its policy allows, and not once more.

    If its reply was lost, the call is *in doubt*: it may have happened. Then `max_repeats_in_doubt`
    says how often it may be repeated. A refusal ("later") says that it did not happen.
    """

    @pytest.mark.parametrize(
        "failed_call",
        [
            pytest.param(
                FailedCall((NOT_FOUND,), attempts=1, code="not_found", in_doubt=False),
                id="refused for good",
            ),
            pytest.param(
                FailedCall(
                    (lose_connection,),
                    policy={"max_repeats_in_doubt": 0},
                    attempts=1,
                    code="unavailable",
                    in_doubt=True,
                ),
                id="lost, and must not be repeated",
            ),
            pytest.param(
                FailedCall(
                    (lose_connection,),
                    policy={"max_repeats_in_doubt": 1},
                    attempts=2,
                    code="unavailable",
                    in_doubt=True,
                ),
                id="lost twice, and may be repeated once",
            ),
            pytest.param(
                FailedCall(
                    (PAGE_OF_A_PROXY,),
                    policy={"max_repeats_in_doubt": 1},
                    attempts=2,
                    code="unavailable",
                    in_doubt=True,
                ),
                id="page of a proxy, which may have passed the call on",
            ),
            pytest.param(
                FailedCall(
                    (UNAVAILABLE, lose_connection, SUCCESS),
                    policy={"max_repeats_in_doubt": 0},
                    attempts=2,
                    code="unavailable",
                    in_doubt=True,
                ),
                id="refused for now, then lost",
            ),
        ],
    )
    def test_call_is_repeated_as_often_as_its_policy_allows(
        self, failed_call: FailedCall
    ) -> None:
        replies = RepliesInTurn(*failed_call.replies)

        with pytest.raises(WireError) as caught:
            call_platform(replies, deadline_s=2.0, retry_s=5.0, **failed_call.policy)

        assert replies.calls == failed_call.attempts
        assert caught.value.code == failed_call.code
        assert caught.value.in_doubt == failed_call.in_doubt


class TestFailuresOfServer:
    """A server that fails may have made the call before, so the call is in doubt.

    As the fault may come again, the call is made three times at most. A refusal after a lost reply
    says nothing about the first attempt.

    The replies are errors of the platform, such as `INTERNAL_ERROR`: the status 500
    with the code `internal`.
    """

    @pytest.mark.parametrize(
        "failed_call",
        [
            pytest.param(
                FailedCall(
                    (INTERNAL_ERROR,), attempts=3, code="internal", in_doubt=True
                ),
                id="fault of the server, three times",
            ),
            pytest.param(
                FailedCall((CANCELED,), attempts=3, code="canceled", in_doubt=True),
                id="given up by the server, three times",
            ),
            pytest.param(
                FailedCall(
                    (CANCELED,),
                    policy={"max_repeats_in_doubt": 0},
                    attempts=1,
                    code="canceled",
                    in_doubt=True,
                ),
                id="given up by the server, and must not be repeated",
            ),
            pytest.param(
                FailedCall(
                    (ALREADY_EXISTS,),
                    policy={"accepts_already_done": True},
                    attempts=1,
                    code="already_exists",
                    in_doubt=False,
                ),
                id="already done, but not by this call",
            ),
            pytest.param(
                FailedCall(
                    (lose_connection, NOT_FOUND),
                    attempts=2,
                    code="not_found",
                    in_doubt=True,
                ),
                id="lost, then refused: the first attempt may have happened",
            ),
        ],
    )
    def test_call_is_repeated_as_often_as_its_policy_allows(
        self, failed_call: FailedCall
    ) -> None:
        replies = RepliesInTurn(*failed_call.replies)

        with pytest.raises(WireError) as caught:
            call_platform(replies, deadline_s=2.0, retry_s=5.0, **failed_call.policy)

        assert replies.calls == failed_call.attempts
        assert caught.value.code == failed_call.code
        assert caught.value.in_doubt == failed_call.in_doubt


class TestLostReplies:
    """A call whose reply was lost may turn out to have happened.

    `ALREADY_EXISTS` is the reply of the platform to what was done before.
    """

    def test_already_done_counts_as_success_after_a_lost_reply(self) -> None:
        """The first attempt did the work, and only its reply was lost."""
        replies = RepliesInTurn(lose_connection, ALREADY_EXISTS)

        result = call_platform(
            replies, deadline_s=2.0, retry_s=5.0, accepts_already_done=True
        )

        assert result == {}
        assert replies.calls == 2

    def test_call_is_not_repeated_if_it_turns_out_to_have_happened(self) -> None:
        """After a lost reply to a write, for example, the file is read."""
        checks: list[str] = []

        def find_out() -> Message:
            checks.append("checked")
            return {"found": True}

        replies = RepliesInTurn(lose_connection, SUCCESS)

        result = call_platform(
            replies, deadline_s=2.0, retry_s=5.0, before_repeat=find_out
        )

        assert result == {"found": True}
        assert replies.calls == 1
        assert checks == ["checked"]


class TestConnections:
    """A client has a limited number of connections, which all its calls share.

    The stand-in for the platform replies `SUCCESS`: `{"done": true}`.
    """

    def test_call_can_wait_for_the_connection_of_a_call_of_the_same_thread(
        self,
    ) -> None:
        """The client may have one connection, and of two calls the second is finished first.

        It must not wait until the first one gives the connection back: the thread that waits is the
        one that would finish the first call.
        """
        with (
            ByteServer(SUCCESS) as platform,
            closing(PlatformClient(connections=1)) as client,
        ):
            new_call(platform.url, client).finish()  # leaves an open connection
            first = new_call(platform.url, client, retry_s=5.0).begin()
            second = new_call(platform.url, client, retry_s=5.0).begin()

            second_result = second.finish()
            first_result = first.finish()

        assert second_result == {"done": True}
        assert first_result == {"done": True}
        assert len(platform.requests) == 3

    def test_no_more_calls_are_open_than_there_may_be_connections(self) -> None:
        """Six threads make twelve calls, and the client may have two connections."""
        open_requests: list[bytes] = []
        counts_of_open_calls: list[int] = []

        def reply_slowly(connection: socket.socket, request: bytes) -> None:
            open_requests.append(request)
            counts_of_open_calls.append(len(open_requests))
            time.sleep(0.05)
            open_requests.pop()
            SUCCESS(connection, request)

        with (
            ByteServer(reply_slowly) as platform,
            closing(PlatformClient(connections=2)) as client,
            ThreadPoolExecutor(6) as pool,
        ):
            calls = [
                pool.submit(new_call(platform.url, client).finish) for _ in range(12)
            ]
            for call in calls:
                call.result()

        assert max(counts_of_open_calls) == 2
        assert len(counts_of_open_calls) == 12


class TestEndOfTrial:
    """A call that waits for its reply is not made again after the end of its trial."""

    def test_call_is_not_repeated_once_its_trial_has_ended(self) -> None:
        """The trial ends while the platform keeps the call waiting for longer than its deadline."""
        arrived = threading.Event()

        def keep_waiting(connection: socket.socket, request: bytes) -> None:
            arrived.set()
            time.sleep(1)

        with (
            ByteServer(keep_waiting) as platform,
            closing(PlatformClient(connections=2)) as client,
        ):
            call = new_call(platform.url, client, deadline_s=0.2, retry_s=5.0)
            begun_call = call.begin()
            assert arrived.wait(5)
            call.request.service.is_closed = True  # as at the end of a trial
            with pytest.raises(WireError, match="its trial has ended") as caught:
                begun_call.finish()

        assert caught.value.code == "canceled"
        assert caught.value.in_doubt
        assert len(platform.requests) == 1


class TestRequestedPauses:
    """The platform may ask a client to wait, by the header `Retry-After`.

    Other calls of the client need not wait, and the user is told of longer pauses.
    """

    def test_pause_that_the_server_requests_delays_only_its_own_call(self) -> None:
        """The first call is told to wait 0.3 s. Meanwhile the second call is made and answered.

        The user is told of pauses from 0.2 s on, in whole seconds: "wait 0 s".
        """
        requested_pause_s = 0.3
        pause_request = refusal(
            429,
            "resource_exhausted",
            "slow",
            headers=f"Retry-After: {requested_pause_s}\r\n",
        )
        arrivals: list[tuple[str, float]] = []  # the call, and when its request arrived
        notices: list[str] = []

        def refuse_first_request(connection: socket.socket, request: bytes) -> None:
            name = "first" if b"first" in request else "second"
            arrivals.append((name, time.monotonic()))
            if len(arrivals) == 1:
                pause_request(connection, request)
            else:
                SUCCESS(connection, request)

        with (
            ByteServer(refuse_first_request) as platform,
            patch.object(bounds, "NOTICE_AFTER_S", 0.2),
            closing(PlatformClient(2, notify=notices.append)) as client,
            ThreadPoolExecutor(1) as pool,
        ):
            first = new_call(platform.url, client, {"name": "first"}, retry_s=5.0)
            waiting_call = pool.submit(first.finish)
            wait_until(lambda: len(notices) > 0)
            new_call(platform.url, client, {"name": "second"}).finish()
            first_result = waiting_call.result(5)

        assert first_result == {"done": True}
        assert [name for name, _ in arrivals] == ["first", "second", "first"]
        _, first_arrival_s = arrivals[0]
        _, repeated_arrival_s = arrivals[2]
        assert repeated_arrival_s - first_arrival_s >= requested_pause_s
        assert notices == ["the platform asks to wait 0 s with Do"]


def error_of_platform(
    behaviour: Behaviour, message: dict[str, Any] | None = None
) -> WireError:
    """Return the error of a call to which the platform replies in this way."""
    with pytest.raises(WireError) as caught:
        call_platform(behaviour, message)
    return caught.value


class TestSecrets:
    """What the platform sends is searched for the user's key, here `CANARY_KEY`.

    Results and errors of calls are written to the journal, which may be shared.
    """

    def test_secret_that_a_refusal_repeats_is_replaced(self) -> None:
        """The error says what was wrong, without the key."""
        repeats_key = refusal(401, "unauthenticated", f"the key {CANARY_KEY} is wrong")

        error = error_of_platform(repeats_key, message={"apiKey": CANARY_KEY})

        assert CANARY_KEY not in str(error)
        assert "[secret]" in error.message

    def test_secret_on_a_page_is_replaced(self) -> None:
        """A proxy may show the request, with its key, on a page of HTML."""
        page = f"<html>{CANARY_KEY}</html>".encode()

        error = error_of_platform(http_reply(page, content_type="text/html"))

        assert CANARY_KEY not in str(error)

    def test_secret_in_a_redirect_is_replaced(self) -> None:
        """A proxy may redirect the client to an address that has the key."""
        redirect = http_reply(
            b"", status="302 X", headers=f"Location: http://h/?key={CANARY_KEY}\r\n"
        )

        assert CANARY_KEY not in str(error_of_platform(redirect))

    def test_secret_in_a_reply_is_replaced(self) -> None:
        """A result is not an error: only the key in it is replaced."""
        body = json.dumps({"a": CANARY_KEY}).encode()

        assert call_platform(http_reply(body)) == {"a": "[secret]"}
