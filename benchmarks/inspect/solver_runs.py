"""Runs the solvers of a sample: Inspect's functions that prepare a question and ask the model.

A solver asks the model by calling `generate(state)`, a function that it is given. Here the
solvers run twice, with two versions of `generate`. The first version ends them, and the
messages that they have prepared become the instruction of a trial. After the trial,
they run again from the start. The second version returns the trial's calls and answer, and
the solvers go on to their end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane import TaskEnvironment
from controlplane.benchmarks.inspect.answered_state import add_answer, copy_store
from controlplane.benchmarks.inspect.inspect_context import InspectContext
from controlplane.benchmarks.inspect.inspect_tasks import refusal
from controlplane.benchmarks.inspect.playable_samples import PlayableSample
from controlplane.benchmarks.inspect.sample_state import first_state

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, TaskState


class _ModelAsked(Exception):
    """Raised when the solvers ask the model, to end them."""

    def __init__(self, state: TaskState) -> None:
        super().__init__()
        self.state = state


@dataclass(frozen=True, slots=True)
class PreparedSample:
    """A sample whose solvers have asked the model."""

    playable: PlayableSample
    context: InspectContext
    """In which its solvers ran, and its tools and scorers will run."""
    task_state: TaskState
    """The messages and tools that the solvers prepared, and Inspect's store: a dict in which
    tools keep data during the trial, for scorers."""


def prepare_sample(playable: PlayableSample, context: InspectContext) -> PreparedSample:
    """Run a sample's solvers until they ask the model.

    Raises `BenchmarkError` if they never ask it.
    """

    async def end_solvers(state: TaskState, *_: Any, **config: Any) -> TaskState:
        raise _ModelAsked(state)

    try:
        _run_solvers(playable, context, generate=end_solvers)
    except _ModelAsked as asked:
        return PreparedSample(playable, context, asked.state)
    task_id = playable.task_id
    msg = f"{task_id}: its solvers never call generate, so there is nothing to be asked"
    raise refusal(msg)


def state_after_trial(sample: PreparedSample, trial: TaskEnvironment) -> TaskState:
    """Run a sample's solvers again, now to their end, and return their final state.

    When they ask the model, they get the calls and the answer of the trial that has
    ended. Raises `BenchmarkError` if they ask a second time.
    """

    async def give_answer(state: TaskState, *_: Any, **config: Any) -> TaskState:
        """Add the trial's answer to the state, as Inspect's `generate` adds the model's."""
        was_asked_before = not state.output.empty
        if was_asked_before:
            msg = (
                f"{sample.playable.task.name}: its solvers call generate again, and one "
                "reply of a trial is played here"
            )
            raise refusal(msg)
        add_answer(state, trial)
        # The tools of the trial kept their data in the store of the first run's state. The
        # scorers look for it in the state of this run.
        copy_store(sample.task_state, state)
        return state

    return _run_solvers(sample.playable, sample.context, generate=give_answer)


def _run_solvers(
    playable: PlayableSample, context: InspectContext, generate: Generate
) -> TaskState:
    """Run a task's solvers on a sample, and return their final state."""
    from inspect_ai.solver import chain

    setup_and_solver = (playable.task.setup, playable.task.solver)
    solvers = [solver for solver in setup_and_solver if solver is not None]
    start = first_state(playable.sample)
    final_state: TaskState = context.result_of(chain(*solvers)(start, generate), start)
    return final_state
