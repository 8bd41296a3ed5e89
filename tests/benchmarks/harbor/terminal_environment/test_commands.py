"""Shell commands of an agent in the container of its task.

`environment.call("shell", {"command": "ls"})` runs a command there, by podman, and returns what it
printed and its exit code. Commands run in /tmp, with the variable COLOUR=green, for at most 60 s.
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment

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
