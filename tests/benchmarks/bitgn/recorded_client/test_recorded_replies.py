"""The client reads what the real platform (BitGN) has replied to scripts, by a record of their calls.

`reply_from_wire` makes the result of an operation from a reply; `wire` means the names and values
that messages have. A field that is 0, empty or false is left out of a message.
"""

import pytest

from controlplane.benchmarks.bitgn.rpcs import RPCS
from tests.benchmarks.bitgn.recorded_calls import RecordedCall, with_wire_names


def test_the_client_reads_every_recorded_reply(
    recorded_calls: list[RecordedCall],
) -> None:
    # 1,513 exec, 480 read, 6 find, 4 stat, 1 search, 1 list
    assert len(recorded_calls) > 2_000

    for recorded in recorded_calls:
        reply = with_wire_names(recorded.reply)
        rpc = RPCS[recorded.operation]
        assert rpc is not None
        result = rpc.reply_from_wire(reply)

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
