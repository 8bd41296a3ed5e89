"""Waits until a new container is ready for the agent.

A task may start a server in its container. Its health check is a command, such as `curl
localhost:8000`, which succeeds as soon as the server answers.
"""

from __future__ import annotations

import time
from typing import Final

from controlplane.benchmarks.containers.container import ROOT, Container
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.harbor.tasks.task_tables import Healthcheck

LONGEST_START_S: Final = 3_600.0
"""Seconds until a container must be ready, whatever its task says. No known task needs more."""
CHECK_OUTPUT_BYTES: Final = 20_000
"""The most bytes of a check's output that are kept. Its last lines tell why it failed."""


def wait_until_healthy(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check, a shell command, succeeds.

    Raises `ContainerError` after `retries` failures, or after `LONGEST_START_S`. Failures
    during the start period do not count, because services may still be starting. Raises
    `CommandInterrupted` if the run is being stopped.
    """
    began = time.monotonic()
    failures = 0
    while True:
        remaining_s = began + LONGEST_START_S - time.monotonic()
        result = container.run(
            ["/bin/sh", "-c", check.command],
            ROOT,
            timeout_s=min(check.timeout_sec, max(remaining_s, 1.0)),
            output_bytes=CHECK_OUTPUT_BYTES,
        )
        if result.exit_code == 0:
            return
        elapsed_s = time.monotonic() - began
        is_starting = elapsed_s < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries or elapsed_s >= LONGEST_START_S:
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join(["the container is not healthy", *output]))
        pause_s = check.start_interval_sec if is_starting else check.interval_sec
        container.program.pause(min(pause_s, LONGEST_START_S - elapsed_s))
