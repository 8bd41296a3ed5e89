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
    API_KEY,
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
    with faulty_server(benchmark, ServerOptions(api_key=API_KEY)) as running:
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
    """Start a trial and answer the question for the title in `/books/emma.json`."""
    environment = wired.remote.start_trial(head.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


def test_the_platform_describes_its_benchmark(server):
    with client(server) as wired:
        description = wired.remote.describe()

    assert description.name == "bitgn:shelf"
    assert description.policy == "open"
    assert description.rule_sets == ("ecom",)
    assert [task.task_id for task in description.tasks] == ["t00", "t01", "t02"]
    assert description.tasks[0].hint == "look in /books"


def test_a_run_goes_from_its_start_to_its_scores(server):
    """Of three trials, one is answered rightly, one wrongly and one not at all."""
    with client(server) as wired:
        remote = wired.remote

        run = remote.start_run(RunRequest("a run"))
        assert [head.task_id for head in run.trials] == ["t00", "t01", "t02"]
        right, wrong, unanswered = run.trials

        trial = remote.start_trial(right.trial_id)
        assert trial.task_id == "t00"
        assert trial.instruction == "Which title has the book in /books/emma.json?"
        answer(wired, right, "Emma")
        assert remote.end_trial(right.trial_id) is None
        answer(wired, wrong, "Persuasion")
        assert remote.end_trial(wrong.trial_id) is None

        # One trial has not ended, so there are no scores yet.
        with pytest.raises(BenchmarkError) as refusal:
            remote.submit_run(run.run_id, force=False)
        assert refusal.value.code == "failed_precondition"
        open_run = remote.get_run(run.run_id)
        assert open_run.state is RunState.RUNNING
        assert open_run.score is None
        assert {trial.score for trial in open_run.trials} == {None}

        submitted = remote.submit_run(run.run_id, force=True)
        expected_scores = (
            TrialScore(right.trial_id, 1.0),
            TrialScore(wrong.trial_id, 0.0, ("wrong title",)),
            TrialScore(unanswered.trial_id, 0.0, ("forced close",)),
        )
        assert submitted.state is RunState.EVALUATED
        assert submitted.score == pytest.approx(1 / 3)
        assert submitted.trials == expected_scores

        submitted_again = remote.submit_run(run.run_id, force=True)
        assert submitted_again.state is RunState.EVALUATED
        assert submitted_again.trials == expected_scores
        asked_for_later = remote.get_run(run.run_id)
        assert asked_for_later.state is RunState.EVALUATED
        assert asked_for_later.trials == expected_scores


def test_ending_a_trial_twice_ends_it_once(server, benchmark):
    with client(server) as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        trial_id = run.trials[0].trial_id
        wired.remote.start_trial(trial_id)

        assert wired.remote.end_trial(trial_id) is None
        assert wired.remote.end_trial(trial_id) is None

        assert benchmark.lifecycle[f"end {server.own_id(trial_id)}"] == 1


def test_a_trial_that_was_not_started_or_is_unknown_cannot_be_ended(server, benchmark):
    with client(server) as wired:
        run = wired.remote.start_run(RunRequest("a run"))

        with pytest.raises(BenchmarkError) as refusal:
            wired.remote.end_trial(run.trials[1].trial_id)
        assert refusal.value.code == "failed_precondition"

        with pytest.raises(BenchmarkError) as refusal:
            wired.remote.end_trial("none")
        assert refusal.value.code == "not_found"


@pytest.mark.parametrize(
    ("selection", "seed", "named_option"),
    [
        (TaskSelection(repeats=2), 0, "repeats=2"),
        (TaskSelection(), 5, "seed=5"),
        (TaskSelection(("t77",)), 0, "'t77'"),
    ],
)
def test_an_option_that_the_platform_cannot_honour_is_refused_before_the_start(
    selection, seed, named_option, server, benchmark
):
    with client(server) as wired:
        with pytest.raises(BenchmarkError) as refusal:
            start_selected_run(wired.remote, selection, name="r", seed=seed)

        assert refusal.value.code == "invalid_argument"
        assert named_option in refusal.value.message
        assert benchmark.requests == []


def open_shelf(server) -> closing[RemoteBenchmark]:
    return closing(RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext()))


def test_a_run_needs_a_key(server):
    with (
        open_shelf(server) as remote,
        pytest.raises(BenchmarkError, match="BITGN_API_KEY"),
    ):
        remote.start_run(RunRequest("r"))


def test_a_wrong_key_is_refused_and_never_shown(monkeypatch, server):
    monkeypatch.setenv("BITGN_API_KEY", "canary-wrong-key")
    with (
        open_shelf(server) as remote,
        pytest.raises(BenchmarkError) as refusal,
    ):
        remote.start_run(RunRequest("r"))

    assert refusal.value.code == "unauthenticated"
    assert "canary-wrong-key" not in repr(refusal.value)
    assert "canary-wrong-key" not in str(refusal.value)
    assert "canary-wrong-key" not in repr(remote)
    assert "canary-wrong-key" not in str(vars(remote))


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


def reply_by_method(
    method: bytes, behave_for_method: Behaviour, behave_otherwise: Behaviour
) -> Behaviour:
    """Return a stub's behaviour for requests of one method, such as `/GetRun`, and others."""

    def behave(peer, request):
        if method in request:
            return behave_for_method(peer, request)
        return behave_otherwise(peer, request)

    return behave


@pytest.mark.parametrize(
    "body", [b'{"runId": 7}', b'{"runId": "r", "trials": [{"state": "x"}]}']
)
def test_a_run_that_is_not_as_described_is_an_error_that_says_so(body):
    with (
        remote_on(reply(body), lifecycle_patience_s="0.3") as (remote, _, _),
        pytest.raises(BenchmarkError, match="GetRun is not as described"),
    ):
        remote.get_run("r")


def test_a_trial_that_is_not_as_described_is_an_error_that_says_so():
    with remote_on(reply(b"{}"), lifecycle_patience_s="0.3") as (remote, _, _):
        with pytest.raises(BenchmarkError, match="StartTrial is not as described"):
            remote.start_trial("t")
        with pytest.raises(BenchmarkError, match="harnessUrl"):  # the missing field
            remote.start_trial("t")


def finish_trial(remote, trial_id: str) -> tuple[str, str]:
    """Answer and end a trial; return the id of its task and what was written before."""
    trial = remote.start_trial(trial_id)
    content = str(trial.environment.call("read", {"path": "/kept.txt"})["content"])
    trial.environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    remote.end_trial(trial_id)
    remote.close()
    return trial.task_id, content


def test_a_trial_goes_on_in_another_process(server):
    """One process starts the trial and writes a file, another reads it and answers."""
    with client(server) as wired:
        run = start_selected_run(
            wired.remote, TaskSelection(limit=1), name="a run", seed=0
        )
        trial_id = run.trials[0].trial_id
        environment = wired.remote.start_trial(trial_id).environment
        environment.call("write", {"path": "/kept.txt", "content": "kept"})

        assert API_KEY not in str(pickle.dumps(wired.remote))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            other_process = pool.submit(finish_trial, wired.remote, trial_id)
            task_id, content = other_process.result(30)

        assert task_id == "t00"
        assert content == "kept"
        result = wired.remote.submit_run(run.run_id, force=True)
        assert result.trials[0].score == 1.0
        assert "BITGN_API_KEY" in os.environ


def platform_that_lost_trial(state: str) -> Behaviour:
    """No start of a trial succeeds; the platform says that the trial is in this state."""
    return reply_by_method(
        b"/GetTrial",
        reply(b'{"trialId": "t", "state": "%s"}' % state.encode()),
        reply(b'{"code": "internal", "message": "it is gone"}', status="500 X"),
    )


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("TRIAL_STATE_ERROR", "failed_precondition"),
        ("TRIAL_STATE_RUNNING", "internal"),
    ],
)
def test_a_failed_start_is_final_if_the_platform_says_that_the_trial_is_over(
    state, code
):
    with (
        remote_on(platform_that_lost_trial(state)) as (remote, _, requests),
        pytest.raises(BenchmarkError, match="StartTrial: it is gone") as failure,
    ):
        remote.start_trial("t")

    assert failure.value.code == code
    assert any(b"/GetTrial" in request for request in requests)


def test_a_run_that_stops_does_not_ask_whether_a_failed_start_is_final():
    platform = platform_that_lost_trial("TRIAL_STATE_ERROR")
    with remote_on(platform) as (remote, context, requests):
        context.stop.set()
        with pytest.raises(BenchmarkError, match="StartTrial: it is gone") as failure:
            remote.start_trial("t")

    assert failure.value.code == "internal"
    assert not any(b"/GetTrial" in request for request in requests)


def platform_that_confirms_no_submission(state: str) -> Behaviour:
    """The platform is still grading when it should confirm; it says that the run is in this state."""
    return reply_by_method(
        b"/GetRun",
        reply(b'{"runId": "r", "state": "%s"}' % state.encode()),
        reply(b'{"code": "deadline_exceeded", "message": "grading"}', status="504 X"),
    )


def test_an_unconfirmed_submission_counts_if_the_run_is_handed_in():
    platform = platform_that_confirms_no_submission("RUN_STATE_PENDING_EVAL")
    with remote_on(platform, lifecycle_patience_s="0.2") as (remote, _, _):
        submitted = remote.submit_run("r", force=False)

    assert submitted.state is RunState.PENDING


def test_an_unconfirmed_submission_fails_if_the_run_is_not_handed_in():
    platform = platform_that_confirms_no_submission("RUN_STATE_RUNNING")
    with (
        remote_on(platform, lifecycle_patience_s="0.2") as (remote, _, _),
        pytest.raises(BenchmarkError, match="SubmitRun: grading"),
    ):
        remote.submit_run("r", force=False)


def open_with(argument, settings) -> BenchmarkIdentity:
    identity = open_benchmark(argument, settings, BenchmarkContext()).resume_identity
    assert identity is not None
    return identity


@pytest.fixture
def no_environment(monkeypatch):
    for name in ("BENCH_ID", "BITGN_HOST", "BITGN_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(
    ("argument", "settings", "named_value"),
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
def test_a_value_that_does_not_fit_is_refused_by_name(argument, settings, named_value):
    with pytest.raises(BenchmarkError) as raised:
        open_with(argument, settings)
    assert raised.value.code == "invalid_argument"
    assert named_value in raised.value.message
    assert "canary" not in raised.value.message


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(
    "host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"]
)
def test_a_host_that_holds_the_key_is_refused_and_not_shown(host, monkeypatch):
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)
    with pytest.raises(BenchmarkError, match="the host holds the key") as raised:
        open_with("x", {})

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
    ("operation", "arguments", "code", "request_count"),
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
    operation, arguments, code, request_count
):
    # deep, and wrong at the end where depth alone is no fault
    deep_tree = b'{"children": [' * 450 + b"7" + b"]}" * 450
    wrong_reply = reply(
        b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % deep_tree
    )
    with (
        environment_on(wrong_reply) as (remote, requests),
        pytest.raises(CallError, match="is not as described") as failure,
    ):
        remote.call(operation, arguments)

    assert failure.value.code == code
    assert len(requests) == request_count


CUT_TREE = {
    "root": {
        "name": "/",
        "kind": "NODE_KIND_DIR",
        "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
    },
    "truncated": True,
}


@pytest.mark.parametrize("level", [0, 2])  # 0: all levels
def test_a_tree_that_the_platform_cut_is_too_large_and_is_not_asked_for_again(level):
    cut_reply = reply(json.dumps(CUT_TREE).encode())
    with (
        environment_on(cut_reply) as (remote, requests),
        pytest.raises(CallError, match="list its folders one by one") as refusal,
    ):
        remote.call("tree", {"level": level})

    assert refusal.value.code == "resource_exhausted"
    assert len(requests) == 1


def test_a_tree_of_one_level_that_the_platform_cut_is_taken():
    cut_reply = reply(json.dumps(CUT_TREE).encode())
    with environment_on(cut_reply) as (remote, requests):
        assert remote.call("tree", {"level": 1})["children"]

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
