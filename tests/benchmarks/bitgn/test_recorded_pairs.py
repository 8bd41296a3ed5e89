"""The calls of recorded trials of the platform: the client
decodes every reply, and the served world has their form."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from controlplane.benchmarks.bitgn.rpc import DIRECTORY, FILE, RPCS
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from tests.benchmarks.bitgn.recording_world import ECOM as RUNTIME
from tests.benchmarks.bitgn.recording_world import HARNESS
from tests.support.running_server import running_server

RECORD = Path(__file__).parents[4] / "shared" / "real" / "trials.jsonl.gz"
KINDS = {"dirs": DIRECTORY, "files": FILE}
CAMEL = {
    "exit_code": "exitCode",
    "line_text": "lineText",
    "start_line": "startLine",
    "end_line": "endLine",
}
BEYOND = {
    "Read": {"contentType", "sha256"},
    "List": {"path"},
    "Stat": {"writable"},
    "Search": {"truncated"},
}
"""Fields of a reply that the platform's description
has and that the record's writer did not keep."""


def camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {CAMEL.get(name, name): camel(each) for name, each in value.items()}
    return [camel(item) for item in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every recorded call that succeeded: operation, arguments, reply."""
    if not RECORD.exists():
        pytest.skip("no recorded trials lie beside the repository")
    with gzip.open(RECORD, "rt") as lines:
        trials = [json.loads(line) for line in lines]
    return [
        tuple(call)
        for trial in trials
        for call in trial["calls"]
        if "error" not in call[2]
    ]


@pytest.fixture(scope="module")
def call() -> Iterator[Any]:
    """Calls of a served trial of the embedded world, with its database up."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        worker_modules=opened.worker_modules, selection=TaskSelection(limit=1)
    )
    with (
        running_server(opened.benchmark, options) as server,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        run = http.post(HARNESS + "StartRun", json={"benchmarkId": "ecom"}).json()
        runtime = (
            http.post(
                HARNESS + "StartTrial", json={"trialId": run["trialIds"][0]}
            ).json()["harnessUrl"]
            + RUNTIME
        )

        def made(method: str, **fields: Any) -> dict[str, Any]:
            reply: dict[str, Any] = http.post(runtime + method, json=fields).json()
            return reply

        yield made


def test_every_recorded_reply_is_decoded_with_its_omitted_defaults(pairs):
    decoded = 0
    for operation, arguments, reply in pairs:
        rpc = RPCS[operation]
        assert rpc is not None
        if operation == "tree":
            # the record holds the text that its writer printed of it
            continue
        result = rpc.reply_from_wire(camel(reply))
        for name, value in reply.items():
            ours = {"kind": "is_dir", "contentType": "content_type"}.get(name, name)
            if not isinstance(value, list):
                assert result.get(ours, value) == (
                    value == DIRECTORY if name == "kind" else value
                )
        assert result.get("exit_code", 0) == reply.get("exit_code", 0)
        assert rpc.request_to_wire(arguments).keys() <= {
            "path",
            "args",
            "stdin",
            "root",
            "name",
            "kind",
            "limit",
        } | {*("pattern", "startLine", "endLine")}
        decoded += 1

    assert decoded > 2_000


def served_reply(
    call: Any, operation: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Make a recorded call in the served world, whose files and records are others."""
    fields = {CAMEL.get(name, name): value for name, value in arguments.items()}
    if "kind" in fields:
        fields["kind"] = KINDS[fields["kind"]]
    if operation == "search":
        fields["pattern"] = "checkout"
    elif operation == "stat" or (
        operation == "read" and fields["path"] != "/AGENTS.MD"
    ):
        fields["path"] = "/docs/checkout.md"
    elif fields.get("path") == "/bin/sql" and "stdin" in fields:
        fields["args"], fields["stdin"] = [], "select name, sql from sqlite_schema"
    reply: dict[str, Any] = call(operation.capitalize(), **fields)
    return reply


def test_the_served_world_answers_recorded_calls_in_their_form(pairs, call):
    seen: set[tuple[str, frozenset[str]]] = set()
    for operation, arguments, reply in pairs:
        form = operation, frozenset(arguments)
        if form in seen or operation == "tree" or "exit_code" in reply:
            continue
        seen.add(form)
        served = served_reply(call, operation, arguments)
        wanted = {
            name for name, value in camel(reply).items() if value not in ([], "", 0)
        }
        if operation == "exec" and "stdout" in wanted and "stdout" not in served:
            pytest.fail(f"{arguments} prints nothing: {served}")
        assert wanted <= served.keys(), (operation, arguments, served)
        assert served.keys() - wanted <= BEYOND.get(operation.capitalize(), set()), (
            operation,
            arguments,
            served,
        )
        for name in ("entries", "matches"):
            for row, known in zip(
                served.get(name, [])[:1], camel(reply).get(name, [])[:1], strict=False
            ):
                assert row.keys() >= known.keys()

    assert {operation for operation, _ in seen} == {
        "exec",
        "read",
        "find",
        "search",
        "stat",
        "list",
    }


def test_a_tree_has_its_levels_and_is_truncated_only_where_it_was_cut(call):
    whole, cut = call("Tree", root="/"), call("Tree", root="/", level=1)
    assert not {"truncated"} & {*whole, *cut}
    assert "truncated" not in call("Tree", root="/docs")
    assert {child["name"] for child in cut["root"]["children"]} == {
        child["name"] for child in whole["root"]["children"]
    }
    assert all("children" not in child for child in cut["root"]["children"])
    assert {child["kind"] for child in cut["root"]["children"]} == {FILE, DIRECTORY}


@pytest.mark.parametrize(
    ("method", "fields", "reply"),
    [
        ("Find", {"root": "/docs", "name": "checkout"}, {}),  # whole names only
        (
            "Find",
            {"root": "/docs", "name": "checkout.md"},
            {"paths": ["/docs/checkout.md"]},
        ),
        ("Find", {"root": "/docs", "name": "none", "kind": DIRECTORY, "limit": 20}, {}),
        ("Search", {"root": "/docs", "pattern": "no such text"}, {}),
        (
            "Exec",
            {"path": "/bin/sql", "stdin": "select x from sqlite_schema"},
            {"stderr": "SQL logic error: no such column: x (1)\n", "exitCode": 1},
        ),
        (
            "Exec",
            {"path": "/bin/sql", "args": ["select * from nowhere"]},
            {"stderr": "SQL logic error: no such table: nowhere (1)\n", "exitCode": 1},
        ),
    ],
)
def test_the_served_world_says_what_the_platform_says(call, method, fields, reply):
    assert call(method, **fields) == reply


PAGE = (Path(__file__).parents[3] / "docs" / "remote.md").read_text(encoding="utf-8")


def test_every_setting_is_there_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", PAGE, flags=re.M))
    defaults = {
        name: field.default for name, field in ClientSettings.model_fields.items()
    }

    assert rows == {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in defaults.items()
    }
