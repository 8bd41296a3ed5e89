import time

import pytest

from sandbox import ForkServer, Worker
from sandbox.interface import CallError
from sandbox.interface.host import WorkerLimits

MODULE = "tests.sandbox.worker_functions"
QUICK = WorkerLimits(call_cpu_s=0.2)


@pytest.fixture(scope="module")
def server():
    with ForkServer([MODULE]) as running:
        yield running


@pytest.fixture
def worker(server):
    with Worker(server, limits=QUICK) as made:
        yield made


def run(worker, name, *arguments, **options):
    return worker.call(f"{MODULE}:{name}", *arguments, **options)


def failure(worker, name, *arguments, **options):
    with pytest.raises(CallError) as raised:
        run(worker, name, *arguments, **options)
    return raised.value


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä\x00", [1, [2]], {"a": {"b": []}}])
def test_plain_values_travel_both_ways(worker, value):
    assert run(worker, "echo", value) == value


@pytest.mark.parametrize(
    ("name", "arguments", "code", "words"),
    [
        ("raise_type_error", (), "internal", "TypeError: no such thing"),
        ("nan", (), "internal", "not JSON compliant"),
        ("missing", (), "internal", "missing"),
        ("match", ("(a+)+$", "a" * 50 + "b"), "resource_exhausted", "0.2 s of CPU"),
        ("query", ("with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n",),
         "resource_exhausted", "0.2 s of CPU"),
        ("loop", (), "resource_exhausted", "0.2 s of CPU"),
        ("grow", (2_000,), "resource_exhausted", "memory"),
        ("die", (), "internal", "died"),
        ("ask", (400,), "resource_exhausted", "more than 300 files"),
    ],
)  # fmt: skip
def test_a_call_that_fails_says_why_and_the_next_one_works(worker, name, arguments, code, words):
    serve = {"serve": lambda question: question[1]} if name == "ask" else {}
    error = failure(worker, name, *arguments, **serve)
    assert error.code == code
    assert words in error.message
    assert run(worker, "echo", "still here") == "still here"


def test_a_result_that_is_too_large_is_not_sent(server):
    with Worker(server, limits=WorkerLimits(reply_bytes=1_000)) as worker:
        assert failure(worker, "echo", "x" * 2_000).code == "resource_exhausted"
        assert run(worker, "echo", 1) == 1


def test_a_refusal_of_the_parent_is_raised_in_the_function(worker):
    def refuse(question):
        raise CallError("not_found", str(question[0]))

    error = failure(worker, "ask", 1, serve=refuse)
    assert (error.code, error.message) == ("not_found", "double")


def test_the_time_of_a_whole_trial_is_limited(server):
    with Worker(server, limits=WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)) as worker:
        for _ in range(6):  # A call is ended by the kernel's ticks, which may count more than the call used.
            failure(worker, "loop")
        assert "this trial" in failure(worker, "echo", 1).message


def test_a_wait_ends_at_the_layer_clock(server):
    with Worker(server, limits=WorkerLimits(call_wall_s=0.3)) as worker:
        started = time.monotonic()
        assert "0.3 s" in failure(worker, "ask", 1, serve=lambda question: time.sleep(0.5)).message
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("kind", ["file", "socket", "fork", "parent", "array"])  # openpyxl alone needs arrays
def test_the_machine_is_out_of_reach(worker, kind):
    assert run(worker, "reach_out", kind) in ("PermissionError", "OSError")


def test_the_environment_holds_no_secret(worker, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    assert "s3cret" not in str(run(worker, "reach_out", "environment"))


def test_a_shared_process_serves_the_next_trial(server):
    def trial(prepare=None):
        with Worker(server, limits=QUICK, is_shared=True) as worker:
            if prepare:
                worker.when_started(prepare)
            return run(worker, "process")

    first = trial()
    assert trial() == first
    with Worker(server, limits=QUICK) as unshared:
        assert run(unshared, "process") != first
    assert trial(prepare=lambda: None) == first
    second = trial()
    assert second != first, "a process that was prepared for its trial serves another one"
    for idle in server.idle.values():
        for child in idle:
            child.server.end(child)
    assert trial() != second, "a process that died while it was idle is used"
