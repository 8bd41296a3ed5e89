"""Sandboxes over the small shop, in which tests run scripts step by step.

    with new_sandbox(server, host) as sandbox:
        result = sandbox.run('print(harness.read("/AGENTS.MD").content)')

Here `result.output` is "Answer in one line.\\n", the text of the file.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from controlplane.sandbox import Ending, ForkServer, Sandbox, StepResult
from tests.sandbox.declared_calls import NOW, TOOL_SCHEMA
from tests.sandbox.recording_host import RecordingHost


def new_sandbox(
    server: ForkServer, host: RecordingHost | None = None, **options: Any
) -> Sandbox:
    """Return a sandbox over the small shop, which the caller closes.

    `server` forks the processes that scripts run in. `options` are keyword arguments of
    `Sandbox`, for example `limits` or `isolation`.
    """
    arguments: dict[str, Any] = {"now": NOW, "seed": 1, "server": server}
    arguments.update(options)
    return Sandbox(TOOL_SCHEMA, host or RecordingHost(), **arguments)


def run_to_its_end(sandbox: Sandbox, code: str) -> StepResult:
    """Run a script as one step, which must end without an error."""
    result = sandbox.run(code)
    assert result.ending is Ending.FINISHED, result
    return result


@contextmanager
def memory_growth_below(max_mib: int) -> Iterator[None]:
    """Assert that the block raises the peak memory of the test's process by less than `max_mib`.

    The test's process is the parent of those that run scripts. A script may send it as much as it
    likes, and must not make it grow.
    """
    peak_before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    peak_after_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak_after_kib - peak_before_kib < max_mib * 1024
