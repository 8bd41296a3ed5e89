"""Processes that a shell command of an agent leaves in its container, or that take too long.

The container stays the same from one command to the next. A process in the background goes on,
unless the command has taken longer than its `timeout_s`.
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment

pytestmark = pytest.mark.second_tier


def test_a_time_out_ends_all_processes_of_the_command(
    environment: TerminalEnvironment,
) -> None:
    """The command starts two processes, one of them in the background."""
    command = "echo begun; sleep 987 & sleep 986"
    result = environment.call("shell", {"command": command, "timeout_s": 2})
    # The brackets keep grep from finding itself among the processes.
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[67]'"})

    assert result["stdout"] == "begun\n"
    assert result["exit_code"] == 124  # as that of the program `timeout`
    assert processes["stdout"] == ""


def test_a_background_process_keeps_running_and_the_call_does_not_wait_for_it(
    environment: TerminalEnvironment,
) -> None:
    """An agent starts servers like this."""
    environment.call("shell", {"command": "sleep 985 &"})
    processes = environment.call("shell", {"command": "ps | grep 'sleep 98[5]'"})

    assert "sleep 985" in str(processes["stdout"])
