"""Runs code of Inspect with what it finds in context variables.

Inspect's solvers, tools and scorers are coroutines. They ask for the sample's state, its
store, its sandbox and the grading model by functions such as `inspect_ai.util.store()`,
which read context variables (`contextvars`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane import BenchmarkContext
from controlplane.benchmarks.inspect.grading_model import activate_grading_model

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState

    from controlplane.benchmarks.inspect.trial_sandbox import TrialSandbox


@dataclass(frozen=True, slots=True)
class InspectContext:
    """What all code of Inspect finds during one trial."""

    benchmark_context: BenchmarkContext
    """Gives the model that grades."""
    sandbox: TrialSandbox | None
    """The trial's container; None if it needs none."""

    def result_of(self, work: Coroutine[Any, Any, Any], state: TaskState) -> Any:
        """Run a coroutine, such as a solver or a tool, and return its result.

        `state` is the sample's state that it works on. The coroutine runs in a new
        thread, because this thread may already have a running event loop, as in a
        notebook.
        """
        with ThreadPoolExecutor(1) as thread:
            # A copy, so that the variables are set only for this work.
            own_context = copy_context()
            prepared_work = self._set_variables_and_run(work, state)
            future = thread.submit(own_context.run, asyncio.run, prepared_work)
            return future.result()

    async def _set_variables_and_run(
        self, work: Coroutine[Any, Any, Any], state: TaskState
    ) -> Any:
        """Set Inspect's variables in the current context, and return the coroutine's result.

        The coroutine has not begun before, so it sees these variables.
        """
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.solver._task_state import set_sample_state
        from inspect_ai.util._store import init_subtask_store

        init_transcript(Transcript())
        init_subtask_store(state.store)
        set_sample_state(state)
        if self.sandbox is not None:
            self.sandbox.use()
        activate_grading_model(self.benchmark_context)
        return await work
