"""`Worker`: runs single functions on foreign data in an isolated process, within limits.

A function that crashes, hangs or takes too much memory fails its own call and nothing else:

    with Worker(server) as worker:
        worker.call("tests.sandbox.worker_functions:echo", 1)  # 1
        worker.call("tests.sandbox.worker_functions:die")  # raises CallError
        worker.call("tests.sandbox.worker_functions:echo", 2)  # 2, from a new process
"""

import time

import pytest

from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.parent import worker_child

MODULE = "tests.sandbox.worker_functions"
"""The module whose functions the workers run: `echo(value)`, `loop()`, `die()` and others."""

SHORT_CALLS = WorkerLimits(call_cpu_s=0.2)
"""A worker may compute 0.2 s for a call; then its process is ended."""


@pytest.fixture(scope="module")
def server():
    """A fork server that has imported `MODULE`."""
    with ForkServer([MODULE]) as server:
        yield server


@pytest.fixture
def worker(server):
    """A worker whose calls are ended after 0.2 s of CPU time."""
    with Worker(server, limits=SHORT_CALLS) as worker:
        yield worker


def run(worker, name, *arguments, **options):
    """Call a function of `MODULE` in a worker, and return its result: `run(worker, "echo", 1)`."""
    return worker.call(f"{MODULE}:{name}", *arguments, **options)


def failure(worker, name, *arguments, **options):
    """Call a function of `MODULE` in a worker, and return the error that it fails with."""
    with pytest.raises(CallError) as raised:
        run(worker, name, *arguments, **options)
    return raised.value


class TestResultsOfWorkers:
    """Plain values reach a worker and come back."""

    @pytest.mark.parametrize(
        "value", [None, 1, 1.5, "ä\x00", [1, [2]], {"a": {"b": []}}]
    )
    def test_plain_values_reach_a_worker_and_come_back_unchanged(self, worker, value):
        assert run(worker, "echo", value) == value


ENDLESS_SQL = """
    with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n
"""


class TestFailedCalls:
    """A call that fails says why, and the next call works.

    The calls are functions of `tests/sandbox/worker_functions.py`: `loop()` never returns,
    `die()` ends the process of the worker, `echo(value)` returns its argument. A call is ended
    after 0.2 s of CPU.
    """

    @pytest.mark.parametrize(
        ("function", "arguments", "code", "message"),
        [
            pytest.param(
                "raise_type_error",
                (),
                "internal",
                "TypeError: no such thing",
                id="it raises an exception",
            ),
            pytest.param(
                "nan",
                (),
                "internal",
                "not JSON compliant",
                id="its result is not JSON",
            ),
            pytest.param(
                "missing", (), "internal", "missing", id="there is no function"
            ),
            pytest.param(
                "match",
                ("(a+)+$", "a" * 50 + "b"),
                "resource_exhausted",
                "0.2 s of CPU",
                id="a regular expression backtracks",
            ),
            pytest.param(
                "query",
                (ENDLESS_SQL,),
                "resource_exhausted",
                "0.2 s of CPU",
                id="SQL does not end",
            ),
            pytest.param(
                "loop",
                (),
                "resource_exhausted",
                "0.2 s of CPU",
                id="a loop does not end",
            ),
            pytest.param(
                "grow",
                (2_000,),  # megabytes
                "resource_exhausted",
                "memory",
                id="it takes too much memory",
            ),
            pytest.param("die", (), "internal", "died", id="its process dies"),
        ],
    )
    def test_a_call_that_fails_says_why_and_the_next_call_works(
        self, worker, function, arguments, code, message
    ):
        """`code` is that of the error which the call fails with."""
        error = failure(worker, function, *arguments)

        assert error.code == code
        assert message in error.message
        assert run(worker, "echo", "still here") == "still here"


class TestLimitsOfWorkers:
    """Questions, results, CPU and time of a worker's calls are limited.

    The function `ask` asks the parent for files, `("file", 0)`, `("file", 1)` and so on, and the
    function `serve` answers in the parent.
    """

    def test_a_call_that_asks_its_parent_too_often_fails_and_the_next_call_works(
        self, worker
    ):
        """A function in a worker asks the parent for each file it needs, and `serve` answers. The
        function `ask` asks 400 questions: `("file", 0)`, `("file", 1)` and so on."""

        def answer(question):
            _name, number = question
            return number

        error = failure(worker, "ask", 400, serve=answer)

        assert error.code == "resource_exhausted"
        assert "more than 300 files" in error.message
        assert run(worker, "echo", "still here") == "still here"

    def test_a_result_that_is_too_large_fails_its_call(self, server):
        """A result may have 1,000 bytes here."""
        with Worker(server, limits=WorkerLimits(reply_bytes=1_000)) as worker:
            error = failure(worker, "echo", "x" * 2_000)

            assert error.code == "resource_exhausted"
            assert run(worker, "echo", 1) == 1

    def test_an_error_of_the_parent_is_raised_in_the_function_that_asked(self, worker):
        """The function `ask` does not catch the error, so that its call fails with it."""

        def refuse(question):
            raise CallError("not_found", "no such file")

        error = failure(worker, "ask", 1, serve=refuse)

        assert error.code == "not_found"
        assert error.message == "no such file"

    def test_all_calls_of_a_trial_together_have_a_limit_of_cpu(self, server):
        """After endless calls, even a harmless one is refused, because the trial has used up its
        CPU."""
        limits = WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)
        with Worker(server, limits=limits) as worker:
            # The kernel counts CPU in ticks, perhaps more than a call used, so one call may be
            # ended before it used 0.2 s. Six calls suffice.
            for _ in range(6):
                failure(worker, "loop")

            assert "this trial" in failure(worker, "echo", 1).message

    def test_a_call_that_waits_is_ended_at_its_wall_clock_limit(self, server):
        """The function asks its parent one question, and uses no CPU while it waits."""

        def answer_late(question):
            time.sleep(0.5)

        with Worker(server, limits=WorkerLimits(call_wall_s=0.3)) as worker:
            error = failure(worker, "ask", 1, serve=answer_late)

        assert "0.3 s" in error.message


class TestIsolationOfWorkers:
    """A worker works on foreign data, and cannot reach the machine."""

    @pytest.mark.parametrize("kind", ["file", "socket", "fork", "parent", "array"])
    def test_a_worker_cannot_reach_the_machine(self, worker, kind):
        """The function `reach_out` tries to open a file or a socket, to fork, to send a signal to
        its parent, or to use the module `array`, which only workers that read spreadsheets may."""
        assert run(worker, "reach_out", kind) in ("PermissionError", "OSError")

    def test_a_worker_does_not_get_the_environment_variables(self, worker, monkeypatch):
        """The variable is set in the process of the test, the parent of the worker."""
        monkeypatch.setenv("SECRET", "s3cret")

        assert "s3cret" not in str(run(worker, "reach_out", "environment"))


def process_of_trial(server, *, prepare=None, is_shared=True):
    """Return the id of the process in which a trial's worker ran, and which is idle now.

    `prepare` is called when the worker gets its process, for example to send it the files of the
    trial. If `is_shared`, the worker may get the idle process of an earlier trial.
    """
    with Worker(server, limits=SHORT_CALLS, is_shared=is_shared) as worker:
        if prepare is not None:
            worker.when_started(prepare)
        return run(worker, "process")


class TestSharedProcesses:
    """An idle process serves the worker of the next trial, since it starts slowly.

    `process_of_trial` returns the id of the process in which the worker of one trial ran.
    """

    @pytest.fixture(autouse=True)
    def calls_may_be_slow(self, monkeypatch):
        """Share a process however long its calls took: on a busy machine, a start takes long."""
        monkeypatch.setattr(worker_child, "_MAX_SHARED_S", 60.0)

    def test_the_process_of_a_shared_worker_serves_the_next_trial(self, server):
        """To start a process costs more than most calls."""
        first_process = process_of_trial(server)

        assert process_of_trial(server) == first_process

    def test_a_worker_that_is_not_shared_has_its_own_process(self, server):
        """An idle process of an earlier trial is there, and is not used."""
        shared_process = process_of_trial(server)

        assert process_of_trial(server, is_shared=False) != shared_process

    def test_a_process_that_was_prepared_for_its_trial_serves_no_other(self, server):
        """The process has the trial's files in it then. It may have been an idle one before."""
        first_process = process_of_trial(server)

        prepared_process = process_of_trial(server, prepare=lambda: None)
        next_process = process_of_trial(server)

        assert prepared_process == first_process
        assert next_process != prepared_process

    def test_an_idle_process_that_died_is_not_used(self, server):
        """All idle processes are ended between two trials."""
        first_process = process_of_trial(server)

        for idle_process in server._idle_workers.all_children():
            idle_process.server.end(idle_process)

        assert process_of_trial(server) != first_process
