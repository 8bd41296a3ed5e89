"""The calls of a trial have the results of its environment, as JSON or as protobuf, a binary form."""

import threading
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.bitgn.raw_client import ECOM
from tests.benchmarks.bitgn.server.wire_calls import (
    OPTIONS,
    PROTOBUF_HEADERS,
    call,
    start_trial,
)
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.running_server import running_server

# A message for each method of a trial's runtime.
MESSAGES: dict[str, dict[str, Any]] = {
    "Tree": {"root": "/", "level": 2},
    "Find": {"root": "/", "name": "*", "limit": 5},
    "Search": {"root": "/", "pattern": "Emma", "limit": 5},
    "Read": {"path": "/books/emma.json"},
    "Write": {"path": "/books/new.json", "content": "{}"},
    "Delete": {"path": "/books/été.json"},
    "Answer": {"message": "Emma", "outcome": "OUTCOME_OK"},
    "List": {"path": "/"},
    "Stat": {"path": "/books/emma.json"},
    "Exec": {"path": "/bin/date"},
}


def test_every_method_replies_alike_in_json_and_protobuf(http: httpx2.Client) -> None:
    """Two trials get the same calls: one in JSON, the other one in protobuf."""
    methods = SERVICES[ECOM.strip("/")].methods_by_name
    url_for_json = start_trial(http)
    url_for_protobuf = start_trial(http)

    assert set(methods) == set(MESSAGES)
    for name, fields in MESSAGES.items():
        request_class = GetMessageClass(methods[name].input_type)
        reply_class = GetMessageClass(methods[name].output_type)

        json_reply = call(http, url_for_json + name, fields)
        protobuf_reply = http.post(
            url_for_protobuf + name,
            content=ParseDict(fields, request_class()).SerializeToString(),
            headers=PROTOBUF_HEADERS,
        )

        assert json_reply.status_code == 200, json_reply.text
        assert protobuf_reply.status_code == 200, protobuf_reply.text
        message_from_json = ParseDict(json_reply.json(), reply_class())
        message_from_protobuf = reply_class.FromString(protobuf_reply.content)
        assert MessageToDict(message_from_protobuf) == MessageToDict(message_from_json)


def test_tree_that_is_too_large_is_cut_to_one_level(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment refuses every tree of more than one level as too large."""
    real_call = Shelf.call

    def refuse_large_trees(
        shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] != 1:
            raise CallError("resource_exhausted", "the result of tree holds too much")
        return real_call(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "call", refuse_large_trees)
    runtime_url = start_trial(http)

    one_level = call(http, runtime_url + "Tree", {"root": "/", "level": 1}).json()
    all_levels = call(http, runtime_url + "Tree", {"root": "/", "level": 0}).json()

    assert "truncated" not in one_level
    assert all_levels == {**one_level, "truncated": True}


def test_call_that_exceeds_its_deadline_is_answered_at_the_deadline() -> None:
    """The environment keeps all calls waiting until the first one was answered.

    1. A client calls, and announces that it waits for 0.1 s. It gets its reply at that time.
    2. The call goes on, and may end now. The next call waits for it, because a trial's
       environment must never get two calls at once: `Shelf` would refuse the second.
    """
    may_end = threading.Event()
    with (
        running_server(ShelfBenchmark(calls_may_end=may_end), OPTIONS) as server,
        httpx2.Client(base_url=server.url) as http,
    ):
        read_url = start_trial(http) + "Read"
        rules = {"path": "/AGENTS.MD"}
        short_deadline = {"connect-timeout-ms": "100"}

        late_reply = call(http, read_url, rules, **short_deadline)
        may_end.set()
        next_reply = call(http, read_url, rules)

    assert late_reply.status_code == 504
    assert late_reply.json()["code"] == "deadline_exceeded"
    assert next_reply.status_code == 200
