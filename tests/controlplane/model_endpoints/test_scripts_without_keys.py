"""The process that runs a model's scripts does not know the user's API keys.

Scripts run in a child of the fork server, a process that starts them. Linux shows a process's variables and
command line below `/proc`, to the process itself, too.
"""

from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer


def test_the_process_that_scripts_run_in_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    monkeypatch.setenv("BITGN_API_KEY", "sk-canary-2")
    monkeypatch.setenv("ANY_OTHER_SECRET", "sk-canary-3")

    with ForkServer() as server:
        child = server.spawn(with_kernel=False)
        environment = Path(f"/proc/{child.pid}/environ").read_text()
        command_line = Path(f"/proc/{child.pid}/cmdline").read_text()
        child.end()

    assert "PYTHONHASHSEED" in environment + command_line  # They could be read.
    assert "sk-canary" not in environment
    assert "sk-canary" not in command_line
