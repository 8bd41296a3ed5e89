"""The platform's methods about the benchmark that is served: its name, policy and tasks.

A client calls Status to see whether the server works, and GetBenchmark to learn the tasks
before it starts a run.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from controlplane.benchmark import Benchmark, ListedTask
from controlplane.benchmarks.bitgn.server.message_fields import Fields, text_field
from controlplane.benchmarks.bitgn.server.runs.served_runs import MAX_ID_CHARS_SHOWN
from controlplane.benchmarks.bitgn.server.server_options import BLIND, ServerOptions
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

PLATFORM_IDS: Final = "bitgn/"
"""Ids with this prefix, such as `bitgn/ecom`, are accepted for the benchmark.

Many clients were written for the platform and ask for such an id.
"""


class BenchmarkMethods:
    """Describes the benchmark to clients."""

    def __init__(self, benchmark: Benchmark, options: ServerOptions) -> None:
        """Raises `BenchmarkError` if the benchmark does not have the selected tasks."""
        self._benchmark = benchmark
        self._options = options
        self._description = benchmark.describe()
        self._task_ids = self._selected_ids()

    def _selected_ids(self) -> list[str]:
        """Return the ids of the tasks that every run has, each once."""
        selection = self._options.selection
        selected_ids = selection.task_ids(self._description)
        tries = selection.tries(selected_ids)
        return list(dict.fromkeys(task_try.task_id for task_try in tries))

    @cached_property
    def _tasks(self) -> list[ListedTask]:
        """The tasks that every run has, with previews: examples of their instructions.

        The previews are made when the first client asks for the tasks, since a benchmark may
        need seconds for them. A task that the user selected and the benchmark does not list
        has none.
        """
        description = self._benchmark.describe(preview_seed=self._options.seed)
        described_tasks = {task.task_id: task for task in description.tasks}
        return [
            described_tasks.get(task_id, ListedTask(task_id))
            for task_id in self._task_ids
        ]

    def status(self) -> Fields:
        """Return that the server works."""
        return {"status": "ok", "version": self._description.name}

    def get_benchmark(self, request: Fields) -> Fields:
        """Return the server's policy on scores and hints, and the benchmark's tasks.

        Hints are included only if the policy is open.
        """
        benchmark_id = self.requested_id(request)
        shows_hints = self._options.policy != BLIND
        tasks: list[Plain] = []
        for task in self._tasks:
            hint = task.hint if shows_hints else ""
            tasks.append(
                {
                    "taskId": task.task_id,
                    "preview": task.preview,
                    "hint": hint,
                }
            )
        return {
            "benchmarkId": benchmark_id,
            "description": self._description.summary,
            "harnessId": self._description.name,
            "policy": self._options.eval_policy,
            "tasks": tasks,
        }

    def requested_id(self, request: Fields) -> str:
        """Return the benchmark id of a request. Raises `CallError` if it is not served."""
        benchmark_id = text_field(request, "benchmarkId")
        own_id = self._description.name
        is_served = benchmark_id == own_id or benchmark_id.startswith(PLATFORM_IDS)
        if not is_served or len(benchmark_id) > bounds.MOST_NAME_CHARS:
            shown_id = benchmark_id[:MAX_ID_CHARS_SHOWN]
            msg = f"there is no benchmark {shown_id!r}; this server has {own_id!r}"
            raise CallError(error_codes.NOT_FOUND, msg)
        return benchmark_id
