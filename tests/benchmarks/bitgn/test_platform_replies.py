"""The server replies to requests as the real platform does.

`call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop on
our server, and returns the reply.
"""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from tests.benchmarks.bitgn.raw_client import RawClient
from tests.support.running_server import running_server

CallRuntime = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def call_runtime() -> Iterator[CallRuntime]:
    """Calls a trial of the embedded shop on our server: `call_runtime("Read", path="/AGENTS.MD")`."""
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


class TestFieldsOfReplies:
    """A reply has the fields that the platform's has, and those that the record of it lacks.

    The program that recorded the platform's replies dropped some fields.
    """

    @pytest.mark.parametrize(
        ("method", "request_fields", "recorded_fields", "unrecorded_fields"),
        [
            pytest.param(
                "Read",
                {"path": "/AGENTS.MD"},
                {"path", "content"},
                {"contentType", "sha256"},
                id="a whole file",
            ),
            pytest.param(
                "Read",
                {"path": "/AGENTS.MD", "startLine": 1, "endLine": 2, "number": False},
                {"path", "content"},
                {"contentType", "sha256"},
                id="some lines of a file",
            ),
            pytest.param(
                "Exec",
                {"path": "/bin/date", "args": []},
                {"stdout"},
                set(),
                id="a program",
            ),
            pytest.param(
                "Exec",
                {"path": "/bin/sql", "stdin": "select name from sqlite_schema"},
                {"stdout"},
                set(),
                id="a program with an input",
            ),
            pytest.param(
                "Exec",
                {
                    "path": "/bin/sql",
                    "args": [],
                    "stdin": "select name from sqlite_schema",
                },
                {"stdout"},
                set(),
                id="a program with arguments and an input",
            ),
            pytest.param(
                "Stat",
                {"path": "/docs/checkout.md"},
                {"path", "kind", "contentType"},
                {"writable"},
                id="what a path is",
            ),
            pytest.param(
                "Find",
                {
                    "root": "/docs",
                    "name": "checkout.md",
                    "kind": "NODE_KIND_FILE",
                    "limit": 20,
                },
                {"paths"},
                set(),
                id="files by their name",
            ),
            pytest.param(
                "Search",
                {"root": "/docs", "pattern": "checkout", "limit": 20},
                {"matches"},
                set(),
                id="lines",
            ),
            pytest.param(
                "List", {"path": "/docs"}, {"entries"}, {"path"}, id="a folder"
            ),
        ],
    )
    def test_a_reply_has_the_fields_of_the_platforms_reply(
        self,
        call_runtime: CallRuntime,
        method: str,
        request_fields: dict[str, Any],
        recorded_fields: set[str],
        unrecorded_fields: set[str],
    ) -> None:
        reply = call_runtime(method, **request_fields)

        assert reply.keys() == recorded_fields | unrecorded_fields

    def test_an_entry_of_a_folder_has_the_fields_of_the_platforms_entries(
        self, call_runtime: CallRuntime
    ) -> None:
        reply = call_runtime("List", path="/docs")

        first_entry, *_ = reply["entries"]
        assert first_entry.keys() >= {"name", "kind"}

    def test_a_line_that_is_found_has_the_fields_of_the_platforms_lines(
        self, call_runtime: CallRuntime
    ) -> None:
        reply = call_runtime("Search", root="/docs", pattern="checkout", limit=20)

        first_match, *_ = reply["matches"]
        assert first_match.keys() >= {"path", "line", "lineText"}


class TestTrees:
    """A tree is marked as truncated if folders are missing, not if few levels were asked for."""

    def test_a_whole_tree_is_not_marked_as_truncated(
        self, call_runtime: CallRuntime
    ) -> None:
        assert "truncated" not in call_runtime("Tree", root="/")

    def test_a_tree_of_one_level_is_not_marked_as_truncated(
        self, call_runtime: CallRuntime
    ) -> None:
        assert "truncated" not in call_runtime("Tree", root="/", level=1)

    def test_a_tree_of_one_folder_is_not_marked_as_truncated(
        self, call_runtime: CallRuntime
    ) -> None:
        assert "truncated" not in call_runtime("Tree", root="/docs")

    def test_a_tree_of_one_level_has_the_folders_without_their_content(
        self, call_runtime: CallRuntime
    ) -> None:
        whole_tree = call_runtime("Tree", root="/")
        tree_of_one_level = call_runtime("Tree", root="/", level=1)

        nodes = tree_of_one_level["root"]["children"]
        expected_names = {node["name"] for node in whole_tree["root"]["children"]}
        assert {node["name"] for node in nodes} == expected_names
        assert {node["kind"] for node in nodes} == {"NODE_KIND_FILE", "NODE_KIND_DIR"}
        for node in nodes:
            assert "children" not in node


class TestKnownReplies:
    """Some replies were seen on the platform, and our server's are the same word for word."""

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
                {"root": "/docs", "name": "none", "kind": "NODE_KIND_DIR", "limit": 20},
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
