"""The client reads what the real platform (BitGN) has replied to scripts, by a record of their calls.

`reply_from_wire` makes the result of an operation from a reply; `wire` means the names and values
that messages have. A field that is 0, empty or false is left out of a message.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.bitgn.rpcs import RPCS
from tests.benchmarks.bitgn.recorded_calls import RecordedCall, with_wire_names

# The client sends the real platform (BitGN) no other fields than scripts have sent before.
#
# `recorded_calls` are calls that scripts once made on the platform, with its replies. The client
# makes a message of a script's call:
#
#     harness.read("/a.txt", start_line=3)  ->  {"path": "/a.txt", "startLine": 3}


class FormOfCall(NamedTuple):
    operation: str
    arguments: str
    """The names of the script's arguments: "args path"."""
    reply: str
    """The names of the reply's fields: "exit_code stderr"."""


def test_the_record_has_no_other_forms_of_calls_than_these(
    recorded_calls: list[RecordedCall],
) -> None:
    """The tests in `platform_replies` make a call of each form. A new form needs a test there."""
    forms = set()
    for recorded in recorded_calls:
        argument_names = " ".join(sorted(recorded.arguments))
        field_names = " ".join(sorted(recorded.reply))
        forms.add(FormOfCall(recorded.operation, argument_names, field_names))

    assert forms == {
        FormOfCall("read", arguments="path", reply="content path"),
        FormOfCall(
            "read",
            arguments="end_line number path start_line",
            reply="content path",
        ),
        FormOfCall("exec", arguments="args path", reply="stdout"),
        FormOfCall("exec", arguments="path stdin", reply="stdout"),
        FormOfCall("exec", arguments="args path stdin", reply="stdout"),
        FormOfCall("exec", arguments="args path stdin", reply="exit_code stderr"),
        FormOfCall("stat", arguments="path", reply="contentType kind path"),
        FormOfCall("find", arguments="kind limit name root", reply="paths"),
        FormOfCall("search", arguments="limit pattern root", reply="matches"),
        FormOfCall("list", arguments="path", reply="entries"),
    }


def test_the_client_sends_only_fields_that_the_platform_knows(
    recorded_calls: list[RecordedCall],
) -> None:
    """The platform would refuse a request with another field."""
    known_fields = "path args stdin root name kind limit pattern startLine endLine"

    for recorded in recorded_calls:
        rpc = RPCS[recorded.operation]
        assert rpc is not None

        request = rpc.request_to_wire(recorded.arguments)

        assert request.keys() <= set(known_fields.split())


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
