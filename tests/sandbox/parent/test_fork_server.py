"""The fork server and its workers: shared by threads, gone with
their parent, made again when they died; which layers work."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from controlplane.sandbox import (
    Ending,
    ForkServer,
    IsolationReport,
    Layer,
    Sandbox,
    Worker,
)
from controlplane.sandbox.doctor import report_lines
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.host import WorkerLimits
from tests.sandbox.script_world import (
    NOW,
    TOOL_SCHEMA,
    RecordingHost,
    run_sandbox_command,
)
from tests.support.command import run_python, wait_until


def descendants(pid: int) -> set[int]:
    """Return the processes below `pid`."""
    return {process.pid for process in psutil.Process(pid).children(recursive=True)}


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(pids: set[int]) -> None:
    wait_until(lambda: not any(map(is_alive, pids)))


linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc"
)


@linux_only
def test_closing_a_server_ends_every_process_of_it():
    processes_before = descendants(os.getpid())
    server = ForkServer()
    boxes = [
        Sandbox(TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server)
        for _ in range(3)
    ]
    for box in boxes:
        box.ready_child()
    server_processes = descendants(os.getpid()) - processes_before
    assert len(server_processes) >= 5  # three children, and the processes of the server

    server.close()

    wait_until_gone(server_processes)
    for box in boxes:
        box.close()


@linux_only
def test_a_server_that_dies_costs_a_trial_at_most_a_step():
    """Kill the server and its children after a step, and run two more steps."""
    processes_before = descendants(os.getpid())
    with (
        ForkServer() as server,
        Sandbox(TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server) as box,
    ):
        box.run("scratchpad['kept'] = 1")
        server_processes = descendants(os.getpid()) - processes_before
        for pid in server_processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # It ended with another one.
        wait_until_gone(server_processes)

        lost_step = box.run("print(scratchpad['kept'])")
        next_step = box.run("print(scratchpad['kept'])")

        assert lost_step.ending in (Ending.KILLED, Ending.FINISHED)
        assert next_step.output == "1\n"


@linux_only
def test_server_and_children_end_when_the_parent_is_killed():
    """The parent is killed while one of its scripts runs in an endless loop."""
    program = textwrap.dedent("""
        import sys, time
        from controlplane.sandbox import ForkServer, Sandbox
        from tests.sandbox.script_world import NOW, TOOL_SCHEMA, RecordingHost
        server = ForkServer()
        box = Sandbox(TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server)
        box.run("x = 1")
        print("ready", flush=True)
        box.run("while True: pass")
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        parent_processes = descendants(parent.pid)
        assert len(parent_processes) >= 3
        parent.kill()

    wait_until_gone(parent_processes)


def test_a_process_without_files_to_spare_is_told_so_and_costs_no_other_child():
    """Start a child, open as many files as the process may, and try to start another.

    Once a file is closed, a second child can be started, from the same server process.
    """
    code = """
    import os, resource
    from controlplane.sandbox import ForkServer, SandboxBroken
    with ForkServer() as server:
        first = server.spawn(with_kernel=False)
        resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
        taken = []
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        try:
            server.spawn(with_kernel=False)
        except SandboxBroken as error:
            print(error)
        os.close(taken.pop())
        second = server.spawn(with_kernel=False)
        print(first.generation == second.generation, first.end().code)
    """
    done = run_python("-c", textwrap.dedent(code))

    error, last_line = done.out.splitlines()
    assert "can open no more files" in error, done.err
    is_same_server, exit_code_of_first = last_line.split()
    assert is_same_server == "True"
    # Only now is the first child ended, with SIGKILL.
    assert exit_code_of_first == "-9"


def test_a_child_that_is_killed_costs_one_step(server):
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.KERNEL}),
    ) as box:
        box.run("scratchpad['kept'] = [1]")
        result = box.run("import os\nos._exit(9)")
        assert result.ending is Ending.KILLED
        assert "exit code 9" in result.error
        assert box.run("print(scratchpad['kept'])").output == "[1]\n"


@pytest.mark.heavy
def test_a_storm_of_killed_children_leaves_nothing_behind(heavy, server):
    processes_before = descendants(os.getpid())
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.KERNEL}),
    ) as box:
        for _ in range(1000):
            assert box.run("import os\nos._exit(1)").ending is Ending.KILLED
    time.sleep(0.2)

    assert len(descendants(os.getpid()) - processes_before) <= 3


@linux_only
def test_the_doctor_says_which_layers_work():
    report = json.loads(run_sandbox_command("doctor", "--json").stdout)
    assert report["isolation"]["language"] is True
    assert report["isolation"]["process"] is True
    for part in report["kernel"].values():
        if not part["works"]:
            assert part["reason"]
            assert part["how"]

    text = run_sandbox_command("doctor").stdout
    for layer in ("language", "process", "kernel"):
        assert layer in text


def test_the_doctor_tells_how_to_raise_a_layer_that_is_down():
    # The parts of the kernel layer, with why they do not work; empty for those that do.
    kernel_parts = {
        "user namespace": "unshare: EPERM",
        "landlock": "ENOSYS",
        "seccomp": "",
        "no_new_privs": "",
    }
    working_layers = frozenset({Layer.LANGUAGE, Layer.PROCESS})

    text = "\n".join(report_lines(IsolationReport(working_layers, kernel_parts)))

    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel layer: without it they run only with `--isolation`" in text


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
    """Call a function of `MODULE` in a worker, and return its result."""
    return worker.call(f"{MODULE}:{name}", *arguments, **options)


def failure(worker, name, *arguments, **options):
    """Call a function of `MODULE` in a worker, and return its error."""
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
def test_a_call_that_fails_says_why_and_the_next_one_works(
    worker, name, arguments, code, words
):
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

    assert error.code == "not_found"
    assert error.message == "double"


def test_the_time_of_a_whole_trial_is_limited(server):
    with Worker(server, limits=WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)) as worker:
        for _ in range(6):
            # A call is ended by the kernel's ticks, which may count more than the call used.
            failure(worker, "loop")
        assert "this trial" in failure(worker, "echo", 1).message


def test_a_wait_ends_at_the_layer_clock(server):
    with Worker(server, limits=WorkerLimits(call_wall_s=0.3)) as worker:
        error = failure(worker, "ask", 1, serve=lambda question: time.sleep(0.5))

    assert "0.3 s" in error.message


# openpyxl alone needs arrays
@pytest.mark.parametrize("kind", ["file", "socket", "fork", "parent", "array"])
def test_the_machine_is_out_of_reach(worker, kind):
    assert run(worker, "reach_out", kind) in ("PermissionError", "OSError")


def test_the_environment_holds_no_secret(worker, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    assert "s3cret" not in str(run(worker, "reach_out", "environment"))


def process_of_trial(server, *, prepare=None, is_shared=True):
    """Return the process that a trial's worker ran in, after `prepare` if there is one."""
    with Worker(server, limits=QUICK, is_shared=is_shared) as worker:
        if prepare is not None:
            worker.when_started(prepare)
        return run(worker, "process")


def test_a_shared_process_serves_the_next_trial(server):
    first = process_of_trial(server)

    assert process_of_trial(server) == first
    assert process_of_trial(server, is_shared=False) != first


def test_a_process_that_was_prepared_for_its_trial_serves_no_other(server):
    first = process_of_trial(server)

    prepared = process_of_trial(server, prepare=lambda: None)
    next_process = process_of_trial(server)

    assert prepared == first  # A trial that prepares its process may get an idle one.
    assert next_process != prepared


def test_a_shared_process_that_died_while_it_was_idle_is_not_used(server):
    first = process_of_trial(server)

    for child in server._idle_workers.all_children():
        child.server.end(child)

    assert process_of_trial(server) != first
