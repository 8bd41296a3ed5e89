"""Fork servers, workers, and the report of which layers of isolation work.

Scripts and foreign data are handled in child processes. A `ForkServer` is a process that has
imported what they need and forks a child for each trial, which runs its scripts as *steps*. A
`Worker` runs single functions in such a child. Children die alone, and none stay behind.
"""

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
    Worker,
)
from controlplane.sandbox.doctor import report_lines
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.script_world import new_sandbox, run_sandbox_command
from tests.support.command import run_python, wait_until

ROOT = Path(__file__).parents[3]

WITHOUT_PROCESS_LAYER = frozenset({Layer.KERNEL})
"""An isolation in which a script may import `os` and end its own process."""

linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc"
)


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes below `pid`."""
    return {process.pid for process in psutil.Process(pid).children(recursive=True)}


def is_alive(pid: int) -> bool:
    """Return True if a process runs; one that has ended may still be listed as a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(pids: set[int]) -> None:
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


@linux_only
def test_closing_a_server_ends_all_its_processes():
    """Three sandboxes are open, each with a child process."""
    processes_before = descendants(os.getpid())
    server = ForkServer()
    sandboxes = [new_sandbox(server) for _ in range(3)]
    for sandbox in sandboxes:
        sandbox.ready_child()
    server_processes = descendants(os.getpid()) - processes_before
    # Three children of the sandboxes, and at least two processes of the server.
    assert len(server_processes) >= 5

    server.close()

    wait_until_gone(server_processes)
    for sandbox in sandboxes:
        sandbox.close()


@linux_only
def test_a_server_that_dies_costs_a_trial_at_most_a_step():
    """Kill the server and its children after a step, and run two more steps.

    The scratchpad is kept in the parent process, so it survives.
    """
    processes_before = descendants(os.getpid())
    with ForkServer() as server, new_sandbox(server) as sandbox:
        sandbox.run("scratchpad['kept'] = 1")
        server_processes = descendants(os.getpid()) - processes_before
        for pid in server_processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # It ended with another one.
        wait_until_gone(server_processes)

        perhaps_lost_step = sandbox.run("print(scratchpad['kept'])")
        next_step = sandbox.run("print(scratchpad['kept'])")

        # A new server may be there before the first of the two steps begins, or after it.
        assert perhaps_lost_step.ending in (Ending.KILLED, Ending.FINISHED)
        assert next_step.output == "1\n"


@linux_only
def test_server_and_children_end_when_the_parent_is_killed():
    """The parent is killed while one of its scripts runs in an endless loop."""
    program = textwrap.dedent("""
        from controlplane.sandbox import ForkServer
        from tests.sandbox.script_world import new_sandbox
        sandbox = new_sandbox(ForkServer())
        sandbox.run("x = 1")
        print("ready", flush=True)
        sandbox.run("while True: pass")
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        children = descendants(parent.pid)
        # The script's process, and at least two of the server.
        assert len(children) >= 3
        parent.kill()

    wait_until_gone(children)


def test_a_parent_at_its_limit_of_open_files_is_told_so_and_no_child_is_lost():
    """Start a child, open as many files as the process may, and try to start another.

    After one file is closed, the second child starts, in the same server process as the first
    one (`generation` counts the processes of a server), which is still there to be ended.
    """
    program = textwrap.dedent("""
        import os, resource
        from controlplane.sandbox import ForkServer, SandboxBroken
        with ForkServer() as server:
            first = server.spawn(with_kernel=False)
            resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
            open_files = []
            try:
                while True:
                    open_files.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                pass

            try:
                server.spawn(with_kernel=False)
            except SandboxBroken as error:
                print(error)

            os.close(open_files.pop())
            second = server.spawn(with_kernel=False)
            print(first.generation == second.generation)
            print(first.end().code)
    """)

    result = run_python("-c", program)

    error, is_same_server, exit_code_of_first = result.out.splitlines()
    assert "can open no more files" in error, result.err
    assert is_same_server == "True"
    # A negative exit code names the signal that ended a process.
    assert exit_code_of_first == str(-signal.SIGKILL)


def test_a_child_that_ends_itself_costs_one_step(server):
    """The second of three steps ends its process. The scratchpad is kept in the parent."""
    with new_sandbox(server, isolation=WITHOUT_PROCESS_LAYER) as sandbox:
        sandbox.run("scratchpad['kept'] = [1]")

        killed_step = sandbox.run("import os\nos._exit(9)")
        next_step = sandbox.run("print(scratchpad['kept'])")

    assert killed_step.ending is Ending.KILLED
    assert "exit code 9" in killed_step.error
    assert next_step.output == "[1]\n"


@pytest.mark.heavy
def test_a_thousand_killed_children_leave_no_processes_behind(heavy, server):
    """Each step ends its process at once."""
    processes_before = descendants(os.getpid())
    with new_sandbox(server, isolation=WITHOUT_PROCESS_LAYER) as sandbox:
        for _ in range(1000):
            step = sandbox.run("import os\nos._exit(1)")
            assert step.ending is Ending.KILLED
    time.sleep(0.2)  # The last child may still be ending.

    # The server has two processes of its own, and one spare child.
    assert len(descendants(os.getpid()) - processes_before) <= 3


@linux_only
def test_the_doctor_says_which_layers_work():
    """`doctor` is a command of `python -m controlplane.sandbox`.

    The layers language and process work on every Linux. The kernel layer has several parts, and
    each that does not work here has a reason and a remedy.
    """
    report = json.loads(run_sandbox_command("doctor", "--json").stdout)

    assert report["isolation"]["language"] is True
    assert report["isolation"]["process"] is True
    for part in report["kernel"].values():
        if not part["works"]:
            assert part["reason"]
            assert part["how"]


@linux_only
def test_the_doctor_names_every_layer_in_its_text():
    text = run_sandbox_command("doctor").stdout

    for layer in ("language", "process", "kernel"):
        assert layer in text


def test_the_doctor_says_how_to_repair_a_layer_that_does_not_work():
    """Two parts of the kernel layer fail here, as on a machine with other settings."""
    working_layers = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    # The reason why a part does not work; empty if it works.
    kernel_parts = {
        "user namespace": "unshare: EPERM",
        "landlock": "ENOSYS",
        "seccomp": "",
        "no_new_privs": "",
    }

    text = "\n".join(report_lines(IsolationReport(working_layers, kernel_parts)))

    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel layer: without it they run only with `--isolation`" in text


MODULE = "tests.sandbox.worker_functions"
"""The module whose functions the workers run: `echo(value)`, `loop()`, `die()` and others."""

SHORT_CALLS = WorkerLimits(call_cpu_s=0.2)

ENDLESS_SQL = """
    with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n
"""


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
    """Call a function of `MODULE` in a worker, and return its result."""
    return worker.call(f"{MODULE}:{name}", *arguments, **options)


def failure(worker, name, *arguments, **options):
    """Call a function of `MODULE` in a worker, and return the error that it fails with."""
    with pytest.raises(CallError) as raised:
        run(worker, name, *arguments, **options)
    return raised.value


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä\x00", [1, [2]], {"a": {"b": []}}])
def test_plain_values_reach_a_worker_and_come_back_unchanged(worker, value):
    assert run(worker, "echo", value) == value


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
        pytest.param("missing", (), "internal", "missing", id="there is no function"),
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
            "loop", (), "resource_exhausted", "0.2 s of CPU", id="a loop does not end"
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
    worker, function, arguments, code, message
):
    """The worker's calls are ended after 0.2 s of CPU. `code` and `message` are those of the
    error."""
    error = failure(worker, function, *arguments)

    assert error.code == code
    assert message in error.message
    assert run(worker, "echo", "still here") == "still here"


def test_a_call_that_asks_its_parent_too_often_fails_and_the_next_call_works(worker):
    """A function in a worker asks the parent for each file it needs. The function `ask` asks 400
    questions, such as `("double", 7)`, and the parent answers each with its number."""

    def answer(question):
        _name, number = question
        return number

    error = failure(worker, "ask", 400, serve=answer)

    assert error.code == "resource_exhausted"
    assert "more than 300 files" in error.message
    assert run(worker, "echo", "still here") == "still here"


def test_a_result_that_is_too_large_fails_its_call(server):
    """A result may have 1,000 bytes here."""
    with Worker(server, limits=WorkerLimits(reply_bytes=1_000)) as worker:
        error = failure(worker, "echo", "x" * 2_000)

        assert error.code == "resource_exhausted"
        assert run(worker, "echo", 1) == 1


def test_an_error_of_the_parent_is_raised_in_the_function_that_asked(worker):
    """The function does not catch the error, so that its call fails with it."""

    def refuse(question):
        name, _number = question  # The function `ask` asks `("double", 0)`.
        raise CallError("not_found", name)

    error = failure(worker, "ask", 1, serve=refuse)

    assert error.code == "not_found"
    assert error.message == "double"


def test_all_calls_of_a_trial_together_have_a_limit_of_cpu(server):
    """After endless calls, even a harmless one is refused, because the trial has used up its
    CPU."""
    limits = WorkerLimits(call_cpu_s=0.3, trial_cpu_s=0.2)
    with Worker(server, limits=limits) as worker:
        # The kernel counts CPU in ticks, perhaps more than a call used, so one call may be ended
        # before it used 0.2 s. Six calls suffice.
        for _ in range(6):
            failure(worker, "loop")

        assert "this trial" in failure(worker, "echo", 1).message


def test_a_call_that_waits_is_ended_at_its_wall_clock_limit(server):
    def answer_late(question):
        time.sleep(0.5)

    with Worker(server, limits=WorkerLimits(call_wall_s=0.3)) as worker:
        error = failure(worker, "ask", 1, serve=answer_late)

    assert "0.3 s" in error.message


@pytest.mark.parametrize("kind", ["file", "socket", "fork", "parent", "array"])
def test_a_worker_cannot_reach_the_machine(worker, kind):
    """The module `array` is for spreadsheets only, and is refused to other workers."""
    assert run(worker, "reach_out", kind) in ("PermissionError", "OSError")


def test_a_worker_does_not_get_the_environment_variables(worker, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")

    assert "s3cret" not in str(run(worker, "reach_out", "environment"))


def process_of_trial(server, *, prepare=None, is_shared=True):
    """Return the id of the process in which a trial's worker ran.

    `prepare` is called when the worker gets its process. `is_shared` says that the process may
    have served another trial.
    """
    with Worker(server, limits=SHORT_CALLS, is_shared=is_shared) as worker:
        if prepare is not None:
            worker.when_started(prepare)
        return run(worker, "process")


def test_the_process_of_a_shared_worker_serves_the_next_trial(server):
    """To start a process costs more than most calls."""
    first_process = process_of_trial(server)

    assert process_of_trial(server) == first_process


def test_a_worker_that_is_not_shared_has_its_own_process(server):
    """An idle process of an earlier trial is there, and is not used."""
    shared_process = process_of_trial(server)

    assert process_of_trial(server, is_shared=False) != shared_process


def test_a_process_that_was_prepared_for_its_trial_serves_no_other(server):
    """A trial that prepares its process, say with its files, may get an idle one."""
    first_process = process_of_trial(server)

    prepared_process = process_of_trial(server, prepare=lambda: None)
    next_process = process_of_trial(server)

    assert prepared_process == first_process
    assert next_process != prepared_process


def test_an_idle_process_that_died_is_not_used(server):
    """The process is ended between two trials."""
    first_process = process_of_trial(server)

    for child in server._idle_workers.all_children():
        child.server.end(child)

    assert process_of_trial(server) != first_process
