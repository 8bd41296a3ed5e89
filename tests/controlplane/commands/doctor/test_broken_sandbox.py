"""`doctor` finds that the sandbox, in which scripts of a model run, cannot be started.

That is a fault of the isolation, with a remedy. Here no process of the sandbox starts.
"""

from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer, SandboxBroken
from tests.support.command import run_in_process


def fail_to_start(server: ForkServer) -> dict[str, str]:
    """Stand in for `kernel_report`, which starts a process to see what works on this machine."""
    raise SandboxBroken("no process can be started")


def test_a_sandbox_that_does_not_start_is_a_fault_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another command, that of the sandbox itself, tells more."""
    monkeypatch.setattr(ForkServer, "kernel_report", fail_to_start)

    result = run_in_process("doctor", "--isolation=all", "--json", cwd=tmp_path)

    assert result.code == 1
    assert {
        "what": "isolation",
        "state": "fault",
        "text": "no process can be started",
        "remedy": "see `python -m controlplane.sandbox doctor`",
    } in result.json["findings"]
