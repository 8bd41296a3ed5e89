"""The platform as a benchmark: a run's life over the wire,
what its trials give, and what survives which fault."""

import json
import os
import pickle
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context

import pytest

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    RunRequest,
    RunState,
    TaskSelection,
    TrialScore,
    TrialStub,
    start_selected_run,
)
from controlplane.benchmarks.bitgn.client.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.platform_client import PlatformClient
from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    RemoteBenchmark,
    open_benchmark,
)
from controlplane.benchmarks.bitgn.client.remote_environment import RemoteEnvironment
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.test_platform_client import Script, reply, stub
from tests.benchmarks.bitgn.recording_world import (
    KEY,
    Shelf,
    ShelfBenchmark,
    Wire,
    client,
)
from tests.support.byte_server import Behaviour
from tests.support.server_faults import Faults, faulty_server

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.fixture(scope="module")
def long_lived():
    benchmark = ShelfBenchmark()
    with faulty_server(benchmark, ServerOptions(api_key=KEY)) as running:
        yield benchmark, running


@pytest.fixture
def server(long_lived):
    return long_lived[1]


@pytest.fixture
def benchmark(long_lived):
    long_lived[0].requests.clear()
    return long_lived[0]


def faulty(*methods: str, **faults) -> Faults:
    return Faults(methods=frozenset(methods), **faults)


def answer(wired: Wire, head: TrialStub, message: str) -> None:
    environment = wired.remote.start_trial(head.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


def test_a_run_goes_from_its_start_to_its_scores(server):
    with client(server) as wired:
        remote = wired.remote
        described = remote.describe()
        assert (described.name, described.policy, described.rule_sets) == (
            "bitgn:shelf",
            "open",
            ("ecom",),
        )
        assert [task.task_id for task in described.tasks] == ["t00", "t01", "t02"]
        assert described.tasks[0].hint == "look in /books"
        run = remote.start_run(RunRequest("a run"))
        assert [head.task_id for head in run.trials] == ["t00", "t01", "t02"]
        trial = remote.start_trial(run.trials[0].trial_id)
        assert (trial.task_id, trial.instruction) == (
            "t00",
            "Which title has the book in /books/emma.json?",
        )
        for head, message in zip(run.trials, ("Emma", "Persuasion"), strict=False):
            answer(wired, head, message)
            assert remote.end_trial(head.trial_id) is None
        with pytest.raises(BenchmarkError) as raised:
            remote.submit_run(run.run_id, force=False)
        assert raised.value.code == "failed_precondition"
        before = remote.get_run(run.run_id)
        assert (before.state, before.score) == (RunState.RUNNING, None)
        assert {score.score for score in before.trials} == {None}
        ids = [head.trial_id for head in run.trials]
        expected = (
            TrialScore(ids[0], 1.0),
            TrialScore(ids[1], 0.0, ("wrong title",)),
            TrialScore(ids[2], 0.0, ("forced close",)),
        )
        submitted = remote.submit_run(run.run_id, force=True)
        assert submitted.state is RunState.EVALUATED
        assert submitted.score == pytest.approx(1 / 3)
        assert submitted.trials == expected
        for again in (
            remote.submit_run(run.run_id, force=True),
            remote.get_run(run.run_id),
        ):
            assert (again.state, again.trials) == (RunState.EVALUATED, expected)


def test_ending_a_trial_twice_is_no_error_and_ending_an_unknown_one_is(
    server, benchmark
):
    with client(server) as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        first = run.trials[0].trial_id
        wired.remote.start_trial(first)
        assert [wired.remote.end_trial(first), wired.remote.end_trial(first)] == [
            None,
            None,
        ]
        assert benchmark.lifecycle[f"end {server.own_id(first)}"] == 1
        with pytest.raises(BenchmarkError) as raised:
            wired.remote.end_trial(run.trials[1].trial_id)
        assert raised.value.code == "failed_precondition"
        with pytest.raises(BenchmarkError) as raised:
            wired.remote.end_trial("none")
        assert raised.value.code == "not_found"


@pytest.mark.parametrize(
    ("selection", "seed", "said"),
    [
        (TaskSelection(repeats=2), 0, "repeats=2"),
        (TaskSelection(), 5, "seed=5"),
        (TaskSelection(("t77",)), 0, "'t77'"),
    ],
)
def test_an_option_that_the_platform_cannot_honour_is_refused_before_the_start(
    selection, seed, said, server, benchmark
):
    with client(server) as wired:
        with pytest.raises(BenchmarkError) as raised:
            start_selected_run(wired.remote, selection, name="r", seed=seed)
        assert (raised.value.code, said in raised.value.message) == (
            "invalid_argument",
            True,
        )
        assert benchmark.requests == []


def test_a_run_needs_a_key_and_a_wrong_one_is_never_shown(monkeypatch, server):
    given = ("shelf", {"host": server.url}, BenchmarkContext())
    with (
        closing(RemoteBenchmark(*given)) as keyless,
        pytest.raises(BenchmarkError, match="BITGN_API_KEY"),
    ):
        keyless.start_run(RunRequest("r"))
    monkeypatch.setenv("BITGN_API_KEY", "canary-wrong-key")
    with (
        closing(RemoteBenchmark(*given)) as remote,
        pytest.raises(BenchmarkError) as raised,
    ):
        remote.start_run(RunRequest("r"))

    assert raised.value.code == "unauthenticated"
    assert (
        "canary-wrong-key"
        not in f"{raised.value!r}{raised.value}{vars(remote)}{remote!r}"
    )


@pytest.mark.parametrize(
    "fault",
    ["unavailable", "bare_unavailable", "reset_before", "reset_after", "stall", "hang"],
)
def test_no_fault_doubles_an_end_or_a_submission(fault, server, benchmark):
    options = faulty(
        "EndTrial", "SubmitRun", "StartTrial", "GetRun", seed=32, **{fault: 0.4}
    )
    with client(server, faults=options, lifecycle_timeout_s="0.2") as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        for head in run.trials:
            answer(wired, head, "Emma")
            wired.remote.end_trial(head.trial_id)
            assert benchmark.lifecycle[f"end {server.own_id(head.trial_id)}"] == 1
        result = wired.remote.submit_run(run.run_id, force=False)
        assert wired.server.faults.made[fault] > 0
        assert (result.state, result.score) == (RunState.EVALUATED, 1.0)
        assert benchmark.lifecycle[f"submit {server.own_id(run.run_id)}"] == 1


def test_a_run_whose_reply_was_lost_is_started_once_more_with_a_warning(
    server, benchmark
):
    with client(server, faults=faulty("StartRun", reset_after=1.0)) as wired:
        with pytest.raises(BenchmarkError) as raised:
            wired.remote.start_run(RunRequest("a run"))
        assert raised.value.code == "unavailable"
        assert len(benchmark.requests) == 2
        assert wired.notices == [
            "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
        ]


@contextmanager
def remote_on(
    behave: Behaviour, **settings: str
) -> Iterator[tuple[RemoteBenchmark, BenchmarkContext, list[bytes]]]:
    """Open a benchmark on a stub of the platform;
    yield it, its context, and the requests that came in."""
    context = BenchmarkContext()
    with (
        stub(behave) as (url, requests),
        closing(RemoteBenchmark("x", {"host": url, **settings}, context)) as remote,
    ):
        yield remote, context, requests


@contextmanager
def environment_on(
    behave: Behaviour, retry_s: float = 5.0
) -> Iterator[tuple[RemoteEnvironment, list[bytes]]]:
    """Open a trial's environment on a stub of the platform;
    yield it, and the requests that came in."""
    policy = CallPolicy(deadline_s=5.0, retry_s=retry_s)
    with stub(behave) as (url, requests), closing(PlatformClient(2)) as client:
        yield RemoteEnvironment(client, url, policy=policy), requests


def to(method: bytes, told: Behaviour, otherwise: Behaviour) -> Behaviour:
    return lambda peer, request: (told if method in request else otherwise)(
        peer, request
    )


@pytest.mark.parametrize(
    "body", [b"{}", b'{"runId": 7}', b'{"runId": "r", "trials": [{"state": "x"}]}']
)
def test_a_reply_that_is_not_as_described_is_an_error_that_says_so(body, monkeypatch):
    with remote_on(reply(body), lifecycle_patience_s="0.3") as (remote, _, _):
        if body == b"{}":
            with pytest.raises(BenchmarkError, match="harnessUrl"):
                remote.start_trial("t")
            with pytest.raises(BenchmarkError, match="StartTrial is not as described"):
                remote.start_trial("t")
        else:
            with pytest.raises(BenchmarkError, match="GetRun is not as described"):
                remote.get_run("r")


def in_another_process(remote, trial_id: str) -> tuple[str, str]:
    trial = remote.start_trial(trial_id)
    content = str(trial.environment.call("read", {"path": "/kept.txt"})["content"])
    trial.environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    remote.end_trial(trial_id)
    remote.close()
    return trial.task_id, content


def test_a_trial_goes_on_in_another_process(server):
    with client(server) as wired:
        run = start_selected_run(
            wired.remote, TaskSelection(limit=1), name="a run", seed=0
        )
        first = run.trials[0].trial_id
        wired.remote.start_trial(first).environment.call(
            "write", {"path": "/kept.txt", "content": "kept"}
        )
        assert KEY not in str(pickle.dumps(wired.remote))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(in_another_process, wired.remote, first).result(30) == (
                "t00",
                "kept",
            )
        assert wired.remote.submit_run(run.run_id, force=True).trials[0].score == 1.0
        assert "BITGN_API_KEY" in os.environ


@pytest.mark.parametrize(
    ("state", "is_stopping", "code"),
    [
        ("TRIAL_STATE_ERROR", False, "failed_precondition"),
        ("TRIAL_STATE_RUNNING", False, "internal"),
        ("TRIAL_STATE_ERROR", True, "internal"),
    ],
)
def test_a_start_that_fails_in_passing_is_final_only_where_the_platform_says_that_the_trial_is_over(
    state, is_stopping, code
):
    told = reply(b'{"trialId": "t", "state": "%s"}' % state.encode())
    gone = reply(b'{"code": "internal", "message": "it is gone"}', status="500 X")
    with remote_on(to(b"/GetTrial", told, gone)) as (remote, context, requests):
        if is_stopping:
            context.stop.set()
        with pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught:
            remote.start_trial("t")

    assert caught.value.code == code
    assert any(b"/GetTrial" in request for request in requests) is not is_stopping


@pytest.mark.parametrize(
    ("state", "is_done"),
    [("RUN_STATE_PENDING_EVAL", True), ("RUN_STATE_RUNNING", False)],
)
def test_a_submission_that_is_never_confirmed_counts_where_the_platform_says_that_the_run_is_handed_in(
    state, is_done
):
    told = reply(b'{"runId": "r", "state": "%s"}' % state.encode())
    grading = reply(
        b'{"code": "deadline_exceeded", "message": "grading"}', status="504 X"
    )
    with remote_on(to(b"/GetRun", told, grading), lifecycle_patience_s="0.2") as (
        remote,
        _,
        _,
    ):
        if is_done:
            assert remote.submit_run("r", force=False).state is RunState.PENDING
        else:
            with pytest.raises(BenchmarkError, match="SubmitRun: grading"):
                remote.submit_run("r", force=False)


def opened(argument, settings) -> BenchmarkIdentity:
    identity = open_benchmark(argument, settings, BenchmarkContext()).resume_identity
    assert identity is not None
    return identity


@pytest.fixture
def no_environment(monkeypatch):
    for name in ("BENCH_ID", "BITGN_HOST", "BITGN_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(
    ("argument", "settings", "said"),
    [
        ("", {}, "BENCH_ID"),
        ("x", {"call_timeout_s": "soon"}, "call_timeout_s='soon'"),
        ("x", {"call_timeout_s": "0"}, "call_timeout_s='0'"),
        ("x", {"connections": "0"}, "connections='0'"),
        ("x", {"host": "api.bitgn.com"}, "https://"),
        ("x", {"host": "https://"}, "https://"),
        ("x", {"host": "http://[::1"}, "https://"),
        ("x", {"host": "http://h:99999"}, "https://"),
        ("x", {"host": "http://exa mple"}, "https://"),
        ("x", {"host": "https://user:canary@h"}, "BITGN_API_KEY"),
        ("x", {"host": "https://canary@h"}, "BITGN_API_KEY"),
        ("x", {"host": "https://h/?key=canary"}, "BITGN_API_KEY"),
        ("x", {"host": "https://h/#canary"}, "BITGN_API_KEY"),
        ("x", {"host": "h:1@canary"}, "https://"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(argument, settings, said):
    with pytest.raises(BenchmarkError) as raised:
        opened(argument, settings)
    assert raised.value.code == "invalid_argument"
    assert said in raised.value.message
    assert "canary" not in raised.value.message


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(
    "host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"]
)
def test_a_host_that_holds_the_key_is_refused_and_not_shown(host, monkeypatch):
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)
    with pytest.raises(BenchmarkError, match="the host holds the key") as raised:
        opened("x", {})

    assert "canary" not in raised.value.message


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
    (
        "write",
        {"path": "/books/emma.json", "content": "x", "if_match_sha256": "00"},
        "failed_precondition",
    ),
    ("read", {}, "invalid_argument"),
    ("read", {"path": "/AGENTS.MD", "speed": 3}, "invalid_argument"),
    ("move", {}, "unimplemented"),
    ("exec", {"path": "/bin/crash"}, "unknown"),
]


@pytest.fixture
def faultless(server):
    with client(server) as wired:
        yield wired


def started(wired: Wire):
    run = wired.remote.start_run(RunRequest("a run"))
    return wired.remote.start_trial(run.trials[0].trial_id)


def test_calls_that_were_begun_are_finished_in_any_order(faultless):
    local = Shelf()
    remote = started(faultless).environment
    begun = [
        (remote.begin(name, given), name, given)
        for name, given in CALLS
        if "/new/" not in given.get("path", "")
    ]
    for call, name, given in reversed(begun):
        defaults = {
            parameter.name: parameter.default
            for parameter in local.tool_schema.operation(name).parameters
        }
        expected = local.call(name, defaults | given)
        expected.pop("searched", "")  # The platform's messages do not say it.
        assert call() == expected, name


@pytest.mark.parametrize(("operation", "arguments", "code"), FAILING_CALLS)
def test_a_call_that_fails_raises_a_call_error_with_its_code(
    faultless, operation, arguments, code
):
    environment = started(faultless).environment
    with pytest.raises(CallError) as raised:
        environment.call(operation, arguments)

    assert raised.value.code == code


@pytest.mark.parametrize(
    "fault",
    ["reset_before", "reset_after", "unavailable", "bare_unavailable", "stall", "hang"],
)
def test_a_lost_write_or_delete_happens_once(fault, server, benchmark):
    with client(
        server,
        faults=faulty("Write", "Delete", seed=84, **{fault: 0.4}),
        call_timeout_s="0.2",
    ) as wired:
        trial = started(wired)
        for number in range(4):
            path = f"/new/{number}.txt"
            assert trial.environment.call("write", {"path": path, "content": "x"}) == {
                "path": path
            }
            assert trial.environment.call("delete", {"path": path}) == {"path": path}
        assert wired.server.faults.made[fault] > 1
        effects = benchmark.shelves[wired.server.own_id(trial.trial_id)].effects
        assert set(effects.values()) == {1}
        assert len(effects) == 8


@pytest.mark.parametrize(
    "fault", ["reset_before", "reset_after", "bare_unavailable", "stall", "hang"]
)
def test_a_change_whose_reply_was_lost_is_reported_as_unknown_and_not_repeated(
    fault, server, benchmark
):
    with client(
        server, faults=faulty("Exec", seed=84, **{fault: 1.0}), call_timeout_s="0.2"
    ) as wired:
        trial = started(wired)
        with pytest.raises(CallError) as raised:
            trial.environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
        assert raised.value.code == "unknown"
        assert "not known" in raised.value.message
        assert wired.server.faults.made[fault] == 1
        assert benchmark.shelves[wired.server.own_id(trial.trial_id)].effects[
            "checkout ['b1']"
        ] == (fault in ("reset_after", "stall"))


@pytest.mark.parametrize(
    ("operation", "arguments", "code", "calls"),
    [
        ("exec", {"path": "/bin/checkout", "args": ["b1"]}, "unknown", 1),
        # two of them look at what is there
        (
            "write",
            {"path": "/a.txt", "content": "x"},
            "unknown",
            5,
        ),
        ("exec", {"path": "/bin/id"}, "internal", 3),
        ("stat", {"path": "/a.txt"}, "internal", 3),
        ("tree", {}, "internal", 3),
    ],
)
def test_a_reply_that_is_not_as_described_is_a_lost_reply(
    operation, arguments, code, calls
):
    # deep, and wrong at the end where depth alone is no fault
    endless = b'{"children": [' * 450 + b"7" + b"]}" * 450
    wrong = reply(b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % endless)
    said = pytest.raises(CallError, match="is not as described")
    with environment_on(wrong) as (remote, requests), said as raised:
        remote.call(operation, arguments)

    assert (raised.value.code, len(requests)) == (code, calls)


@pytest.mark.parametrize(("level", "is_whole"), [(0, False), (2, False), (1, True)])
def test_a_tree_that_the_platform_cut_is_too_large_and_is_not_asked_for_again(
    level, is_whole
):
    root = {
        "name": "/",
        "kind": "NODE_KIND_DIR",
        "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
    }
    with environment_on(
        reply(json.dumps({"root": root, "truncated": True}).encode())
    ) as (
        remote,
        requests,
    ):
        if is_whole:
            assert remote.call("tree", {"level": level})["children"]
        else:
            with pytest.raises(
                CallError, match="list its folders one by one"
            ) as raised:
                remote.call("tree", {"level": level})
            assert raised.value.code == "resource_exhausted"

    assert len(requests) == 1


@pytest.mark.parametrize("headers", ["Retry-After: 100\r\n", ""])
def test_a_trial_whose_time_is_over_waits_for_no_call_but_its_answer(headers):
    busy = reply(
        b'{"code": "unavailable", "message": "later"}', status="503 X", headers=headers
    )
    began = time.monotonic()
    with environment_on(busy, retry_s=20.0) as (remote, _):
        remote.ends_at = began + 0.3
        with pytest.raises(CallError):
            remote.call("read", {"path": "/a.txt"})
        assert time.monotonic() - began < 2
    later = reply(
        b'{"code": "unavailable"}', status="503 X", headers="Retry-After: 0.3\r\n"
    )
    with environment_on(Script(later, reply(b"{}")), retry_s=20.0) as (
        remote,
        requests,
    ):
        remote.ends_at = began
        remote.answer("yes", "OUTCOME_OK", [])

    assert len(requests) == 2


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "stall", "hang"])
def test_an_answer_whose_reply_was_lost_is_given_once(fault, server, benchmark):
    with client(
        server, faults=faulty("Answer", seed=92, **{fault: 0.4}), call_timeout_s="0.2"
    ) as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        for head in run.trials:
            wired.remote.start_trial(head.trial_id).environment.answer(
                "Emma", "OUTCOME_OK", []
            )
            assert (
                len(benchmark.shelves[wired.server.own_id(head.trial_id)].answers) == 1
            )
        assert wired.server.faults.made[fault] > 0
