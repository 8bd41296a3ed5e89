"""Unusual replies to calls of a remote trial: malformed ones, trees with parts missing, late ones.

A call of a script, such as `harness.tree(level=2)`, is a request to the platform (BitGN). Here, a
stub takes the platform's place, and gives the same reply to each request:

    with trial_on_stub(http_reply(b'{"path": 7}')) as trial:
        trial.environment.call("stat", {"path": "/a.txt"})  # raises: the path is not a text
"""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.benchmarks.bitgn.client.trial.remote_environment import (
    RemoteEnvironment,
)
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    refusal,
)
from tests.support.byte_server import Behaviour, ByteServer

pytestmark = pytest.mark.usefixtures("short_backoff")


@dataclass(frozen=True)
class StubTrial:
    """A trial on a stand-in for the platform."""

    environment: RemoteEnvironment
    platform: ByteServer

    @property
    def request_count(self) -> int:
        return len(self.platform.requests)


@contextmanager
def trial_on_stub(behaviour: Behaviour, retry_s: float = 5.0) -> Iterator[StubTrial]:
    """Open a trial on a server that replies to each request in this way."""
    policy = CallPolicy(deadline_s=5.0, retry_s=retry_s)
    with ByteServer(behaviour) as platform, closing(PlatformClient(2)) as client:
        environment = RemoteEnvironment(client, platform.url, policy=policy)
        yield StubTrial(environment, platform)


class TestMalformedReplies:
    """A malformed reply is handled like a lost one: the call may have happened.

    A call that may happen twice is made three times, any other once. A write is made again as well,
    after the file was read to find out whether the first one has happened.
    """

    @pytest.mark.parametrize(
        ("operation", "arguments", "code", "request_count"),
        [
            pytest.param(
                "exec",
                {"path": "/bin/checkout", "args": ["b1"]},
                "unknown",
                1,
                id="program that changes something: not repeated",
            ),
            pytest.param(
                "write",
                {"path": "/a.txt", "content": "x"},
                "unknown",
                3 + 2,
                id="write: three times, and the file is read in between",
            ),
            pytest.param(
                "exec", {"path": "/bin/id"}, "internal", 3, id="program: three times"
            ),
            pytest.param(
                "stat", {"path": "/a.txt"}, "internal", 3, id="stat: three times"
            ),
            pytest.param("tree", {}, "internal", 3, id="tree: three times"),
        ],
    )
    def test_malformed_reply_is_handled_like_a_lost_one(
        self, operation: str, arguments: dict[str, Any], code: str, request_count: int
    ) -> None:
        """The call may have happened, so it is repeated only if it may happen twice.

        Each row has the code of the error, and how many requests the client makes.
        """
        # A tree of 450 levels, which is not too deep. The last one has a number for a list.
        malformed_tree = b'{"children": [' * 450 + b"7" + b"]}" * 450
        # A reply whose fields have other types than the protocol says.
        malformed_reply = (
            b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % malformed_tree
        )

        with (
            trial_on_stub(http_reply(malformed_reply)) as trial,
            pytest.raises(CallError, match="is not as described") as caught,
        ):
            trial.environment.call(operation, arguments)

        assert caught.value.code == code
        assert trial.request_count == request_count


TRUNCATED_TREE = json.dumps(
    {
        "root": {
            "name": "/",
            "kind": "NODE_KIND_DIR",
            "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
        },
        "truncated": True,
    }
).encode()
"""A reply to `tree` from which folders are missing."""


class TestTruncatedTrees:
    """A tree of which the platform left out folders does not say where they are missing."""

    @pytest.mark.parametrize(
        "level", [pytest.param(0, id="all levels"), pytest.param(2, id="two levels")]
    )
    def test_truncated_tree_is_refused_with_another_way(self, level: int) -> None:
        """The reply does not say which folders are incomplete, so the tree is of no use.

        The level 0 asks for all levels. The error tells the model what it can do instead.
        """
        with (
            trial_on_stub(http_reply(TRUNCATED_TREE)) as trial,
            pytest.raises(CallError, match="list its folders one by one") as caught,
        ):
            trial.environment.call("tree", {"level": level})

        assert caught.value.code == "resource_exhausted"
        assert trial.request_count == 1

    def test_truncated_tree_of_one_level_is_used(self) -> None:
        """With one level, no folder's content was asked for, so that nothing is missing."""
        with trial_on_stub(http_reply(TRUNCATED_TREE)) as trial:
            result = trial.environment.call("tree", {"level": 1})

        assert result["children"]
        assert trial.request_count == 1


class TestEndOfTrial:
    """A trial ends at `ends_at`. After that, only its answer is worth another attempt."""

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param("Retry-After: 3600\r\n", id="requested pause"),
            pytest.param("", id="own pauses"),
        ],
    )
    def test_call_is_not_retried_after_the_end_of_its_trial(self, headers: str) -> None:
        """The trial ends in 0.3 s. Otherwise the call would be retried for an hour."""
        unavailable = refusal(503, "unavailable", "later", headers=headers)
        with trial_on_stub(unavailable, retry_s=3_600.0) as trial:
            trial.environment.ends_at = time.monotonic() + 0.3
            with pytest.raises(CallError):
                trial.environment.call("read", {"path": "/a.txt"})

    def test_answer_is_retried_after_the_end_of_its_trial(self) -> None:
        """Without its answer, all work of the trial would be lost."""
        unavailable = refusal(503, "unavailable", "", headers="Retry-After: 0.3\r\n")
        replies = RepliesInTurn(unavailable, http_reply(b"{}"))
        with trial_on_stub(replies, retry_s=20.0) as trial:
            trial.environment.ends_at = time.monotonic()
            trial.environment.answer("yes", "OUTCOME_OK", [])

        assert trial.request_count == 2


class TestResultsAwaitedTwice:
    """`now` asks the platform's clock by `/bin/date`, and a script may ask for it, too.

    Both wait for the same call. Its attempts and pauses are counted once, whoever waits.
    """

    def test_call_whose_result_is_awaited_twice_goes_on_with_its_retries(self) -> None:
        """The clock awaits a call that fails, and then the script does.

        A call that fails with `internal` is sent three times. When
        the script awaits it, it is sent only once more.
        """
        with trial_on_stub(refusal(500, "internal", "out of memory")) as trial:
            finish = trial.environment.begin("exec", {"path": "/bin/date"})
            assert trial.environment.now() is None
            assert trial.request_count == 3

            with pytest.raises(CallError, match="out of memory"):
                finish()

            assert trial.request_count == 4

    def test_pauses_of_a_call_whose_result_is_awaited_twice_are_added_up(self) -> None:
        """The platform requests pauses of 200 seconds, and a call waits for at most 300."""
        busy = refusal(429, "resource_exhausted", "busy", "Retry-After: 200\r\n")
        pauses: list[float] = []

        def wait(seconds: float) -> bool:
            pauses.append(seconds)
            return False  # The run is not stopped.

        with trial_on_stub(busy) as trial:
            finish = trial.environment.begin("exec", {"path": "/bin/date"})
            with patch.object(
                PlatformClient, "wait", lambda client, seconds: wait(seconds)
            ):
                assert trial.environment.now() is None
                with pytest.raises(CallError, match="busy"):
                    finish()

        assert pauses == [200.0]
