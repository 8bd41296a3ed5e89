"""`python -m controlplane.sandbox run` refuses to run if a layer of isolation does not work here.

Three layers isolate a script: restricted Python, its process, and the kernel. The script might be
hostile, so the user has to choose a weaker isolation: `--isolation language,process`.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.sandbox_command import run_sandbox_command


@pytest.fixture
def without_kernel_layer(monkeypatch):
    """Pretend that the kernel of this machine cannot isolate scripts."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


@pytest.mark.usefixtures("without_kernel_layer")
def test_the_command_refuses_to_run_if_a_layer_of_isolation_does_not_work():
    """The error names the isolation that works, in one line."""
    command = run_sandbox_command("run", script="print(1)")

    assert command.exit_code == 3
    assert command.stdout == ""
    assert command.stderr.startswith(
        "Error: the kernel layer does not work here (kernel: only Linux has it)"
    )
    assert "--isolation language,process" in command.stderr
    assert command.stderr.count("\n") == 1  # One line.


@pytest.mark.usefixtures("without_kernel_layer")
def test_a_user_may_choose_to_run_without_the_kernel_layer():
    command = run_sandbox_command(
        "run", "--isolation", "language,process", script="print(1)"
    )

    assert command.stdout == "1\n"
