"""`ForkServer`: the process that forks a child for each trial, and has imported what it needs.

The child runs the scripts of its trial, each as one *step*. If a child, the server or the parent
process dies, a trial loses at most one step, and no process stays behind:

    with ForkServer() as server, new_sandbox(server) as sandbox:
        sandbox.run("import os; os._exit(9)").ending  # Ending.KILLED; the next step works
"""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from controlplane.sandbox import Ending, ForkServer, Layer
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.support.command import run_python, wait_until

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
    """Wait until all these processes have ended; fail after 20 seconds."""
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


class TestEndOfServers:
    """A server ends all its processes when it is closed, and when its parent is killed.

    The processes are those of the server, and a child for each sandbox. `descendants(pid)` are
    all processes below one.
    """

    @linux_only
    def test_closing_a_server_ends_all_its_processes(self):
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
    def test_server_and_children_end_when_the_parent_is_killed(self):
        """The parent is killed while one of its scripts runs in an endless loop."""
        program = textwrap.dedent("""
        from controlplane.sandbox import ForkServer
        from tests.sandbox.opened_sandboxes import new_sandbox
        sandbox = new_sandbox(ForkServer())
        sandbox.run("x = 1")
        print("ready", flush=True)
        sandbox.run("while True: pass")
    """)
        root = Path(__file__).parents[3]
        parent = subprocess.Popen(
            [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE
        )
        with parent:
            assert parent.stdout is not None
            assert parent.stdout.readline() == b"ready\n"
            children = descendants(parent.pid)
            # The script's process, and at least two of the server.
            assert len(children) >= 3
            parent.kill()

        wait_until_gone(children)


class TestServersThatDie:
    """A server that dies costs a trial at most a step.

    The parent process keeps the scratchpad of each trial. So a new server, with new children,
    can go on where the killed one ended.
    """

    @linux_only
    def test_a_server_that_dies_costs_a_trial_at_most_a_step(self):
        """The server is killed between the steps of a trial.

        1. A script keeps a 1 in the scratchpad, which the parent process stores.
        2. The server and its children are killed.
        3. The next step may be lost with them, but a new server runs the one after it.
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

            # FINISHED if the new server was there when the step began.
            assert perhaps_lost_step.ending in (Ending.KILLED, Ending.FINISHED)
            assert next_step.output == "1\n"


class TestParentsWithoutFreeFiles:
    """A parent at its limit of open files is told so, and loses no child.

    A new child needs a socket, which counts as an open file of its parent. A program may have,
    say, 50 open files, and one of many trials may get there.
    """

    def test_a_parent_at_its_limit_of_open_files_is_told_so_and_no_child_is_lost(self):
        """A program of its own is the parent, because no other may run out of files.

        1. It starts a child, and opens as many files as it may.
        2. It fails to start another child, and is told why.
        3. It closes a file, and starts the second child, by the same server process as the first
        one:
           `generation` counts the processes of a server. So the first child is still there.
        4. It ends the first child.
        """
        program = textwrap.dedent("""
        import os, resource
        from controlplane.sandbox import ForkServer, SandboxBroken
        with ForkServer() as server:
            first = server.spawn(with_kernel=False)
            most_files = 50
            resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
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
        # `end` kills a child. A negative exit code names the signal that ended a process.
        assert exit_code_of_first == str(-signal.SIGKILL)


WITHOUT_PROCESS_LAYER = frozenset({Layer.KERNEL})
"""An isolation in which a script may import `os` and end its own process."""


class TestChildrenThatEnd:
    """A child that ends itself costs one step, and leaves no process behind.

    A script in unrestricted Python may end its own process by `os._exit`. The sandbox gets a new
    child for the next step.
    """

    def test_a_child_that_ends_itself_costs_one_step(self, server):
        """The second of three steps ends its process. The scratchpad is kept in the parent."""
        with new_sandbox(server, isolation=WITHOUT_PROCESS_LAYER) as sandbox:
            sandbox.run("scratchpad['kept'] = [1]")

            killed_step = sandbox.run("import os\nos._exit(9)")
            next_step = sandbox.run("print(scratchpad['kept'])")

        assert killed_step.ending is Ending.KILLED
        assert "exit code 9" in killed_step.error
        assert next_step.output == "[1]\n"

    @pytest.mark.heavy
    def test_a_thousand_killed_children_leave_no_processes_behind(self, heavy, server):
        """Each step ends its process at once."""
        processes_before = descendants(os.getpid())
        with new_sandbox(server, isolation=WITHOUT_PROCESS_LAYER) as sandbox:
            for _ in range(1000):
                step = sandbox.run("import os\nos._exit(1)")
                assert step.ending is Ending.KILLED
        time.sleep(0.2)  # The last child may still be ending.

        # The server has two processes of its own, and one spare child.
        assert len(descendants(os.getpid()) - processes_before) <= 3
