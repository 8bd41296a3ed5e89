"""The fork server: shared by threads, gone with its parent, started again when it died; which layers work."""

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

from sandbox import (
    Ending,
    ForkServer,
    IsolationReport,
    Layer,
    Sandbox,
)
from sandbox.parent.fork_server import lines
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, Desk, command
from tests.support.command import python, wait_until


def descendants(pid: int) -> set[int]:
    """Return the processes below `pid`."""
    return {each.pid for each in psutil.Process(pid).children(recursive=True)}


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(pids: set[int]) -> None:
    wait_until(lambda: not any(map(is_alive, pids)))


linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@linux_only
def test_closing_a_server_ends_every_process_of_it():
    before = descendants(os.getpid())
    server = ForkServer()
    boxes = [Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server) for _ in range(3)]
    for box in boxes:
        box.ready_child()
    ours = descendants(os.getpid()) - before
    assert len(ours) >= 5
    server.close()
    wait_until_gone(ours)
    for box in boxes:
        box.close()


@linux_only
def test_a_server_that_dies_costs_a_trial_at_most_a_step():
    before = descendants(os.getpid())
    with ForkServer() as server, Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server) as box:
        box.run("scratchpad['kept'] = 1")
        ours = descendants(os.getpid()) - before
        for pid in ours:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        wait_until_gone(ours)
        results = [box.run("print(scratchpad['kept'])") for _ in range(2)]
        assert results[0].ending in (Ending.KILLED, Ending.FINISHED)
        assert results[1].output == "1\n"


@linux_only
def test_server_and_children_end_when_the_parent_is_killed():
    program = textwrap.dedent("""
        import sys, time
        from sandbox import ForkServer, Sandbox
        from tests.sandbox.script_world import NOW, TOOL_SCHEMA, Desk
        server = ForkServer()
        box = Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server)
        box.run("x = 1")
        print("ready", flush=True)
        box.run("while True: pass")
    """)
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[3], stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        below = descendants(parent.pid)
        assert len(below) >= 3
        parent.kill()
    wait_until_gone(below)


def test_a_process_without_files_to_spare_is_told_so_and_costs_no_other_child():
    code = """
    import os, resource
    from sandbox import ForkServer, SandboxBroken
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
    done = python("-c", textwrap.dedent(code))
    said, same = done.out.splitlines()
    assert "can open no more files" in said, done.err
    assert same == "True -9"


def test_a_child_that_is_killed_costs_one_step(server):
    with Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server, isolation=frozenset({Layer.KERNEL})) as box:
        box.run("scratchpad['kept'] = [1]")
        result = box.run("import os\nos._exit(9)")
        assert result.ending is Ending.KILLED
        assert "exit code 9" in result.error
        assert box.run("print(scratchpad['kept'])").output == "[1]\n"


@pytest.mark.heavy
def test_a_storm_of_killed_children_leaves_nothing_behind(heavy, server):
    before = descendants(os.getpid())
    with Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server, isolation=frozenset({Layer.KERNEL})) as box:
        for _ in range(1000):
            assert box.run("import os\nos._exit(1)").ending is Ending.KILLED
    time.sleep(0.2)
    assert len(descendants(os.getpid()) - before) <= 3


@linux_only
def test_the_doctor_says_which_layers_work():
    report = json.loads(command("doctor", "--json").stdout)
    assert report["isolation"]["language"] is True
    assert report["isolation"]["process"] is True
    assert all(part["works"] or (part["reason"] and part["how"]) for part in report["kernel"].values())
    text = command("doctor").stdout
    for word in ("language", "process", "kernel"):
        assert word in text


def test_the_doctor_tells_how_to_raise_a_layer_that_is_down():
    parts = {"user namespace": "unshare: EPERM", "landlock": "ENOSYS", "seccomp": "", "no_new_privs": ""}
    text = "\n".join(lines(IsolationReport(frozenset({Layer.LANGUAGE, Layer.PROCESS}), parts)))
    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel layer: without it they run only with `--isolation`" in text
