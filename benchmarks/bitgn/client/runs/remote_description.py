"""The description of a benchmark of the platform: its policy and its tasks.

It is the first that a run asks for, so this is where a wrong address or id shows.
"""

from __future__ import annotations

import threading
from typing import Final

from controlplane.benchmark import Description, ListedTask
from controlplane.benchmarks.bitgn.client.runs.harness import Harness
from controlplane.benchmarks.bitgn.client.runs.lifecycle_replies import BenchmarkReply
from controlplane.benchmarks.bitgn.remote_runtime import RULE_SETS

POLICIES: Final = {
    "EVAL_POLICY_BLIND": "blind",
    "EVAL_POLICY_OPEN": "open",
    "EVAL_POLICY_PRIVATE": "private",
}


class RemoteDescription:
    """Asks the platform for the description, only once. Many threads share it."""

    def __init__(self, harness: Harness, benchmark_id: str) -> None:
        self._harness = harness
        self._benchmark_id = benchmark_id
        self._description: Description | None = None
        self._lock = threading.Lock()

    def get(self) -> Description:
        """Return the description. Raises `WireError`."""
        with self._lock:
            if self._description is None:
                self._description = self._ask()
            return self._description

    def _ask(self) -> Description:
        reply = self._harness.call(
            "GetBenchmark",
            {"benchmarkId": self._benchmark_id},
            BenchmarkReply,
            self._harness.impatient,  # Give up soon: perhaps the address is wrong.
        )
        tasks = [
            ListedTask(task.task_id, task.preview, task.hint) for task in reply.tasks
        ]
        return Description(
            name=f"bitgn:{self._benchmark_id}",
            summary=reply.description,
            tasks=tuple(tasks),
            policy=POLICIES.get(reply.policy, "open"),
            rule_sets=RULE_SETS,
            allots_trials=True,  # The platform decides which trials a run has.
        )
