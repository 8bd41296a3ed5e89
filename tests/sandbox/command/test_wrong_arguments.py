"""`python -m controlplane.sandbox` explains wrong arguments without a traceback, and exits with 2.

The message says what is expected: for `run --isolation paper` the names of the layers of isolation,
"language, process, kernel".
"""

import pytest

from tests.sandbox.sandbox_command import run_sandbox_command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "/no/such/script.py"], "No such file"),
        (["run", "--files", "/no/such/folder"], "does not exist"),
        (["run", "--timeout", "0"], "0<x<=1000000"),
        (["run", "--timeout", "soon"], "not a valid float"),
        (["run", "--memory", "-1"], "1<=x<=1048576"),
        (["run", "--isolation", "paper"], "language, process, kernel"),
        (["run", "--exec", "bin=x"], "/bin/tool=FILE"),
        (["run", "--exec", "/bin/x=/no/such"], "No such file"),
        (["run", "--now", "yesterday"], "ISO date"),
        (["run", "--nope"], "No such option"),
        (["jump"], "No such command"),
    ],
)
def test_wrong_arguments_are_explained_without_a_traceback(arguments, message):
    command = run_sandbox_command(*arguments)

    assert command.exit_code == 2
    assert message in command.stderr
    assert "Traceback" not in command.stderr
