"""A program at its limit of open files is told so by the fork server, and loses no child.

A `ForkServer` is a process that forks a child for each sandbox. A new child needs a socket, which
counts as an open file of the program that has the server. One that plays many trials may get to its
limit.
"""

import signal
import textwrap

from tests.support.command import run_python


def test_a_parent_at_its_limit_of_open_files_is_told_so_and_no_child_is_lost():
    """The program starts a child, opens all files that it may, and fails to start another child."""
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
            # `generation` counts the processes of a server: it is still the first one.
            print(first.generation == second.generation)
            print(first.end().code)
    """)

    result = run_python("-c", program)

    error, is_same_server, exit_code_of_first = result.out.splitlines()
    assert "can open no more files" in error, result.err
    assert is_same_server == "True"
    # `end` kills a child. A negative exit code names the signal that ended a process.
    assert exit_code_of_first == str(-signal.SIGKILL)
