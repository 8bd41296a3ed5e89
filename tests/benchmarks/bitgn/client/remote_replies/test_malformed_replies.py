"""Malformed replies of the platform (BitGN): a call may have happened although its reply is useless.

The platform is a server that offers tasks to agents. After a malformed reply, a call that changes
nothing is made three times, and fails with the code `internal`. A call that may have changed
something fails with the code `unknown`: nobody knows whether the change has happened.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import http_reply

# Directories in directories, 450 levels deep, which is not too deep. The deepest one has the
# number 7 in place of a list of children.
MALFORMED_TREE = b'{"children": [' * 450 + b"7" + b"]}" * 450

# A reply that is malformed for every operation, since each field has another type than it should.
MALFORMED_REPLY = b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % MALFORMED_TREE


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        pytest.param("exec", {"path": "/bin/id"}, id="program that changes nothing"),
        pytest.param("stat", {"path": "/a.txt"}, id="stat"),
        pytest.param("tree", {}, id="tree"),
    ],
)
def test_call_that_changes_nothing_is_made_three_times(
    operation: str, arguments: dict[str, Any]
) -> None:
    with (
        trial_on_stub(http_reply(MALFORMED_REPLY)) as trial,
        pytest.raises(CallError, match="is not as described") as caught,
    ):
        trial.environment.call(operation, arguments)

    assert caught.value.code == "internal"
    assert trial.request_count == 3


@pytest.mark.parametrize(
    ("operation", "arguments", "request_count"),
    [
        pytest.param(
            "exec",
            {"path": "/bin/checkout", "args": ["b1"]},
            1,
            id="a program is not run again",
        ),
        # A write of the same text does no harm. Before each repetition the file is read.
        pytest.param(
            "write",
            {"path": "/a.txt", "content": "x"},
            3 + 2,
            id="three writes, and two reads between them",
        ),
    ],
)
def test_call_that_may_have_changed_something_fails_as_unknown(
    operation: str, arguments: dict[str, Any], request_count: int
) -> None:
    with (
        trial_on_stub(http_reply(MALFORMED_REPLY)) as trial,
        pytest.raises(CallError, match="is not as described") as caught,
    ):
        trial.environment.call(operation, arguments)

    assert caught.value.code == "unknown"
    assert trial.request_count == request_count
