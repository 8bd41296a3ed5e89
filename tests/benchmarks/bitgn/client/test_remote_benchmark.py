"""The platform as a benchmark: a run's life over the wire, and what of it survives which fault."""

import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark, open_benchmark
from benchmarks.bitgn.server import ServerOptions
from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    RunRequest,
    RunState,
    StartedRun,
    TaskSelection,
    TrialScore,
    TrialStub,
    start_selected_run,
)
from tests.benchmarks.bitgn.byte_server import reply, stub
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import KEY, Wire, client
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


def selected(wired: Wire, selection: TaskSelection) -> StartedRun:
    return start_selected_run(wired.remote, selection, name="a run", seed=0)


def answer(wired: Wire, head: TrialStub, message: str) -> None:
    environment = wired.remote.start_trial(head.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


def test_a_run_goes_from_its_start_to_its_scores(server):
    with client(server) as wired:
        remote = wired.remote
        described = remote.describe()
        assert (described.name, described.policy, described.rule_sets) == ("bitgn:shelf", "open", ("ecom",))
        assert [task.task_id for task in described.tasks] == ["t00", "t01", "t02"]
        assert described.tasks[0].hint == "look in /books"
        run = remote.start_run(RunRequest("a run"))
        assert [head.task_id for head in run.trials] == ["t00", "t01", "t02"]
        trial = remote.start_trial(run.trials[0].trial_id)
        assert (trial.task_id, trial.instruction) == ("t00", "Which title has the book in /books/emma.json?")
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
        for again in (remote.submit_run(run.run_id, force=True), remote.get_run(run.run_id)):
            assert (again.state, again.trials) == (RunState.EVALUATED, expected)


def test_ending_a_trial_twice_is_no_error_and_ending_an_unknown_one_is(server, benchmark):
    with client(server) as wired:
        run = wired.remote.start_run(RunRequest("a run"))
        first = run.trials[0].trial_id
        wired.remote.start_trial(first)
        assert [wired.remote.end_trial(first), wired.remote.end_trial(first)] == [None, None]
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
        assert (raised.value.code, said in raised.value.message) == ("invalid_argument", True)
        assert benchmark.requests == []


def test_a_run_needs_a_key_and_a_wrong_one_is_never_shown(monkeypatch, server):
    keyless = RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext())
    with pytest.raises(BenchmarkError, match="BITGN_API_KEY"):
        keyless.start_run(RunRequest("r"))
    keyless.close()
    monkeypatch.setenv("BITGN_API_KEY", "canary-wrong-key")
    remote = RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext())
    with pytest.raises(BenchmarkError) as raised:
        remote.start_run(RunRequest("r"))
    assert raised.value.code == "unauthenticated"
    assert "canary-wrong-key" not in f"{raised.value!r}{raised.value}{vars(remote)}{remote!r}"
    remote.close()


@pytest.mark.parametrize("fault", ["unavailable", "bare_unavailable", "reset_before", "reset_after", "stall", "hang"])
def test_no_fault_doubles_an_end_or_a_submission(fault, server, benchmark):
    options = faulty("EndTrial", "SubmitRun", "StartTrial", "GetRun", seed=32, **{fault: 0.4})
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


def test_a_run_whose_reply_was_lost_is_started_once_more_with_a_warning(server, benchmark):
    with client(server, faults=faulty("StartRun", reset_after=1.0)) as wired:
        with pytest.raises(BenchmarkError) as raised:
            wired.remote.start_run(RunRequest("a run"))
        assert raised.value.code == "unavailable"
        assert len(benchmark.requests) == 2
        assert wired.notices == [
            "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
        ]


@pytest.mark.parametrize("body", [b"{}", b'{"runId": 7}', b'{"runId": "r", "trials": [{"state": "x"}]}'])
def test_a_reply_that_is_not_as_described_is_an_error_that_says_so(body, monkeypatch):
    with stub(reply(body)) as (url, _):
        remote = RemoteBenchmark("x", {"host": url, "lifecycle_patience_s": "0.3"}, BenchmarkContext())
        if body == b"{}":
            with pytest.raises(BenchmarkError, match="harnessUrl"):
                remote.start_trial("t")
            with pytest.raises(BenchmarkError, match="StartTrial is not as described"):
                remote.start_trial("t")
        else:
            with pytest.raises(BenchmarkError, match="GetRun is not as described"):
                remote.get_run("r")
        remote.close()


def in_another_process(remote, trial_id: str) -> tuple[str, str]:
    trial = remote.start_trial(trial_id)
    content = str(trial.environment.call("read", {"path": "/kept.txt"})["content"])
    trial.environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    remote.end_trial(trial_id)
    remote.close()
    return trial.task_id, content


def test_a_trial_goes_on_in_another_process(server):
    with client(server) as wired:
        run = selected(wired, TaskSelection(limit=1))
        first = run.trials[0].trial_id
        wired.remote.start_trial(first).environment.call("write", {"path": "/kept.txt", "content": "kept"})
        assert KEY not in str(pickle.dumps(wired.remote))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(in_another_process, wired.remote, first).result(30) == ("t00", "kept")
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
    def behave(connection, request):
        if b"/GetTrial" in request:
            reply(b'{"trialId": "t", "state": "%s"}' % state.encode())(connection, request)
        else:
            reply(b'{"code": "internal", "message": "it is gone"}', status="500 X")(connection, request)

    with stub(behave) as (url, requests):
        context = BenchmarkContext()
        remote = RemoteBenchmark("x", {"host": url}, context)
        if is_stopping:
            context.stop.set()
        with pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught:
            remote.start_trial("t")
        remote.close()
    assert caught.value.code == code
    assert any(b"/GetTrial" in each for each in requests) is not is_stopping


@pytest.mark.parametrize(("state", "is_done"), [("RUN_STATE_PENDING_EVAL", True), ("RUN_STATE_RUNNING", False)])
def test_a_submission_that_is_never_confirmed_counts_where_the_platform_says_that_the_run_is_handed_in(state, is_done):
    def behave(connection, request):
        if b"/GetRun" in request:
            reply(b'{"runId": "r", "state": "%s"}' % state.encode())(connection, request)
        else:
            reply(b'{"code": "deadline_exceeded", "message": "grading"}', status="504 X")(connection, request)

    with stub(behave) as (url, _):
        remote = RemoteBenchmark("x", {"host": url, "lifecycle_patience_s": "0.2"}, BenchmarkContext())
        if is_done:
            assert remote.submit_run("r", force=False).state is RunState.PENDING
        else:
            with pytest.raises(BenchmarkError, match="SubmitRun: grading"):
                remote.submit_run("r", force=False)
        remote.close()


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
@pytest.mark.parametrize("host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"])
def test_a_host_that_holds_the_key_is_refused_and_not_shown(host, monkeypatch):
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)
    with pytest.raises(BenchmarkError, match="the host holds the key") as raised:
        opened("x", {})
    assert "canary" not in raised.value.message
