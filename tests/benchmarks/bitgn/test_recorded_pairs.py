"""The calls of recorded trials of the platform: the client
decodes every reply, and the served world has their form."""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

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
"""One trial a line: `{"calls": [[operation, arguments, reply], ...], ...}`. A call is

    ["read", {"path": "/AGENTS.MD"}, {"path": "/AGENTS.MD", "content": "# Founding ..."}]

Its names are Python's, such as `line_text`, but for the values and some fields of replies,
which are the wire's: `{"kind": "NODE_KIND_FILE", "contentType": "application/json"}`.
"""

WIRE_NAMES = {
    "exit_code": "exitCode",
    "line_text": "lineText",
    "start_line": "startLine",
    "end_line": "endLine",
}
"""Every recorded field that has another name on the wire."""

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
"""The wire's fields of all recorded requests."""

UNRECORDED_REPLY_FIELDS = {
    "read": {"contentType", "sha256"},
    "list": {"path"},
    "stat": {"writable"},
    "search": {"truncated"},
}
"""Fields of a reply that the platform's description
has and that the record's writer did not keep."""


def with_wire_names(value: Any) -> Any:
    """Return a recorded value, whose fields have the wire's names: `exitCode` for `exit_code`."""
    if isinstance(value, dict):
        renamed = {}
        for name, field_value in value.items():
            renamed[WIRE_NAMES.get(name, name)] = with_wire_names(field_value)
        return renamed
    if isinstance(value, list):
        return [with_wire_names(item) for item in value]
    return value


class RecordedCall(NamedTuple):
    operation: str
    arguments: dict[str, Any]
    reply: dict[str, Any]


@pytest.fixture(scope="module")
def recorded_calls() -> list[RecordedCall]:
    """Every recorded call that succeeded, apart from trees: of these,
    the record has the text that its writer printed, not the reply."""
    if not RECORD.exists():
        pytest.skip("no recorded trials lie beside the repository")
    calls = []
    with gzip.open(RECORD, "rt") as lines:
        for line in lines:
            for operation, arguments, reply in json.loads(line)["calls"]:
                if operation != "tree" and "error" not in reply:
                    calls.append(RecordedCall(operation, arguments, reply))
    return calls


CallRuntime = Callable[..., dict[str, Any]]
"""Sends a request to a method of the runtime and returns the reply:
`call_runtime("Read", path="/AGENTS.MD")`."""


@pytest.fixture(scope="module")
def call_runtime() -> Iterator[CallRuntime]:
    """Call the runtime of a served trial of the embedded world, whose database is up."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        worker_modules=opened.worker_modules, selection=TaskSelection(limit=1)
    )
    with (
        running_server(opened.benchmark, options) as server,
        httpx2.Client(base_url=server.url, timeout=60) as http,
    ):
        run = http.post(HARNESS + "StartRun", json={"benchmarkId": "ecom"}).json()
        trial = http.post(
            HARNESS + "StartTrial", json={"trialId": run["trialIds"][0]}
        ).json()
        runtime_url = trial["harnessUrl"] + RUNTIME

        def call(method: str, **fields: Any) -> dict[str, Any]:
            reply: dict[str, Any] = http.post(runtime_url + method, json=fields).json()
            return reply

        yield call


def test_every_recorded_reply_is_decoded_to_its_values(recorded_calls):
    # 1,513 exec, 480 read, 6 find, 4 stat, 1 search, 1 list
    assert len(recorded_calls) > 2_000

    for operation, _, reply in recorded_calls:
        rpc = RPCS[operation]
        assert rpc is not None

        result = rpc.reply_from_wire(with_wire_names(reply))

        if "kind" in reply:
            assert result["is_dir"] == (reply["kind"] == DIRECTORY)
        if "contentType" in reply:
            assert result["content_type"] == reply["contentType"]
        for name, value in reply.items():
            if name in result and not isinstance(value, list):
                assert result[name] == value


def test_a_recorded_reply_without_an_exit_code_is_decoded_to_exit_code_0(
    recorded_calls,
):
    for operation, _, reply in recorded_calls:
        if operation == "exec":
            rpc = RPCS[operation]
            assert rpc is not None
            result = rpc.reply_from_wire(with_wire_names(reply))
            assert result["exit_code"] == reply.get("exit_code", 0)


def test_every_recorded_request_is_sent_in_the_fields_of_the_wire(recorded_calls):
    for operation, arguments, _ in recorded_calls:
        rpc = RPCS[operation]
        assert rpc is not None
        assert rpc.request_to_wire(arguments).keys() <= REQUEST_FIELDS


def first_calls_of_each_form(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Return the first successful call of each operation with each set of arguments."""
    first_calls: dict[tuple[str, frozenset[str]], RecordedCall] = {}
    for call in calls:
        if "exit_code" not in call.reply:  # no program failed
            form = call.operation, frozenset(call.arguments)
            first_calls.setdefault(form, call)
    return list(first_calls.values())


def request_for_served_world(recorded: RecordedCall) -> dict[str, Any]:
    """Return the request of a recorded call, changed where the served world would find nothing.

    That world has other files and records than the recorded one. A path, pattern or query
    of the record is replaced by one to which the served world has an answer.
    """
    request = with_wire_names(recorded.arguments)
    if "kind" in request:
        request["kind"] = {"dirs": DIRECTORY, "files": FILE}[request["kind"]]

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


def test_the_served_world_answers_recorded_calls_in_their_form(
    recorded_calls, call_runtime
):
    first_calls = first_calls_of_each_form(recorded_calls)
    operations = {recorded.operation for recorded in first_calls}
    assert operations == {"exec", "read", "find", "search", "stat", "list"}

    for recorded in first_calls:
        method = recorded.operation.capitalize()

        served = call_runtime(method, **request_for_served_world(recorded))

        # On the wire, a field that is empty or 0 is left out.
        reply = with_wire_names(recorded.reply)
        recorded_fields = {
            name for name, value in reply.items() if value not in ([], "", 0)
        }
        added_fields = served.keys() - recorded_fields
        assert recorded_fields <= served.keys(), (recorded, served)
        assert added_fields <= UNRECORDED_REPLY_FIELDS.get(recorded.operation, set()), (
            recorded,
            served,
        )

        for table in ("entries", "matches"):
            if reply.get(table) and served.get(table):
                assert served[table][0].keys() >= reply[table][0].keys()


def test_a_tree_has_the_levels_asked_for_and_is_not_marked_as_truncated(call_runtime):
    whole = call_runtime("Tree", root="/")
    one_level = call_runtime("Tree", root="/", level=1)
    folder = call_runtime("Tree", root="/docs")

    for reply in (whole, one_level, folder):
        assert "truncated" not in reply
    top_nodes = one_level["root"]["children"]
    assert {node["name"] for node in top_nodes} == {
        node["name"] for node in whole["root"]["children"]
    }
    assert {node["kind"] for node in top_nodes} == {FILE, DIRECTORY}
    for node in top_nodes:
        assert "children" not in node


@pytest.mark.parametrize(
    ("method", "fields", "reply"),
    [
        # a file is found by its whole name only
        ("Find", {"root": "/docs", "name": "checkout"}, {}),
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
def test_the_served_world_replies_word_for_word_as_the_platform(
    call_runtime, method, fields, reply
):
    assert call_runtime(method, **fields) == reply


SETTINGS_PAGE = Path(__file__).parents[3] / "docs" / "remote.md"
SETTING_ROW = re.compile(r"^\| `(\w+)` \| `([^`]*)` \|", flags=re.M)
"""The row of a setting with its default, such as `` | `NAME` | `DEFAULT` | ... ``."""


def test_the_page_on_remote_trials_has_every_setting_with_its_default():
    documented = dict(SETTING_ROW.findall(SETTINGS_PAGE.read_text(encoding="utf-8")))

    defaults = {}
    for name, field in ClientSettings.model_fields.items():
        if isinstance(field.default, float):
            defaults[name] = f"{field.default:g}"  # 30 for 30.0
        else:
            defaults[name] = str(field.default)
    assert documented == defaults
