"""Requests and replies recorded on the real platform, compared with our client and server.

Our client must read every recorded reply, and our server must reply in the same form. The
record has no place in the repository; without it, these tests are skipped.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.rpcs import DIRECTORY, FILE
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from tests.benchmarks.bitgn.raw_client import RawClient
from tests.benchmarks.bitgn.recorded_calls import RECORD, RecordedCall, with_wire_names
from tests.support.running_server import running_server


@pytest.fixture(scope="module")
def recorded_calls() -> list[RecordedCall]:
    """Every recorded call that succeeded, except those of `tree`.

    The record has no reply of `tree`, but a text that was drawn of it, with a file on each line.
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


REQUEST_FIELDS = {
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
"""All fields of recorded requests, as the protocol names them."""


class TestClient:
    """The product's client reads every recorded reply, and sends only recorded fields.

    A recorded call has an operation, its arguments and the platform's reply:

        ["read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."}]

    `client_result()` is what the client makes of the reply. `rpc.request_to_wire(arguments)` is
    what it sends: the arguments by the names of the protocol, such as `startLine`.
    """

    def test_client_reads_every_recorded_reply(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        """The client turns each reply into the result of an operation, with the same values."""
        # 1,513 exec, 480 read, 6 find, 4 stat, 1 search, 1 list
        assert len(recorded_calls) > 2_000

        for recorded in recorded_calls:
            result = recorded.client_result()

            if "kind" in recorded.reply:
                assert result["is_dir"] == (recorded.reply["kind"] == DIRECTORY)
            if "contentType" in recorded.reply:
                assert result["content_type"] == recorded.reply["contentType"]
            for name, value in recorded.reply.items():
                # The items of lists, such as files in a folder, are renamed like whole replies. So
                # the two lists differ.
                if name in result and not isinstance(value, list):
                    assert result[name] == value

    def test_recorded_reply_without_an_exit_code_means_exit_code_0(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        """The protocol leaves out fields that are 0."""
        for recorded in recorded_calls:
            if recorded.operation == "exec":
                result = recorded.client_result()

                assert result["exit_code"] == recorded.reply.get("exit_code", 0)

    def test_client_sends_no_other_fields_than_those_recorded(
        self, recorded_calls: list[RecordedCall]
    ) -> None:
        """The platform knows these fields; it would refuse a request with others."""
        for recorded in recorded_calls:
            request = recorded.rpc.request_to_wire(recorded.arguments)

            assert request.keys() <= REQUEST_FIELDS


CallRuntime = Callable[..., dict[str, Any]]
"""Sends a request to a trial and returns the reply: `call_runtime("Read", path="/AGENTS.MD")`."""


@pytest.fixture(scope="module")
def call_runtime() -> Iterator[CallRuntime]:
    """A function that calls a trial of the embedded world, a shop, on our server."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        worker_modules=opened.worker_modules, selection=TaskSelection(limit=1)
    )
    with (
        running_server(opened.benchmark, options) as server,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        client = RawClient(http)
        run = client.harness("StartRun", benchmarkId="ecom")
        runtime_url = client.start_trial(run["trialIds"][0])

        def call(method: str, **fields: Any) -> dict[str, Any]:
            return client.runtime(runtime_url, method, **fields)

        yield call


def first_calls_of_each_form(calls: list[RecordedCall]) -> list[RecordedCall]:
    """Return the first successful call of each form: an operation and the names of its arguments.

    `exec(path, args)` and `exec(path, stdin)` are two forms.
    """
    first_calls: dict[tuple[str, frozenset[str]], RecordedCall] = {}
    for call in calls:
        # The exit code 0 of a program that succeeded is left out of the reply.
        program_failed = "exit_code" in call.reply
        if not program_failed:
            form = call.operation, frozenset(call.arguments)
            first_calls.setdefault(form, call)
    return list(first_calls.values())


def request_for_served_shop(recorded: RecordedCall) -> dict[str, Any]:
    """Return the request of a recorded call, changed if our shop would find nothing for it.

    Our shop has other files and records than the recorded one. So a path, pattern or query that it
    does not have is replaced: reading `/proc/carts/basket-12.json` becomes reading a page.
    """
    request: dict[str, Any] = with_wire_names(recorded.arguments)
    if "kind" in request:
        wire_kinds = {"dirs": DIRECTORY, "files": FILE}
        request["kind"] = wire_kinds[request["kind"]]

    match recorded.operation:
        case "search":
            request["pattern"] = "checkout"
        case "stat":
            request["path"] = "/docs/checkout.md"
        case "read" if request["path"] != "/AGENTS.MD":
            request["path"] = "/docs/checkout.md"
        case "exec" if request["path"] == "/bin/sql" and "stdin" in request:
            request["args"] = []
            request["stdin"] = "select name, sql from sqlite_schema"
    return request


def fields_with_a_value(reply: dict[str, Any]) -> set[str]:
    """Return the names of a reply's fields, without those that the protocol would leave out."""
    return {name for name, value in reply.items() if value not in ([], "", 0)}


class TestServer:
    """The product's server replies with the fields of recorded replies, and no others.

    One recorded call of each form, such as `exec(path, args)`, is made to a trial of our embedded
    shop. The shop has other files than the recorded one, so a path may be replaced before.
    """

    def test_server_replies_with_the_fields_of_recorded_replies(
        self, recorded_calls: list[RecordedCall], call_runtime: CallRuntime
    ) -> None:
        """A reply has the recorded fields, and no others that the protocol would leave out."""
        first_calls = first_calls_of_each_form(recorded_calls)
        operations = {recorded.operation for recorded in first_calls}
        assert operations == {"exec", "read", "find", "search", "stat", "list"}

        # Fields of replies that the protocol has, and that the program that recorded them dropped.
        unrecorded_reply_fields = {
            "read": {"contentType", "sha256"},
            "list": {"path"},
            "stat": {"writable"},
            "search": {"truncated"},
        }

        for recorded in first_calls:
            method = recorded.operation.capitalize()

            served_reply = call_runtime(method, **request_for_served_shop(recorded))

            recorded_fields = fields_with_a_value(with_wire_names(recorded.reply))
            added_fields = served_reply.keys() - recorded_fields
            allowed_fields = unrecorded_reply_fields.get(recorded.operation, set())
            assert recorded_fields <= served_reply.keys(), (recorded, served_reply)
            assert added_fields <= allowed_fields, (recorded, served_reply)

    def test_server_replies_with_items_that_have_the_fields_of_recorded_items(
        self, recorded_calls: list[RecordedCall], call_runtime: CallRuntime
    ) -> None:
        """An item is an entry of a folder, or a line that `search` has found."""
        for recorded in first_calls_of_each_form(recorded_calls):
            method = recorded.operation.capitalize()

            served_reply = call_runtime(method, **request_for_served_shop(recorded))

            recorded_reply = with_wire_names(recorded.reply)
            for name in ("entries", "matches"):
                if recorded_reply.get(name) and served_reply.get(name):
                    recorded_item = recorded_reply[name][0]
                    served_item = served_reply[name][0]
                    assert served_item.keys() >= recorded_item.keys()


class TestTrees:
    """A tree is marked as truncated if folders are missing, not if few levels were asked for."""

    def test_whole_tree_is_not_marked_as_truncated(
        self, call_runtime: CallRuntime
    ) -> None:
        """The whole tree is complete, and so are parts of it that the client asked for."""
        whole_tree = call_runtime("Tree", root="/")
        tree_of_one_level = call_runtime("Tree", root="/", level=1)
        tree_of_one_folder = call_runtime("Tree", root="/docs")

        assert "truncated" not in whole_tree
        assert "truncated" not in tree_of_one_level
        assert "truncated" not in tree_of_one_folder

    def test_tree_of_one_level_has_the_folders_without_their_content(
        self, call_runtime: CallRuntime
    ) -> None:
        """`level` is the number of levels. Without it, a tree has all of them."""
        whole_tree = call_runtime("Tree", root="/")
        tree_of_one_level = call_runtime("Tree", root="/", level=1)

        nodes = tree_of_one_level["root"]["children"]
        expected_names = {node["name"] for node in whole_tree["root"]["children"]}
        assert {node["name"] for node in nodes} == expected_names
        assert {node["kind"] for node in nodes} == {FILE, DIRECTORY}
        for node in nodes:
            assert "children" not in node


class TestKnownReplies:
    """Some replies were seen on the platform, and our server's are the same word for word.

    `call_runtime("Find", root="/docs", name="checkout")` makes a call to a
    trial of our embedded shop.
    """

    @pytest.mark.parametrize(
        ("method", "fields", "expected_reply"),
        [
            pytest.param(
                "Find",
                {"root": "/docs", "name": "checkout"},
                {},
                id="part of a file's name finds nothing",
            ),
            pytest.param(
                "Find",
                {"root": "/docs", "name": "checkout.md"},
                {"paths": ["/docs/checkout.md"]},
                id="whole name",
            ),
            pytest.param(
                "Find",
                {"root": "/docs", "name": "none", "kind": DIRECTORY, "limit": 20},
                {},
                id="no folder of this name",
            ),
            pytest.param(
                "Search",
                {"root": "/docs", "pattern": "no such text"},
                {},
                id="no line with this text",
            ),
            pytest.param(
                "Exec",
                {"path": "/bin/sql", "stdin": "select x from sqlite_schema"},
                {"stderr": "SQL logic error: no such column: x (1)\n", "exitCode": 1},
                id="unknown column",
            ),
            pytest.param(
                "Exec",
                {"path": "/bin/sql", "args": ["select * from nowhere"]},
                {
                    "stderr": "SQL logic error: no such table: nowhere (1)\n",
                    "exitCode": 1,
                },
                id="unknown table",
            ),
        ],
    )
    def test_server_replies_word_for_word_like_the_platform(
        self,
        call_runtime: CallRuntime,
        method: str,
        fields: dict[str, Any],
        expected_reply: dict[str, Any],
    ) -> None:
        """An empty reply (`{}`) means that nothing was found."""
        assert call_runtime(method, **fields) == expected_reply
