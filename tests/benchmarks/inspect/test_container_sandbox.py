"""Commands that tools of Inspect run in the container of a sample.

Inspect is a framework for evaluations of models. Its tools, such as `bash`, run commands by
`sandbox().exec(["make"], timeout=5)`, which we serve by a container of our own.
"""

import asyncio
from typing import Any

import pytest

from controlplane.benchmarks.containers.container import (
    CommandPlace,
    CommandResult,
    Container,
)


@pytest.mark.parametrize(
    ("timeout", "shown_limit"),
    [
        pytest.param(5, "5 s", id="limit of the tool"),
        pytest.param(None, "86400 s", id="limit of a day without one"),
    ],
)
def test_a_command_that_takes_too_long_is_reported_with_its_limit(
    monkeypatch: pytest.MonkeyPatch, timeout: int | None, shown_limit: str
) -> None:
    """Inspect's tools expect a `TimeoutError`. A tool may state no limit: then it is a day.

    No command is run here: each is taken to have been stopped at its limit.
    """
    pytest.importorskip("inspect_ai")
    from controlplane.benchmarks.inspect import trial_sandbox as container_sandbox

    def run_too_long(*_: Any) -> CommandResult:
        return CommandResult(b"", b"", exit_code=124, timed_out=True)

    monkeypatch.setattr(container_sandbox, "run_command", run_too_long)
    program: Any = None  # It is not used, since no command is run.
    place = CommandPlace(user="root", workdir="/app")
    container = Container(program, "name", place)
    sandbox = container_sandbox.ContainerSandbox(container)

    with pytest.raises(TimeoutError, match=f"make took longer than {shown_limit}"):
        asyncio.run(sandbox.exec(["make"], timeout=timeout))
