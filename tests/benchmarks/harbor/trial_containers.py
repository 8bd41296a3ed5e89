"""The containers of a task's trials, as podman lists them: tests look at them, and wait for them.

    container_states("killed-run-task")            # {"controlplane-1a2b": "running"}
    wait_for_waiting_container("killed-run-task")  # "controlplane-1a2b", once its command waits

A command waits in a container after it has made the file /tmp/waiting there.
"""

import json
import subprocess
import time

from tests.support.command import wait_until


def container_states(task_id: str) -> dict[str, str]:
    """Return the state of each container of a task's trials: `{"controlplane-…": "running"}`.

    The containers have the id of their trial, which contains the task's id, as a label.
    """
    command = ["podman", "ps", "--all", "--format", "json"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    states = {}
    for container in json.loads(listing):
        labels = container["Labels"] or {}
        if task_id in labels.get("controlplane.trial", ""):
            states[container["Names"][0]] = container["State"]
    return states


def wait_for_waiting_container(task_id: str) -> str:
    """Wait until a command in a task's container has made /tmp/waiting.

    Returns the name of the container.
    """
    waiting_containers: list[str] = []

    def find_waiting_container() -> bool:
        # Not more often, since each look takes locks that other commands of podman wait for.
        time.sleep(1)
        for name in container_states(task_id):
            command = ["podman", "exec", name, "test", "-e", "/tmp/waiting"]
            result = subprocess.run(command, check=False, capture_output=True)
            if result.returncode == 0:
                waiting_containers.append(name)
        return bool(waiting_containers)

    wait_until(find_waiting_container, within_s=300)
    return waiting_containers[0]
