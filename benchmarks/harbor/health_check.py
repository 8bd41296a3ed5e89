"""Waits until a new container is ready for the agent.

A task may start a server in its container. Its health check is a command, such as `curl
localhost:8000`, which succeeds as soon as the server answers.
"""

from __future__ import annotations

import time

from controlplane.benchmarks.containers.container import ROOT, Container
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.harbor.tasks.task_tables import Healthcheck


def wait_until_healthy(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check, a shell command, succeeds.

    Raises `ContainerError` after `retries` failures. Those during the start period do not
    count, because services may still be starting.
    """
    began = time.monotonic()
    failures = 0
    while True:
        result = container.run(
            ["/bin/sh", "-c", check.command], ROOT, timeout_s=check.timeout_sec
        )
        if result.exit_code == 0:
            return
        is_starting = time.monotonic() - began < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries:
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join(["the container is not healthy", *output]))
        time.sleep(check.start_interval_sec if is_starting else check.interval_sec)
