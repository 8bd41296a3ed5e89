"""A remote trial gives what the same trial gives in process, and a lost reply never doubles an effect."""

import json
import time

import pytest

from benchmarks.bitgn.client.platform_client import CallPolicy, PlatformClient
from benchmarks.bitgn.client.remote_environment import RemoteEnvironment
from benchmarks.bitgn.server import ServerOptions
from controlplane import RunRequest
from sandbox.interface import CallError
from tests.benchmarks.bitgn.byte_server import reply, stub
from tests.benchmarks.bitgn.recording_world import Shelf, ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import KEY, Wire, client
from tests.support.server_faults import Faults, faulty_server

pytestmark = pytest.mark.usefixtures("short_backoff")

CALLS = [
    ("read", {"path": "/books/emma.json"}),
    ("read", {"path": "/books/été.json"}),
    ("read", {"path": "/books/emma.json", "start_line": 2, "end_line": 2}),
    ("list", {}),
    ("list", {"path": "/books"}),
    ("tree", {}),
    ("tree", {"root": "/docs", "level": 0}),
    ("tree", {"root": "/books/emma.json"}),
    ("find", {"name": "*.md"}),
    ("find", {"name": "*", "root": "/", "kind": "dirs", "limit": 1}),
    ("find", {"name": "nothing"}),
    ("search", {"pattern": "title"}),
    ("search", {"pattern": "title", "limit": 1}),
    ("search", {"pattern": "no such text"}),
    ("stat", {"path": "/books"}),
    ("stat", {"path": "/books/emma.json"}),
    ("write", {"path": "/new/long.txt", "content": "é" * 50_000}),
    ("read", {"path": "/new/long.txt"}),
    ("write", {"path": "/new/empty.txt", "content": ""}),
    ("read", {"path": "/new/empty.txt"}),
    ("delete", {"path": "/new/empty.txt"}),
    ("exec", {"path": "/bin/date"}),
    ("exec", {"path": "/bin/checkout", "args": ["b1", "--now"], "stdin": "yes\n"}),
    ("exec", {"path": "/bin/nothing", "args": []}),
]
FAILING_CALLS = [
    ("read", {"path": "/nothing"}, "not_found"),
    ("list", {"path": "/books/emma.json"}, "invalid_argument"),
    ("tree", {"root": "/", "level": -1}, "invalid_argument"),
    ("search", {"pattern": "("}, "invalid_argument"),
    ("find", {"name": "x", "limit": "ten"}, "invalid_argument"),
    ("write", {"path": "/books", "content": "x"}, "failed_precondition"),
    ("write", {"path": "/books/emma.json", "content": "x", "if_match_sha256": "00"}, "failed_precondition"),
    ("read", {}, "invalid_argument"),
    ("read", {"path": "/AGENTS.MD", "speed": 3}, "invalid_argument"),
    ("move", {}, "unimplemented"),
    ("exec", {"path": "/bin/crash"}, "unknown"),
]


@pytest.fixture(scope="module")
def benchmark():
    return ShelfBenchmark(trials=4)


@pytest.fixture(scope="module")
def server(benchmark):
    with faulty_server(benchmark, ServerOptions(api_key=KEY)) as running:
        yield running


@pytest.fixture
def faultless(server):
    with client(server) as wired:
        yield wired


def started(wired: Wire, number: int = 0):
    run = wired.remote.start_run(RunRequest("a run"))
    return wired.remote.start_trial(run.trials[number].trial_id)


def test_calls_that_were_begun_are_finished_in_any_order(faultless):
    local = Shelf()
    remote = started(faultless).environment
    begun = [(remote.begin(name, given), name, given) for name, given in CALLS if "/new/" not in given.get("path", "")]
    for call, name, given in reversed(begun):
        defaults = {parameter.name: parameter.default for parameter in local.tool_schema.operation(name).parameters}
        assert call() == local.call(name, {**defaults, **given}), name


@pytest.mark.parametrize(("operation", "arguments", "code"), FAILING_CALLS)
def test_a_call_that_fails_raises_a_call_error_with_its_code(faultless, operation, arguments, code):
    environment = started(faultless).environment
    with pytest.raises(CallError) as raised:
        environment.call(operation, arguments)
    assert raised.value.code == code


def losing(*methods: str, **shares: float) -> Faults:
    return Faults(seed=84, methods=frozenset(methods), **shares)


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "unavailable", "bare_unavailable", "stall", "hang"])
def test_a_lost_write_or_delete_happens_once(fault, server, benchmark):
    with client(server, faults=losing("Write", "Delete", **{fault: 0.4}), call_timeout_s="0.2") as wired:
        trial = started(wired)
        for number in range(4):
            path = f"/new/{number}.txt"
            assert trial.environment.call("write", {"path": path, "content": "x"}) == {"path": path}
            assert trial.environment.call("delete", {"path": path}) == {"path": path}
        assert wired.server.faults.made[fault] > 1
        effects = benchmark.shelves[wired.server.own_id(trial.trial_id)].effects
        assert set(effects.values()) == {1}
        assert len(effects) == 8


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "bare_unavailable", "stall", "hang"])
def test_a_change_whose_reply_was_lost_is_reported_as_unknown_and_not_repeated(fault, server, benchmark):
    with client(server, faults=losing("Exec", **{fault: 1.0}), call_timeout_s="0.2") as wired:
        trial = started(wired)
        with pytest.raises(CallError) as raised:
            trial.environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
        assert raised.value.code == "unknown"
        assert "not known" in raised.value.message
        assert wired.server.faults.made[fault] == 1
        assert benchmark.shelves[wired.server.own_id(trial.trial_id)].effects["checkout ['b1']"] == (
            fault in ("reset_after", "stall")
        )


@pytest.mark.parametrize(
    ("operation", "arguments", "code", "calls"),
    [
        ("exec", {"path": "/bin/checkout", "args": ["b1"]}, "unknown", 1),
        ("write", {"path": "/a.txt", "content": "x"}, "unknown", 5),  # two of them look at what is there
        ("exec", {"path": "/bin/id"}, "internal", 3),
        ("stat", {"path": "/a.txt"}, "internal", 3),
        ("tree", {}, "internal", 3),
    ],
)
def test_a_reply_that_is_not_as_described_is_a_lost_reply(operation, arguments, code, calls):
    endless = b'{"children": [' * 450 + b"7" + b"]}" * 450  # deep, and wrong at the end where depth alone is no fault
    with stub(reply(b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % endless)) as (url, requests):
        client = PlatformClient(2)
        remote = RemoteEnvironment(client, url, policy=CallPolicy(deadline_s=5.0, retry_s=5.0))
        with pytest.raises(CallError, match="is not as described") as raised:
            remote.call(operation, arguments)
        client.close()
    assert (raised.value.code, len(requests)) == (code, calls)


@pytest.mark.parametrize(("level", "is_whole"), [(0, False), (2, False), (1, True)])
def test_a_tree_that_the_platform_cut_is_too_large_and_is_not_asked_for_again(level, is_whole):
    root = {"name": "/", "kind": "NODE_KIND_DIR", "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}]}
    with stub(reply(json.dumps({"root": root, "truncated": True}).encode())) as (url, requests):
        client = PlatformClient(2)
        remote = RemoteEnvironment(client, url, policy=CallPolicy(deadline_s=5.0, retry_s=5.0))
        if is_whole:
            assert remote.call("tree", {"level": level})["children"]
        else:
            with pytest.raises(CallError, match="list its folders one by one") as raised:
                remote.call("tree", {"level": level})
            assert raised.value.code == "resource_exhausted"
        client.close()
    assert len(requests) == 1


@pytest.mark.parametrize("headers", ["Retry-After: 100\r\n", ""])
def test_a_trial_whose_time_is_over_waits_for_no_call_but_its_answer(headers):
    busy = reply(b'{"code": "unavailable", "message": "later"}', status="503 X", headers=headers)
    replies = [busy]
    with stub(lambda peer, request: replies.pop()(peer, request) if replies[1:] else replies[0](peer, request)) as (
        url,
        _,
    ):
        client = PlatformClient(2)
        remote = RemoteEnvironment(client, url, policy=CallPolicy(deadline_s=5.0, retry_s=20.0))
        began = time.monotonic()
        remote.ends_at = began + 0.3
        with pytest.raises(CallError):
            remote.call("read", {"path": "/a.txt"})
        assert time.monotonic() - began < 2
        client.close()
        client = PlatformClient(2)
        later = reply(b'{"code": "unavailable"}', status="503 X", headers="Retry-After: 0.3\r\n")
        replies[:] = [reply(b"{}"), later]
        remote = RemoteEnvironment(client, url, policy=CallPolicy(deadline_s=5.0, retry_s=20.0))
        remote.ends_at = began
        remote.answer("yes", "OUTCOME_OK", [])
        client.close()


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "stall", "hang"])
def test_an_answer_whose_reply_was_lost_is_given_once(fault, server, benchmark):
    with client(server, faults=losing("Answer", **{fault: 0.4}), call_timeout_s="0.2") as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        for head in run.trials:
            wired.remote.start_trial(head.trial_id).environment.answer("Emma", "OUTCOME_OK", [])
            assert len(benchmark.shelves[wired.server.own_id(head.trial_id)].answers) == 1
        assert wired.server.faults.made[fault] > 0
