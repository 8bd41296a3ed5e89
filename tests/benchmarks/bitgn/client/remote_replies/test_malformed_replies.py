"""Malformed replies of the platform (BitGN) to the calls of a trial: they are handled like lost ones.

The platform is a server that offers tasks to agents. The call may have happened. A call that may
happen twice is made three times, any other once. A write is made again as well, after the file was
read to find out whether the first one has happened.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import http_reply


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
        pytest.param("stat", {"path": "/a.txt"}, "internal", 3, id="stat: three times"),
        pytest.param("tree", {}, "internal", 3, id="tree: three times"),
    ],
)
def test_malformed_reply_is_handled_like_a_lost_one(
    operation: str, arguments: dict[str, Any], code: str, request_count: int
) -> None:
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
