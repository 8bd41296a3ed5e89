"""The client reads what the real platform (BitGN) has replied to scripts, by a record of their calls.

`reply_from_wire` makes the result of an operation from a reply; `wire` means the names and values
that messages have. A field that is 0, empty or false is left out of a message.
"""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.bitgn.wire import RPCS

# Calls that scripts made on the real platform, with its replies, from a record beside the repository.
#
#     RecordedCall("read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."})
#
# The values of the record are the protocol's, but fields of two words have other names: the protocol has
# `exitCode` for `exit_code`.

RECORD = Path(__file__).parents[4] / "shared" / "real" / "trials.jsonl.gz"
"""The record has one trial a line: `{"calls": [[operation, arguments, reply], ...], ...}`.

A call: `["read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."}]`.
Its values are the protocol's: `{"kind": "NODE_KIND_FILE"}`. Names of two words are not, and
`WIRE_NAMES` translates them.
"""

WIRE_NAMES = {
    "exit_code": "exitCode",
    "line_text": "lineText",
    "start_line": "startLine",
    "end_line": "endLine",
}
"""The names that the protocol has for recorded fields. All other fields have the same name."""


def with_wire_names(value: Any) -> Any:
    """Return a recorded value with the protocol's names: `exitCode` for `exit_code`."""
    if isinstance(value, dict):
        renamed = {}
        for name, field_value in value.items():
            renamed[WIRE_NAMES.get(name, name)] = with_wire_names(field_value)
        return renamed
    if isinstance(value, list):
        return [with_wire_names(item) for item in value]
    return value


class RecordedCall(NamedTuple):
    """A call that a script made on the platform, and the platform's reply."""

    operation: str
    arguments: dict[str, Any]
    reply: dict[str, Any]


@pytest.fixture(scope="session")
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
