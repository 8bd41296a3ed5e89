"""The client reads what the real platform replies, and sends only what it knows.

`reply_from_wire` makes the result of an operation from a reply; `wire` means the names and values that
messages have. A field that is 0, empty or false is left out of a message.
"""

import gzip
import json

import pytest

from controlplane.benchmarks.bitgn.rpc import Rpc
from controlplane.benchmarks.bitgn.rpcs import RPCS
from tests.benchmarks.bitgn.recorded_calls import RECORD, RecordedCall, with_wire_names


def rpc_of(operation: str) -> Rpc:
    """Return how the client converts the calls and replies of an operation."""
    rpc = RPCS[operation]
    assert rpc is not None
    return rpc


@pytest.fixture(scope="module")
def recorded_calls() -> list[RecordedCall]:
    """All recorded calls that succeeded, with their replies. They are beside the repository.

    Those of `tree` are left out, since the record has only texts that were made of their replies.
    """
    if not RECORD.exists():
        pytest.skip("the recorded trials are not on this machine")
    calls: list[RecordedCall] = []
    with gzip.open(RECORD, "rt") as lines:
        for line in lines:
            for operation, arguments, reply in json.loads(line)["calls"]:
                if operation != "tree" and "error" not in reply:
                    calls.append(RecordedCall(operation, arguments, reply))
    return calls


class TestRecordedCalls:
    """A record has what scripts called on the platform, and what it replied."""

    def test_the_client_reads_every_recorded_reply(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        # 1,513 exec, 480 read, 6 find, 4 stat, 1 search, 1 list
        assert len(recorded_calls) > 2_000

        for recorded in recorded_calls:
            reply = with_wire_names(recorded.reply)
            result = rpc_of(recorded.operation).reply_from_wire(reply)

            match recorded.operation:
                case "exec":
                    assert result["stdout"] == reply.get("stdout", "")
                    assert result["stderr"] == reply.get("stderr", "")
                    assert result["exit_code"] == reply.get("exitCode", 0)
                case "read":
                    assert result["path"] == reply["path"]
                    assert result["content"] == reply["content"]
                case "find":
                    assert result["paths"] == reply["paths"]
                case "stat":
                    assert result["path"] == reply["path"]
                    assert result["is_dir"] == (reply["kind"] == "NODE_KIND_DIR")
                    assert result["content_type"] == reply["contentType"]
                case "search":
                    texts = [match["text"] for match in result["matches"]]
                    assert texts == [match["lineText"] for match in reply["matches"]]
                case "list":
                    names = [entry["name"] for entry in result["entries"]]
                    assert names == [entry["name"] for entry in reply["entries"]]
                case other:
                    pytest.fail(f"no case for {other}")

    def test_the_record_has_no_other_forms_of_calls_than_these(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        """`test_platform_replies.py` makes a call of each form to our server."""
        forms = set()
        for recorded in recorded_calls:
            argument_names = " ".join(sorted(recorded.arguments))
            field_names = " ".join(sorted(recorded.reply))
            forms.add((recorded.operation, argument_names, field_names))

        assert forms == {
            ("read", "path", "content path"),
            ("read", "end_line number path start_line", "content path"),
            ("exec", "args path", "stdout"),
            ("exec", "path stdin", "stdout"),
            ("exec", "args path stdin", "stdout"),
            ("exec", "args path stdin", "exit_code stderr"),
            ("stat", "path", "contentType kind path"),
            ("find", "kind limit name root", "paths"),
            ("search", "limit pattern root", "matches"),
            ("list", "path", "entries"),
        }

    def test_the_client_sends_no_other_fields_than_those_recorded(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        """The platform knows these fields; it would refuse a request with others."""
        for recorded in recorded_calls:
            rpc = rpc_of(recorded.operation)

            request = rpc.request_to_wire(recorded.arguments)

            assert request.keys() <= {
                "path",
                "args",
                "stdin",
                "root",
                "name",
                "kind",
                "limit",
                "pattern",
                "startLine",
                "endLine",
            }
