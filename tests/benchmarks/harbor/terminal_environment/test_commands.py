"""Shell commands of an agent in the container of its task.

`environment.call("shell", {"command": "ls"})` runs a command there, by podman, and returns what it
printed and its exit code. Commands run in /tmp, with the variable COLOUR=green, for at most 60 s.
"""

import subprocess
import time

import pytest

from controlplane.benchmarks.containers import runtime_program as program_run
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.sandbox.interface import CallError

pytestmark = pytest.mark.second_tier


def test_a_command_has_its_input_folder_and_variables(
    environment: TerminalEnvironment,
) -> None:
    """The environment sets COLOUR=green, and the call sets the input and another folder.

    The command prints all three.
    """
    arguments = {
        "command": "cat; pwd; echo $COLOUR; exit 3",
        "stdin": "in\n",
        "workdir": "/etc",
    }
    result = environment.call("shell", arguments)

    assert result == {"stdout": "in\n/etc\ngreen\n", "stderr": "", "exit_code": 3}


def test_long_output_is_cut_and_kept_whole_in_a_file(
    environment: TerminalEnvironment,
) -> None:
    """The middle is left out, with a note: "[... the whole is in /tmp/...]".

    The command prints 100,000 lines. So many must be in the file that the note names.
    """
    result = environment.call("shell", {"command": "seq 100000"})
    stdout = str(result["stdout"])

    assert len(stdout) < 70_000
    assert stdout.startswith("1\n2\n")
    assert stdout.endswith("100000\n")
    _, _, rest = stdout.partition("the whole is in ")
    path, _, _ = rest.partition("]")
    line_count = environment.call("shell", {"command": f"wc -l <{path}"})
    assert line_count["stdout"] == "100000\n"


def test_what_the_first_process_prints_is_in_no_log_of_this_machine(
    environment: TerminalEnvironment,
) -> None:
    """The agent is root, and can write to the output of the container's first process."""
    command = "head -c 3000000 /dev/zero >/proc/1/fd/1; echo done"
    result = environment.call("shell", {"command": command})

    assert result["stdout"] == "done\n"
    logs = ["podman", "logs", environment.container.name]
    assert len(subprocess.run(logs, capture_output=True, check=False).stdout) == 0


def test_a_program_of_the_container_that_prints_without_end_is_ended(
    environment: TerminalEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any program may do so, since the agent is root. The container goes on with its files."""
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 5_000_000)
    environment.call("shell", {"command": "echo kept >/tmp/kept"})

    assert environment.container.script("yes endless").was_endless

    # The brackets keep grep from finding itself among the processes.
    command = "cat /tmp/kept; ps | grep -c '[e]ndless'"
    assert environment.call("shell", {"command": command})["stdout"] == "kept\n0\n"


def test_the_read_of_a_pipe_ends_with_the_time_of_the_trial(
    environment: TerminalEnvironment,
) -> None:
    environment.call("shell", {"command": "mkfifo /tmp/pipe"})
    environment.ends_at = time.monotonic() + 2.0

    with pytest.raises(CallError, match=r"took too long|time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})
