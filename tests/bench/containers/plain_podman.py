"""The commands of one trial in a container, made with podman alone, without this product.

A container is started, the task's solution runs in it, and the task's tests grade what it did.
"""

from __future__ import annotations

import os
import time

from tests.bench.containers.container_runs import MEASURED_TASK, TASKS, podman
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES


def plain_trial_s(image: str) -> float:
    """Return the seconds that the same commands of one trial take with podman alone."""
    task = TASKS / MEASURED_TASK
    name = f"bench-{os.getpid()}"
    started_s = time.monotonic()

    # Start a container that does nothing until it is told to end.
    idle = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
    run = ["run", "--detach", "--pull=never", "--name", name, "--network", "none"]
    run += PROCESS_VARIABLES["CONTAINER_RUN_FLAGS"].split()
    podman(*run, "--entrypoint", "sh", image, "-c", idle)
    podman("exec", name, "sh", "-c", "mkdir -p /solution /tests /logs/verifier")

    # Copy the solution into it, and run it.
    solution = (task / "solution/solve.sh").read_text()
    podman("exec", "-i", name, "sh", "-c", "cat >/solution/solve.sh", stdin=solution)
    podman("exec", name, "bash", "/solution/solve.sh")
    podman("exec", name, "rm", "-rf", "/solution")

    # Grade what it did.
    podman("cp", f"{task}/tests/.", f"{name}:/tests")
    podman("exec", "--workdir", "/app", name, "bash", "/tests/test.sh")
    podman("exec", name, "cat", "/logs/verifier/reward.txt")
    podman("rm", "--force", "--volumes", name)
    return time.monotonic() - started_s


def image_of_task() -> str:
    """Return the image of the measured task, which a run has built."""
    from controlplane.benchmarks.containers.set_files import SetFiles

    digest = SetFiles.of(TASKS).digest(TASKS / MEASURED_TASK / "environment")
    return f"localhost/controlplane-task:{digest[:24]}"
