"""Commands in a container, as tools of Inspect run them."""

import asyncio
from typing import Any

import pytest

from controlplane.benchmarks.containers.container_command import CommandPlace
from controlplane.benchmarks.containers.program_run import CommandResult


@pytest.mark.parametrize(("timeout", "told"), [(5, "5 s"), (None, "86400 s")])
def test_a_command_that_takes_too_long_is_told_with_its_limit(
    monkeypatch: pytest.MonkeyPatch, timeout: int | None, told: str
) -> None:
    pytest.importorskip("inspect_ai")
    from controlplane.benchmarks.inspect import container_sandbox

    def run_too_long(*_: Any) -> CommandResult:
        return CommandResult(b"", b"", exit_code=124, timed_out=True)

    monkeypatch.setattr(container_sandbox, "run_command", run_too_long)
    container: Any = None
    place = CommandPlace("root", "/app", {})
    sandbox = container_sandbox.ContainerSandbox(container, place)
    with pytest.raises(TimeoutError, match=f"make took longer than {told}"):
        asyncio.run(sandbox.exec(["make"], timeout=timeout))
